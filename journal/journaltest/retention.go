package journaltest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"puddle/journal"
)

// Patched keeps the documents of entries as patches on earlier ones, where that can
// be drawn: each needs its base, of which it takes the first byte.
func Patched(t *rapid.T, entries []journal.Entry) {
	inflater, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer inflater.Close()
	var bases []journal.Base
	starts := map[journal.Base]byte{}
	for _, e := range entries {
		for i, d := range e.Documents {
			pointer := e.Event.Moves()[d.Move].To.Pointer
			if d.Codec != journal.CodecWholeZstd || pointer.Encoding != journal.EncodingNone {
				continue
			}
			plain, err := inflater.DecodeAll(d.Data, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(bases) > 0 && rapid.Bool().Draw(t, "patch") {
				on := rapid.SampledFrom(bases[max(0, len(bases)-4):]).Draw(t, "on")
				if on.Patches < journal.MaxPatches && on.Seq < e.Event.Seq && starts[on] == plain[0] {
					d.Codec, d.Data = journal.CodecPatch, PatchOn(t, on, plain)
					e.Documents[i] = d
				}
			}
			base := journal.Base{Seq: e.Event.Seq, Move: d.Move, Patches: d.Patches()}
			bases, starts[base] = append(bases, base), plain[0]
		}
	}
}

// PatchOn is a patch that copies one byte and brings the others along.
func PatchOn(t rapid.TB, on journal.Base, plain []byte) []byte {
	t.Helper()
	deflater, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer deflater.Close()
	ops := binary.AppendVarint(binary.AppendUvarint(nil, 1<<1|1), 0)
	if len(plain) > 1 {
		ops = append(binary.AppendUvarint(ops, uint64(len(plain)-1)<<1), plain[1:]...)
	}
	data := binary.BigEndian.AppendUint64(nil, uint64(on.Seq))
	data = binary.BigEndian.AppendUint32(data, uint32(on.Move))
	data = append(data, byte(on.Patches+1))
	data = binary.BigEndian.AppendUint32(data, uint32(len(plain)))
	return deflater.EncodeAll(ops, data)
}

// Made names the document that a move of an event made.
type Made struct {
	Seq  journal.Seq
	Move int
}

// Erased is what Documented says of a document that was erased.
const Erased = "erased"

// Documented is what a history answers of the documents of all moves, but for those that
// were not kept.
func Documented(tb rapid.TB, r journal.Reader) map[Made]string {
	tb.Helper()
	all := map[Made]string{}
	for _, e := range Events(tb, r, 0) {
		for i := range e.Moves() {
			text, err := r.Document(context.Background(), e.Seq, i)
			switch {
			case errors.Is(err, journal.ErrErased):
				text = []byte(Erased)
			case errors.Is(err, journal.ErrNotKept), errors.Is(err, journal.ErrNoEvent):
				continue
			case err != nil:
				tb.Fatalf("document of move %d of event %d: %v", i, e.Seq, err)
			}
			all[Made{e.Seq, i}] = string(text)
		}
	}
	return all
}

// Retained is what Documented must answer when a compaction has erased what is older than horizon: the old ones are erased, but for those
// that their object has, or had when it went and may come back with.
func Retained(before map[Made]string, entries []journal.Entry, horizon time.Time) map[Made]string {
	has, purged := map[uuid.UUID]journal.Digest{}, map[uuid.UUID]bool{}
	for _, e := range entries {
		if b, ok := e.Event.Body.(journal.TablePurged); ok {
			purged[b.Table] = true
		}
		for _, m := range e.Event.Moves() {
			if m.To != nil {
				has[m.UUID], purged[m.UUID] = m.To.Pointer.DocumentSHA256, false
			}
		}
	}
	after := map[Made]string{}
	for _, e := range entries {
		for i, m := range e.Event.Moves() {
			at := Made{e.Event.Seq, i}
			text, kept := before[at]
			if !kept {
				continue
			}
			if e.Event.At.Before(horizon) && (purged[m.UUID] || has[m.UUID] != m.To.Pointer.DocumentSHA256) {
				text = Erased
			}
			after[at] = text
		}
	}
	return after
}

// Versions are the events of a table that has grown so many times, each document a
// patch on the one before.
func Versions(t testing.TB, warehouse uuid.UUID, n int) (entries []journal.Entry, plain [][]byte) {
	t.Helper()
	s := NewStory(warehouse)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	entries = Entries(t, s.Drafts, Start)
	chain := journal.ChainAt(entries[1].Event)
	text := bytes.Repeat([]byte("0123456789abcdef"), 1024)
	var base journal.Base
	for i := range n {
		text = fmt.Appendf(bytes.Clone(text), "change %d", i)
		d, ok := journal.KeepDocument(0, text, journal.MaxDocumentBytes)
		if i > 0 {
			if p, isPatch := journal.KeepPatch(0, text, base, plain[i-1], journal.MaxDocumentBytes); isPatch {
				d = p
			}
		}
		if !ok {
			t.Fatal("it is not kept")
		}
		location := fmt.Sprintf("s3://lake/wh/t/metadata/%d.metadata.json", i)
		to := journal.To{Identifier: journal.Identifier{Namespace: ns, Name: "t"}, Location: "s3://lake/wh/t", Pointer: journal.Pointer{
			MetadataLocation: location, Encoding: journal.EncodingNone, Size: int64(len(text)), SHA256: journal.Sum(text), DocumentSHA256: journal.Sum(text),
		}}
		entry, next, err := chain.Next(journal.Draft{
			Warehouse: warehouse, ID: uuid.NewSHA1(lake, []byte(location)), Documents: []journal.Document{d},
			Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
			Body:  journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: pond, To: &to}}},
		}, journal.At(Start.Add(time.Duration(i+2)*time.Hour)))
		if err != nil {
			t.Fatal(err)
		}
		base = journal.Base{Seq: entry.Event.Seq, Patches: d.Patches()}
		entries, plain, chain = append(entries, entry), append(plain, text), next
	}
	return entries, plain
}
