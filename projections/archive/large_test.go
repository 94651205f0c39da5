package archive_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/archive"
)

// largeDocument is more than is read ahead, ten of them are more than the cache.
const largeDocument = 5 << 20

// heavy is a history whose last events have one large document each: a segment each.
func heavy(t *testing.T) []journal.Entry {
	t.Helper()
	all := chain(t, 1).Entries
	noise := rand.NewChaCha8([32]byte{1})
	for n := range 10 {
		text := make([]byte, largeDocument)
		_, _ = noise.Read(text)
		d, kept := journal.KeepDocument(0, text, journal.MaxDocumentBytes)
		if !kept {
			t.Fatal("the document is not kept")
		}
		last := all[len(all)-1].Event
		name := fmt.Sprint("heavy", n)
		e, _, err := journal.ChainAt(last).Next(journal.Draft{
			Warehouse: lake, ID: uuid.NewSHA1(lake, []byte(name)), Documents: []journal.Document{d}, Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
			Body: journal.TableCreated{Moves: [1]journal.Move{{
				Kind: journal.Table, UUID: uuid.NewSHA1(lake, []byte("of "+name)), Updates: []string{"assign-uuid"},
				To: &journal.To{
					Identifier: journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: name}, Location: "s3://lake/wh/" + name,
					Places: []journal.Place{{Path: "//lake/wh/" + name + "/", Role: "location"}},
					Pointer: journal.Pointer{
						MetadataLocation: "s3://lake/wh/" + name + "/metadata/1.metadata.json", Encoding: journal.EncodingNone, Size: largeDocument,
						SHA256: journal.Sum(text), DocumentSHA256: journal.Sum(text),
					},
				},
			}}},
		}, journal.At(last.At))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// weighing is a store that is far away, and weighs what is read of the documents.
type weighing struct {
	warehouse.Reader
	mu     sync.Mutex
	times  map[string]int // that an object was read
	begun  int            // bytes that were ever asked for
	asked  int            // bytes on their way
	widest int            // of asked
}

func (w *weighing) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	data, err := w.Reader.Get(ctx, key, limit)
	if !strings.HasSuffix(key, ".documents") {
		return data, err
	}
	w.mu.Lock()
	w.times[key]++
	w.begun += len(data)
	w.asked += len(data)
	w.widest = max(w.widest, w.asked)
	w.mu.Unlock()
	time.Sleep(way)
	w.mu.Lock()
	w.asked -= len(data)
	w.mu.Unlock()
	return data, err
}

// each tells of the objects that were not read once.
func (w *weighing) each(t *testing.T) {
	t.Helper()
	for key, times := range w.times {
		if times != 1 {
			t.Errorf("%s was read %d times", key, times)
		}
	}
	if w.begun < 10*largeDocument {
		t.Errorf("%d bytes of documents were read", w.begun)
	}
}

// Segments with large documents are read one at a time, once each, whoever reads them.
func TestLargeDocumentsAreNotReadAhead(t *testing.T) {
	entries := heavy(t)
	const most = largeDocument + largeDocument/10
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(entries)
		w.grow(t, len(w.pending))
		if err := w.sealer(w.disk, archive.MaxSegmentEvents).Seal(ctx); err != nil {
			t.Fatal(err)
		}
		store := &weighing{Reader: w.disk, times: map[string]int{}}
		a, err := archive.Open(ctx, store)
		if err != nil {
			t.Fatal(err)
		}
		used := 0
		for e, err := range a.Warehouse(lake).(journal.Entries).Entries(ctx, 0) {
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if held := store.begun - used; held > most {
				t.Fatalf("%d bytes of documents are held at event %d", held, e.Event.Seq)
			}
			for _, d := range e.Documents {
				used += len(d.Data)
			}
		}
		store.each(t)
		store = &weighing{Reader: w.disk, times: map[string]int{}}
		if _, err := archive.Audit(ctx, store, lake, w.journal, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		if store.each(t); store.widest > most {
			t.Errorf("an audit reads %d bytes at a time", store.widest)
		}
	})
}
