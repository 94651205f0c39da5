package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// slow is a store whose writes wait at a gate, until the context ends at the latest:
// then they are done all the same, as may be with a request that was given up.
type slow struct {
	warehouse.Store
	gate    atomic.Pointer[chan struct{}] // none: nothing waits
	waiting atomic.Int64
	refuse  string // what is staged below it fails before
}

func (s *slow) wait(ctx context.Context) (context.Context, error) {
	gate := s.gate.Load()
	if gate == nil {
		return ctx, nil
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case <-*gate:
		return ctx, nil
	case <-ctx.Done():
		return context.WithoutCancel(ctx), ctx.Err()
	}
}

func (s *slow) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	if s.refuse != "" && strings.HasPrefix(key, s.refuse) {
		return warehouse.Info{}, errInjected
	}
	ctx, gaveUp := s.wait(ctx)
	info, err := s.Store.Stage(ctx, key, data)
	if err == nil {
		err = gaveUp
	}
	return info, err
}

func (s *slow) Delete(ctx context.Context, key string) error {
	ctx, gaveUp := s.wait(ctx)
	if err := s.Store.Delete(ctx, key); err != nil {
		return err
	}
	return gaveUp
}

// shut has all writes wait until it is opened.
func (s *slow) shut() (open func()) {
	gate := make(chan struct{})
	s.gate.Store(&gate)
	return func() {
		s.gate.CompareAndSwap(&gate, nil)
		close(gate)
	}
}

// onSlow runs a test in a bubble, over a catalog on a slow store. What packages make
// once must not be made in a bubble.
func onSlow(t *testing.T, test func(t *testing.T, p *process, s *slow)) {
	t.Helper()
	fresh(t).table(t, "t", "")
	synctest.Test(t, func(t *testing.T) {
		p := fresh(t)
		s := &slow{Store: p.ground.files}
		test(t, &process{ground: p.ground, recorder: p.recorder, Catalog: p.another(t, s)}, s)
		audit(t, p.ground)
	})
}

// tables makes n tables and a change of each.
func (p *process) tables(t *testing.T, n int) (changes []catalog.Change) {
	t.Helper()
	for i := range n {
		name := fmt.Sprint("t", i)
		p.table(t, name, p.ground.url+"/"+name)
		changes = append(changes, change(t, name, "", set("k", "v")))
	}
	return changes
}

// The files of a transaction are written at the same time, up to a bound.
func TestTransactionIsStagedTogether(t *testing.T) {
	for n, together := range map[int]int64{8: 8, 20: 16} {
		onSlow(t, func(t *testing.T, p *process, s *slow) {
			changes := p.tables(t, n)
			open := s.shut()
			var err error
			go func() { _, err = p.CommitTables(ctx, cause, changes...) }()
			synctest.Wait()
			if got := s.waiting.Load(); got != together {
				t.Errorf("%d of %d files are being written, want %d", got, n, together)
			}
			open()
			synctest.Wait()
			must(t, err)
		})
	}
}

// The first file that cannot be written ends the others, also those on their way, and
// is what the client is told; whatever became of them, none is left.
func TestFirstFailureEndsTheRest(t *testing.T) {
	onSlow(t, func(t *testing.T, p *process, s *slow) {
		changes := p.tables(t, 8)
		had := files(t, p.ground)
		s.refuse = "t7/"
		s.shut() // nothing but the failure ends the others, and nothing the deletes but their limit
		_, err := p.CommitTables(ctx, cause, changes...)
		refused(t, err, catalog.Unavailable, "t7/")
		if diff := cmp.Diff(had, files(t, p.ground)); diff != "" {
			t.Errorf("files: %s", diff)
		}
	})
}

// refusing is a recorder that refuses everything.
type refusing struct{}

func (refusing) Record(context.Context, journal.Draft) (journal.Event, error) {
	return journal.Event{}, &projections.Conflict{Kind: projections.PlaceTaken, Path: "/somewhere/"}
}

// The files of a refused transaction are removed at the same time. What cannot be
// removed is told.
func TestRefusedFilesAreRemovedTogether(t *testing.T) {
	onSlow(t, func(t *testing.T, p *process, s *slow) {
		changes := p.tables(t, 8)
		o := p.Options
		o.Recorder = refusing{}
		var mu sync.Mutex
		told := 0
		o.Left = func(_ context.Context, _ string, err error) {
			mu.Lock()
			defer mu.Unlock()
			told++
		}
		done := make(chan error)
		open := s.shut()
		go func() { _, err := catalog.New(o).CommitTables(ctx, cause, changes...); done <- err }()
		synctest.Wait()
		s.shut() // for those who come now
		open()
		synctest.Wait()
		if got := s.waiting.Load(); got != 8 {
			t.Errorf("%d files are being removed, want 8", got)
		}
		refused(t, <-done, catalog.AlreadyExists) // after the limit of the deletes
		if told != 8 {
			t.Errorf("told of %d", told)
		}
	})
}

// A slow store holds up who writes, and nobody else: changes of other tables, creates
// in the same namespace, and views are on their way at the same time, and loads go by.
func TestSlowStoreHoldsUpNobodyElse(t *testing.T) {
	onSlow(t, func(t *testing.T, p *process, s *slow) {
		const n = 64
		changes := p.tables(t, n)
		p.view(t, "v", "")
		open := s.shut()
		var group sync.WaitGroup
		for i, change := range changes {
			group.Go(func() { _, err := p.CommitTables(ctx, cause, change); must(t, err) })
			group.Go(func() { p.table(t, fmt.Sprint("new", i), "") })
		}
		group.Go(func() { _, err := p.commitView(t, "v", "", set("k", "v")); must(t, err) })
		synctest.Wait()
		if got := s.waiting.Load(); got != 2*n+1 {
			t.Errorf("%d changes are being written, want %d", got, 2*n+1)
		}
		for i := range n {
			p.load(t, fmt.Sprint("t", i))
		}
		open()
		group.Wait()
	})
}
