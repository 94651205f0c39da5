package purge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"puddle/internal/warehouse"
)

// removal is what became of one file.
type removal struct {
	gone bool // it was gone already
	size int64
	err  error
}

// remove deletes files, many at once where their store can, else several at a time, and
// counts them.
func (b *batch) remove(ctx context.Context, targets []target) {
	removals := make([]removal, len(targets))
	slots := make(chan struct{}, b.job.Parallel)
	var workers sync.WaitGroup
	together := map[string][]int{} // by the URL of their root
	for i, t := range targets {
		if _, ok := t.root.Store.(warehouse.Batches); ok {
			together[t.root.URL] = append(together[t.root.URL], i)
			continue
		}
		slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-slots }()
			removals[i] = t.remove(ctx)
		})
	}
	workers.Wait()
	for _, some := range together {
		removeAtOnce(ctx, targets, some, removals)
	}
	for i, r := range removals {
		b.count(targets[i], r)
	}
}

// remove deletes one file, durably also when it was gone: an earlier delete may
// have been cut off.
func (t target) remove(ctx context.Context) (r removal) {
	defer func() {
		if p := recover(); p != nil {
			r.err = gaveUp(p)
		}
	}()
	info, err := t.root.Store.Stat(ctx, t.key)
	r.gone, r.size = errors.Is(err, warehouse.ErrNotFound), info.Size
	if err != nil && !r.gone {
		r.err = err
		return r
	}
	r.err = t.root.Store.Delete(ctx, t.key)
	return r
}

func gaveUp(p any) error { return fmt.Errorf("the store gave up: %v", p) }

// removeAtOnce deletes some of the files, which are in one store. What is gone there stays
// so, and is not deleted again: in a bucket that keeps versions each delete leaves a mark.
func removeAtOnce(ctx context.Context, targets []target, some []int, removals []removal) {
	left := some // whose removals are not known
	defer func() {
		if p := recover(); p != nil {
			for _, i := range left {
				removals[i].err = gaveUp(p)
			}
		}
	}()
	store := targets[some[0]].root.Store.(warehouse.Batches)
	keys := func(of []int) (keys []string) {
		for _, i := range of {
			keys = append(keys, targets[i].key)
		}
		return keys
	}
	infos, errs := store.StatAll(ctx, keys(some))
	var there []int
	for n, i := range some {
		gone := errors.Is(errs[n], warehouse.ErrNotFound)
		removals[i] = removal{gone: gone, size: infos[n].Size}
		switch {
		case errs[n] == nil:
			there = append(there, i)
		case !gone:
			removals[i].err = errs[n]
		}
	}
	left = there
	for n, err := range store.DeleteAll(ctx, keys(there)) {
		removals[there[n]].err = err
	}
}
