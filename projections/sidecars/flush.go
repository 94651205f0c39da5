package sidecars

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// round is what came of reading the journal once and writing what follows.
type round struct {
	failures []failure
	err      error         // why something is left; nil when nothing failed
	again    bool          // something is left to be done without a wake-up
	pause    time.Duration // from the beginning of this round to that of the next
	tried    int           // sidecars
	wrote    int           // of those
}

// round folds what is new, writes it, and then the cursor. Between writes serve is
// called, which may use w.
func (w *work) round(ctx context.Context, serve func()) (r round) {
	w.lookAgain(ctx, &r)
	err := w.catchUp(ctx)
	for _, f := range w.held {
		r.fail(f)
	}
	w.held = nil
	if err != nil {
		r.fail(failureOf(err))
	}
	w.flush(ctx, &r, serve)
	covered := len(w.pending) == 0 && w.began
	if covered && w.read != w.cursor {
		// Every sidecar is as new as the last event that was read, or newer. A crash
		// here has some of them looked at again.
		if err = writeCursor(ctx, w.Store, w.read); err != nil {
			r.fail(failureOf(err))
		} else {
			w.cursor, w.unsure = w.read, 0
		}
	}
	for _, n := range w.pending {
		if r.err == nil {
			r.err = n.err
		}
	}
	r.again = w.more || len(w.pending) > 0 || len(r.failures) > 0
	r.pause = Interval
	// What fails alone has a pause of its own, for which nothing else waits.
	if r.wrote == 0 && (err != nil || r.tried >= parallel) && len(r.failures) > 0 {
		w.backoff = min(max(2*w.backoff, Interval), maxPause)
		r.pause = w.backoff
	} else if r.tried > 0 || !r.again {
		w.backoff = 0
	}
	return r
}

func (r *round) fail(f failure) {
	r.failures = append(r.failures, f)
	if r.err == nil {
		r.err = f.err
	}
}

// flush writes what is dirty and due, the oldest first, and forgets what is clean.
// Where nothing can be written it stops soon.
func (w *work) flush(ctx context.Context, r *round, serve func()) {
	now := time.Now()
	var due []*entry
	for key, n := range w.pending {
		switch {
		case !n.dirty && n.since == 0:
			delete(w.pending, key)
		case !n.dirty: // and held back
		case w.impatient || !now.Before(n.due):
			due = append(due, n)
		}
	}
	slices.SortFunc(due, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.key, b.key)) })
	for size := parallel; len(due) > 0 && ctx.Err() == nil; size = 8 * parallel {
		some := slices.DeleteFunc(slices.Clone(due[:min(size, len(due))]), func(n *entry) bool {
			return w.pending[n.key] != n || !n.dirty // serve has done it, or it was forgotten
		})
		due = due[min(size, len(due)):]
		w.flushSome(ctx, r, some)
		if r.wrote == 0 && r.tried >= parallel {
			return
		}
		serve()
	}
}

func (w *work) flushSome(ctx context.Context, r *round, some []*entry) {
	errs := inParallel(some, func(n *entry) error { return w.put(ctx, n) })
	for i, n := range some {
		r.tried++
		if w.settle(n, errs[i]); errs[i] != nil {
			r.fail(failure{errs[i], n.requestID})
		} else {
			r.wrote++
		}
	}
}

// write writes one entry now.
func (w *work) write(ctx context.Context, n *entry) error {
	err := w.put(ctx, n)
	w.settle(n, err)
	return err
}

// settle notes how a write ended.
func (w *work) settle(n *entry, err error) {
	switch {
	case err != nil:
		n.wait(err)
	case n.since != 0:
		n.dirty = false
	default:
		n.err = nil
		delete(w.pending, n.key)
		w.watch(n)
	}
}

// wait notes why an entry is to be tried again, and when.
func (n *entry) wait(err error) {
	n.err = err
	n.pause = min(max(2*n.pause, Interval), maxPause)
	n.due = time.Now().Add(n.pause)
}

// put makes the file of an entry what it is to be, or leaves it where another follower
// has made it more than that. Many entries may be put at the same time.
func (w *work) put(ctx context.Context, n *entry) error {
	if passed, err := w.passed(ctx, n); err != nil || passed {
		return err
	}
	var data []byte
	var err error
	switch {
	case n.object != nil:
		data, err = Encode(*n.object)
	case n.namespace != nil:
		data, err = EncodeNamespace(*n.namespace)
	default:
		return w.Store.Delete(ctx, n.key)
	}
	if err != nil {
		return &Unusable{n.key, err}
	}
	return w.Store.Put(ctx, n.key, data)
}

// inParallel does something with each of a list, several at a time, and answers
// the errors in the same order.
func inParallel[T any](list []T, do func(T) error) []error {
	errs := make([]error, len(list))
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(parallel, len(list)) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	return errs
}
