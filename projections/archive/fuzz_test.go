package archive

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/fuzztest"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
)

const frozenSegments = "../../fixtures/formats/v1"

// seed is a frozen object of a segment, its header and its payload.
func seed(f *testing.F, name string, p part) (object []byte, h header, payload []byte) {
	object = fuzztest.Files(f, filepath.Join(frozenSegments, name))[0]
	line, _, _ := strings.Cut(string(object[len(magic):]), "\n")
	id := uuid.MustParse(line[strings.Index(line, `"incarnation":"`)+len(`"incarnation":"`):][:36])
	h, stored, err := parse(key(id, 1, p), object)
	if err == nil {
		payload, err = h.inflate(stored)
	}
	if err != nil {
		f.Fatal(err)
	}
	return object, h, payload
}

// judged fails for an error that does not say which object is damaged, or that a newer
// build wrote it.
func judged(t *testing.T, name string, err error) {
	t.Helper()
	damage, ok := errors.AsType[*Damage](err)
	if err != nil && !(ok && damage.Object == name) && !(errors.Is(err, ErrNewer) || errors.Is(err, journal.ErrNewer)) {
		t.Fatalf("%T %v", err, err)
	}
	if err != nil && !strings.Contains(err.Error(), name) {
		t.Fatalf("which one? %v", err)
	}
}

// FuzzOpenEvents: objects as they lie there, and payloads under a header that is right
// for them, so that what is behind the digest is met too. What is opened links from prev
// to last, and says so when it is made again.
func FuzzOpenEvents(f *testing.F) {
	object, h, payload := seed(f, "archive-segment.events", eventsPart)
	f.Add(object, true)
	f.Add(bytes.Replace(object, []byte(`{"bytes":`), []byte(`{"bytes":1099511627776`), 1), true)
	f.Add(payload, false)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		if !whole {
			data = sealed(t, h, data)
		}
		name := h.key()
		var s *segment
		var err error
		fuzztest.Bounded(t, len(data), 256, maxEvents, func() { s, err = openEvents(name, data, journal.Link) })
		if judged(t, name, err); err != nil {
			return
		}
		hash := s.Prev
		for i, record := range s.records {
			e, err := s.event(s.First.Seq + journal.Seq(i))
			if judged(t, name, err); err == nil && (e.Prev != hash || e.Warehouse != s.Warehouse) {
				t.Fatalf("event %s links to %s, not to %s", e.Position, e.Prev, hash)
			}
			hash = journal.Link(hash, record)
		}
		if hash != s.Last.Hash {
			t.Fatalf("it ends at %s, not at %s", hash, s.Last.Hash)
		}
	})
}

// sealed is a payload under the header that it needs.
func sealed(t *testing.T, h header, payload []byte) []byte {
	hash, n := h.Prev, 0
	for line := range bytes.Lines(payload) {
		hash = journal.Link(hash, bytes.TrimSuffix(line, []byte("\n")))
		if n++; n == 1 {
			h.First.Hash = hash
		}
	}
	h.Count, h.Last = n, point{hash, h.First.Seq + journal.Seq(max(n, 1)) - 1}
	data, err := h.object(payload)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzOpenDocuments: as FuzzOpenEvents. What is opened has the bytes that lie there, and
// what is salvaged of a damaged object is no more than was opened of a whole one.
func FuzzOpenDocuments(f *testing.F) {
	object, h, payload := seed(f, "archive-segment.documents", documentsPart)
	f.Add(object, true, uint16(0))
	f.Add(payload, false, uint16(h.Count))
	f.Add(append(bytes.Repeat([]byte{0}, 13), 0xff, 0xff, 0xff, 0xff), false, uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, whole bool, count uint16) {
		if !whole {
			h := h
			h.Count = int(count)
			var err error
			if data, err = h.object(data); err != nil {
				t.Fatal(err)
			}
		}
		name := h.key()
		var all, saved documents
		var err error
		fuzztest.Bounded(t, len(data), 64, 0, func() { _, all, err = openDocuments(name, data) })
		judged(t, name, err)
		fuzztest.Bounded(t, len(data), 64, 0, func() { saved = salvage(data, h.First.Seq, h.Last.Seq) })
		held := 0
		for at, d := range saved {
			held += documentExtra + len(d.Data)
			if at.seq < h.First.Seq || at.seq > h.Last.Seq || d.Move != at.move {
				t.Fatalf("a document of event %d, move %d", at.seq, at.move)
			}
		}
		if held > len(data) {
			t.Fatalf("%d bytes of documents in %d bytes", held, len(data))
		}
		for at, d := range all {
			if err == nil && !bytes.Equal(saved[at].Data, d.Data) {
				t.Fatalf("the document of event %d is salvaged as another", at.seq)
			}
		}
	})
}

// FuzzReadHint: HEAD is a hint. Whatever it says, who begins there finds the end of the
// archive, or what is damaged of it.
func FuzzReadHint(f *testing.F) {
	events, h, _ := seed(f, "archive-segment.events", eventsPart)
	f.Add(fuzztest.Files(f, filepath.Join(frozenSegments, "archive-head.json"))[0])
	f.Add([]byte(`{"format-version":1,"first":"7"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := memory.New()
		for key, bytes := range map[string][]byte{hintKey: data, h.key(): events} {
			if err := store.Put(context.Background(), key, bytes); err != nil {
				t.Fatal(err)
			}
		}
		end, found, err := Head(context.Background(), store)
		if err != nil || !found || end != h.last() {
			t.Fatalf("%s, %v, %v", end, found, err)
		}
	})
}

// FuzzParseKey: what is read as the name of a part is written so, and is a key.
func FuzzParseKey(f *testing.F) {
	f.Add(Folder + "/0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33/00000000000000000001.events")
	f.Add(Folder + "/0199A3C2-7f4f-7a05-8e21-5d9c4b7f1a33/00000000000000000000.documents")
	f.Add(Folder + "/x/../00000000000000000001.events")
	f.Fuzz(func(t *testing.T, name string) {
		incarnation, first, p, ok := parseKey(name)
		if ok && (key(incarnation, first, p) != name || warehouse.CheckKey(name) != nil || first == 0) {
			t.Fatalf("%q: %s, %d, %s", name, incarnation, first, p)
		}
	})
}
