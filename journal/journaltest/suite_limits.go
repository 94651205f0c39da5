package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
)

// testLimits is case 161: what is accepted is read back, what is over a limit is
// refused before anything is written.
func testLimits(t *testing.T, open Open) {
	j, _ := open(t)
	birth := Entries(t, NewStory(lake).Drafts, Start)
	Append(t, j, birth)
	s := NewStory(lake)
	s.CreateNamespace(journal.Namespace{"wide"}, map[string]string{"big": strings.Repeat("p", 5<<20), "odd\n\u2028\x00": "\u2028"})
	s.CreateNamespace(journal.Namespace{"full"}, map[string]string{"big": strings.Repeat("p", 10<<20)})
	s.Commit(manyTables(journal.MaxMoves)...)
	entries := slices.Concat(birth, following(t, birth[0], s.Drafts[1:]...))

	wantError(t, "a group over its bytes", j.Append(context.Background(), entries[1:3]...), journal.ErrTooLarge)
	wantPositions(t, j, birth)
	for _, e := range entries[1:] { // one alone may be larger than a group
		Append(t, j, []journal.Entry{e})
	}
	wantPositions(t, j, entries)

	group := manyEntries(t, entries[len(entries)-1], journal.MaxGroupEntries+1)
	wantError(t, "a group over its number", j.Append(context.Background(), group...), journal.ErrTooLarge)
	wantPositions(t, j, entries)
	Append(t, j, group[:journal.MaxGroupEntries])

	large := group[journal.MaxGroupEntries]
	large.Record = make([]byte, journal.MaxRecordBytes+1)
	wantError(t, "a record over its bytes", j.Append(context.Background(), large), journal.ErrTooLarge)
	wantPositions(t, j, append(entries, group[:journal.MaxGroupEntries]...))
	Append(t, j, group[journal.MaxGroupEntries:])
}

// wantPositions checks by their hashes that the lake holds exactly the entries.
func wantPositions(t *testing.T, j journal.Journal, entries []journal.Entry) {
	t.Helper()
	var want, got []journal.Position
	for _, e := range entries {
		want = append(want, e.Event.Position)
	}
	for _, e := range Events(t, j.Warehouse(lake), 0) {
		got = append(got, e.Position)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("scanned positions (-appended +read):\n%s", diff)
	}
}

func manyTables(n int) []journal.Identifier {
	ids := make([]journal.Identifier, n)
	for i := range ids {
		ids[i] = journal.Identifier{Namespace: journal.Namespace{"wide"}, Name: fmt.Sprint("t", i)}
	}
	return ids
}

// manyEntries are n small events after one.
func manyEntries(t *testing.T, last journal.Entry, n int) []journal.Entry {
	t.Helper()
	drafts := make([]journal.Draft, n)
	for i := range drafts {
		drafts[i] = journal.Draft{
			Warehouse: last.Event.Warehouse,
			ID:        uuid.NewSHA1(last.Event.ID, fmt.Append(nil, i)),
			Cause:     journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
			Body:      journal.NamespaceCreated{ID: uuid.NewSHA1(lake, fmt.Append(nil, i)), Namespace: journal.Namespace{fmt.Sprint("n", i)}},
		}
	}
	return following(t, last, drafts...)
}

func testDocuments(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	wantDocuments(t, j, lake, entries)
	r := j.Warehouse(lake)
	ctx := context.Background()
	for _, at := range []struct {
		seq  journal.Seq
		move int
	}{{0, 0}, {99, 0}, {1, 0}, {2, 0}, {5, 1}, {5, -1}, {7, 2}} {
		_, err := r.Document(ctx, at.seq, at.move)
		wantError(t, fmt.Sprintf("document of move %d of %d", at.move, at.seq), err, journal.ErrNoEvent)
	}
	_, err := r.Document(ctx, 8, 0) // the rename made none
	wantError(t, "document of a rename", err, journal.ErrNotKept)
	_, err = r.Document(ctx, 9, 0) // the drop neither
	wantError(t, "document of a drop", err, journal.ErrNoEvent)
}

// wantDocuments checks every document that the entries keep or do not keep.
func wantDocuments(t *testing.T, j journal.Journal, warehouse uuid.UUID, entries []journal.Entry) {
	t.Helper()
	kept := 0
	for _, e := range events(entries) {
		for i, m := range e.Moves() {
			if m.To == nil {
				continue
			}
			got, err := j.Warehouse(warehouse).Document(context.Background(), e.Seq, i)
			if !IsKept(m) {
				wantError(t, "document not kept", err, journal.ErrNotKept)
				continue
			}
			kept++
			if err != nil || !bytes.Equal(got, Metadata(*m.To)) {
				t.Errorf("document of move %d of %d = %q, %v", i, e.Seq, got, err)
			}
		}
	}
	if kept == 0 {
		t.Error("no document was kept")
	}
}

// testLargeDocuments keeps documents that no compression makes small: they go
// over several chunks where there are chunks, at their edges and up to the limit.
func testLargeDocuments(t *testing.T, open Open) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries[:4])
	last := entries[3]
	for i, size := range []int{0, 1, 1<<20 - 100, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20} {
		plain := noise(size)
		s := sales(lake)
		s.CreateTable(journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: fmt.Sprint("large", i)})
		draft := s.Drafts[len(s.Drafts)-1]
		draft.ID = uuid.NewSHA1(lake, fmt.Append(nil, "large", i))
		body := draft.Body.(journal.TableCreated)
		to := body.Moves[0].To
		to.Pointer.DocumentSHA256, to.Pointer.Size = journal.Sum(plain), int64(size)
		draft.Body = body
		document, ok := journal.KeepDocument(0, plain, journal.MaxDocumentBytes)
		if !ok {
			t.Fatalf("%d bytes are not kept", size)
		}
		draft.Documents = []journal.Document{document}
		last = following(t, last, draft)[0]
		Append(t, j, []journal.Entry{last})
		got, err := j.Warehouse(lake).Document(context.Background(), last.Event.Seq, 0)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("a document of %d bytes comes back with %d, %v", size, len(got), err)
		}
	}
	last.Documents[0].Data = make([]byte, journal.MaxDocumentBytes+1)
	wantError(t, "a document over the limit", j.Append(context.Background(), last), journal.ErrTooLarge)
}

// testRegisteredFiles keeps gzip files as they are, small ones and ones that go
// over several chunks.
func testRegisteredFiles(t *testing.T, open Open) {
	j, reopen := open(t)
	s := sales(lake)
	entries := Entries(t, s.Drafts, Start)
	Append(t, j, entries)
	last := entries[len(entries)-1]
	plains := map[journal.Seq][]byte{}
	for i, size := range []int{0, 100, 3 << 20} {
		plain := noise(size)
		file := deflated(plain)
		s.Register(journal.Table, journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: fmt.Sprint("file", i)})
		draft := s.Drafts[len(s.Drafts)-1]
		body := draft.Body.(journal.TableRegistered)
		body.Moves[0].To.Pointer.Encoding, body.Moves[0].To.Pointer.Size = journal.EncodingGzip, int64(len(file))
		body.Moves[0].To.Pointer.DocumentSHA256 = journal.Sum(plain)
		document, ok := journal.KeepFile(0, file, journal.MaxDocumentBytes)
		if !ok {
			t.Fatalf("a file of %d bytes is not kept", len(file))
		}
		draft.Body, draft.Documents = body, []journal.Document{document}
		last = following(t, last, draft)[0]
		Append(t, j, []journal.Entry{last})
		plains[last.Event.Seq] = plain
	}
	if reopen != nil {
		j = reopen()
	}
	for seq, plain := range plains {
		got, err := j.Warehouse(lake).Document(context.Background(), seq, 0)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("a registered file of %d bytes inside comes back with %d, %v", len(plain), len(got), err)
		}
	}
}

func testDocumentNotKept(t *testing.T, open Open) {
	if _, ok := journal.KeepDocument(0, noise(4096), 1024); ok {
		t.Error("a document over the limit is kept")
	}
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	for i := range entries {
		entries[i].Documents = nil
	}
	Append(t, j, entries)
	_, err := j.Warehouse(lake).Document(context.Background(), 5, 0)
	wantError(t, "document that was left out", err, journal.ErrNotKept)

	// Bytes that are not what the chain says are damage, never an answer.
	s := sales(lake)
	s.CreateTable(journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "false"})
	draft := s.Drafts[len(s.Drafts)-1]
	document, _ := journal.KeepDocument(0, []byte("something else"), journal.MaxDocumentBytes)
	draft.Documents = []journal.Document{document}
	last := following(t, entries[len(entries)-1], draft)[0]
	Append(t, j, []journal.Entry{last})
	_, err = j.Warehouse(lake).Document(context.Background(), last.Event.Seq, 0)
	var damage *journal.Damage
	if !errors.As(err, &damage) || damage.Seq != last.Event.Seq || damage.Warehouse != lake {
		t.Errorf("a false document: %v", err)
	}
}

func noise(size int) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data) // never fails
	return data
}
