package catalog_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// period is for how long the catalogs of these tests trust a file.
const period = 30 * time.Second

// bucket is a store without folders that tells what it reads. A hook meets each request.
type bucket struct {
	warehouse.Store
	under warehouse.Store
}

func (b bucket) Fetch(ctx context.Context, key string, limit int64) ([]byte, warehouse.Info, error) {
	data, err := b.Get(ctx, key, limit)
	if err != nil {
		return nil, warehouse.Info{}, err
	}
	info, err := b.under.Stat(ctx, key)
	return data, info, err
}

// clock is one that stands still until it is told to go on.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time {
	return time.UnixMilli(epoch).Add(time.Duration(c.ahead.Load())).UTC()
}
func (c *clock) passes(d time.Duration) { c.ahead.Add(int64(d)) }

// onBucket is another catalog of the process, on a bucket and with a clock.
func (p *process) onBucket(t *testing.T, hook faulty.Hook) (*process, *clock) {
	t.Helper()
	location, err := warehouse.ParseLocation(p.ground.url)
	must(t, err)
	store := bucket{faulty.New(p.ground.files, hook), p.ground.files}
	c := &clock{}
	return &process{ground: p.ground, recorder: p.recorder, Catalog: catalog.New(catalog.Options{
		ID: lake, Roots: warehouse.Roots{{URL: p.ground.url, Location: location, Store: store, Revalidate: period}},
		Reader: p.recorder.Reader(lake), Recorder: p.recorder, Journal: p.ground.journal.Warehouse(lake),
		Now: c.now, MaxDocument: journal.MaxDocumentBytes, DropKeep: time.Hour, PurgeGrace: time.Hour,
	})}, c
}

// A file is looked at once a period, by loads alone, in whatever way time goes; what a
// commit made counts as looked at.
func TestFilesAreTrusted(t *testing.T) {
	looks := 0
	p, clock := fresh(t).onBucket(t, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Stat || op == faulty.Get {
			looks++
		}
		return faulty.Fault{}
	})
	p.table(t, "t", "")
	p.view(t, "v", "")
	for i, step := range []struct {
		passes time.Duration
		looks  int // at each of the two
	}{
		{0, 0}, {period - 1, 0}, {1, 1}, {period - 1, 0}, {1, 1}, {10 * period, 1}, {-period, 1}, {1 - period, 0},
	} {
		clock.passes(step.passes)
		before := looks
		for range 3 {
			p.load(t, "t")
			_, err := p.LoadView(ctx, id("v"))
			must(t, err)
		}
		if got := looks - before; got != 2*step.looks {
			t.Errorf("step %d: %d looks, want %d", i, got, 2*step.looks)
		}
	}
	clock.passes(period)
	before := looks
	_, err := p.append(t, "t", 1)
	must(t, err)
	p.load(t, "t")
	clock.passes(period - 1)
	p.load(t, "t")
	if looks != before {
		t.Errorf("a commit and loads after it: %d looks", looks-before)
	}
}

// A file that is gone, or another, is noticed by the next look, and by everybody from
// then on; put back, it is there, and trusted again.
func TestCase43_LostFileIsNoticed(t *testing.T) {
	p, clock := fresh(t).onBucket(t, nil)
	table := p.table(t, "t", "")
	at := key(t, p.ground, table.MetadataLocation)
	for name, spoil := range map[string]func() error{
		"gone":    func() error { return p.ground.files.Delete(ctx, at) },
		"another": func() error { return p.ground.files.Put(ctx, at, make([]byte, len(table.Metadata))) },
	} {
		t.Run(name, func(t *testing.T) {
			must(t, spoil())
			p.load(t, "t")
			clock.passes(period)
			for range 2 {
				_, err := p.LoadTable(ctx, id("t"))
				refused(t, err, catalog.FileMissing, table.MetadataLocation)
				_, err = p.commit(t, "t", "", set("k", "v"))
				refused(t, err, catalog.FileMissing, table.MetadataLocation)
			}
			must(t, p.ground.files.Put(ctx, at, table.Metadata))
			p.load(t, "t")
			must(t, p.ground.files.Delete(ctx, at))
			p.load(t, "t")
			must(t, p.ground.files.Put(ctx, at, table.Metadata))
		})
	}
}

// A commit does not look at the file that it builds on: its own holds all of it.
func TestCommitBuildsOnWhatIsKnown(t *testing.T) {
	p, clock := fresh(t).onBucket(t, nil)
	table := p.table(t, "t", "")
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, table.MetadataLocation)))
	clock.passes(2 * period)
	_, err := p.commit(t, "t", "", set("k", "v"))
	must(t, err)
	clock.passes(2 * period)
	if got := read(t, p.load(t, "t").Metadata).Properties["k"]; got != "v" {
		t.Errorf("k is %q", got)
	}
}

// While one looks, others trust; when it hangs up, or the store does not answer,
// the next one looks.
func TestOneLooks(t *testing.T) {
	warmUp(t)
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan error)
		looks := 0
		p, clock := fresh(t).onBucket(t, func(op faulty.Op, _ string) faulty.Fault {
			if op != faulty.Stat && op != faulty.Get {
				return faulty.Fault{}
			}
			looks++
			return faulty.Before(<-answers)
		})
		p.table(t, "t", "")
		clock.passes(period)
		for i, answer := range []error{context.Canceled, errInjected, nil} {
			var told error
			go func() { _, told = p.LoadTable(ctx, id("t")) }()
			synctest.Wait()
			if looks == 0 {
				t.Fatalf("turn %d: nobody looks", i)
			}
			p.load(t, "t")
			p.load(t, "t")
			for ; looks > 0; looks-- {
				answers <- answer
				synctest.Wait()
			}
			if (told == nil) != (answer == nil) {
				t.Errorf("turn %d: the one that looked was told %v", i, told)
			}
		}
		p.load(t, "t")
		if looks != 0 {
			t.Errorf("%d looks after one was answered", looks)
		}
	})
}

// To say that the present file is the newest is to have looked.
func TestNewestLooks(t *testing.T) {
	p, _ := fresh(t).onBucket(t, nil)
	table := p.table(t, "t", "")
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, table.MetadataLocation)))
	_, err := p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), Newest: true, Reason: "test"})
	refused(t, err, catalog.FileMissing)
	_, err = p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing)
}
