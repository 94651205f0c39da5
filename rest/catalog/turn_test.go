package catalog_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// heavy is a store whose reads of large files wait.
type heavy struct {
	warehouse.Store
	reads   chan struct{}
	reading int
}

func (h *heavy) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if limit > 8<<20 {
		h.reading++
		<-h.reads
		h.reading--
	}
	return h.Store.Get(ctx, key, limit)
}

// onHeavy is a catalog in the same place, with such a store.
func (p *process) onHeavy(t *testing.T) (*process, *heavy) {
	t.Helper()
	location, err := warehouse.ParseLocation(p.ground.url)
	must(t, err)
	store := &heavy{Store: p.ground.files, reads: make(chan struct{})}
	return &process{ground: p.ground, recorder: p.recorder, Catalog: catalog.New(catalog.Options{
		ID: lake, Roots: warehouse.Roots{{URL: p.ground.url, Location: location, Store: store}},
		Reader: p.recorder.Reader(lake), Recorder: p.recorder, Journal: p.ground.journal.Warehouse(lake), MaxDocument: journal.MaxDocumentBytes,
	})}, store
}

// Large metadata files are read one at a time, and so are small ones that inflate to
// much; others wait for nobody. Who waits too long is told to try again.
func TestLargeFilesTakeTurns(t *testing.T) {
	fresh(t).table(t, "warm", "") // what packages make once must not be made in a bubble
	synctest.Test(t, func(t *testing.T) {
		p, store := fresh(t).onHeavy(t)
		room := strings.Repeat(" ", 9<<20)
		at := map[string]string{"small": p.written(t, p.ground.url+"/small", "v1.metadata.json", "")}
		for _, name := range []string{"a", "b"} {
			at[name] = p.written(t, p.ground.url+"/"+name, "v1.metadata.json", room)
		}
		at["bomb"] = p.given(t, p.ground.url+"/bomb/metadata/v1.gz.metadata.json", zipped(t, []byte(tableText(p.ground.url+"/bomb", room))))
		told := make(chan error, 9)
		register := func(ctx context.Context, name string) {
			go func() {
				_, err := p.RegisterTable(ctx, cause, id(name), at[name], false)
				told <- err
			}()
			synctest.Wait()
		}
		impatient, leave := context.WithCancel(ctx)
		register(ctx, "a")
		register(ctx, "b")
		register(impatient, "bomb")
		if store.reading != 1 || len(told) != 0 {
			t.Fatalf("%d large reads at a time, %d done", store.reading, len(told))
		}
		register(ctx, "small")
		must(t, <-told)
		leave()
		refused(t, <-told, catalog.Unavailable, "is large, and other large ones were being read all the time")
		for range 2 {
			store.reads <- struct{}{}
			must(t, <-told)
			synctest.Wait()
		}
		register(ctx, "bomb")
		must(t, <-told)

		for _, name := range []string{"a", "b"} {
			go func() { _, err := p.LoadTable(ctx, id(name)); told <- err }()
			synctest.Wait()
		}
		if store.reading != 1 {
			t.Errorf("%d large loads at a time", store.reading)
		}
		for range 2 {
			store.reads <- struct{}{}
			must(t, <-told)
			synctest.Wait()
		}
	})
}

// Who has the turn never waits for somebody who waits for it: a repoint of a large table,
// which nobody knows, while another loads it.
func TestWhoHasTheTurnWaitsForNoFlight(t *testing.T) {
	fresh(t).table(t, "warm", "") // what packages make once must not be made in a bubble
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		room := strings.Repeat(" ", 9<<20)
		first := p.written(t, p.ground.url+"/t", "v1.metadata.json", room)
		table, err := p.RegisterTable(ctx, cause, id("t"), first, false)
		must(t, err)
		second := p.given(t, p.ground.url+"/t/metadata/v2.metadata.json", []byte(strings.Replace(string(table.Metadata), "{", `{"metadata-log":[{"timestamp-ms":1,"metadata-file":"`+first+`"}],`, 1)))
		reads := make(chan struct{})
		cold, _ := p.onBucket(t, func(op faulty.Op, _ string) faulty.Fault {
			if op == faulty.Get {
				<-reads
			}
			return faulty.Fault{}
		})
		told := make(chan error, 2)
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		go func() {
			_, err := cold.Repoint(limited, cause, catalog.Repoint{Identifier: id("t"), To: second, Reason: "a test"})
			told <- err
		}()
		synctest.Wait()
		reads <- struct{}{} // too large without a turn
		synctest.Wait()     // it has it now
		go func() {
			_, err := cold.LoadTable(limited, id("t"))
			told <- err
		}()
		synctest.Wait()
		close(reads)
		began := time.Now()
		for range 2 {
			must(t, <-told)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("they waited for each other for %v", took)
		}
	})
}
