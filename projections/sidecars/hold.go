package sidecars

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// holdBack goes on without an entry whose state cannot be made, because its file or
// another one cannot be read: it is tried again, from the event at since on. Where
// nothing can be read at all the error comes back instead, and nothing goes on.
func (w *work) holdBack(ctx context.Context, n *entry, since journal.Seq, why failure) error {
	if ctx.Err() != nil || !w.alive(ctx) {
		return &why
	}
	n.since, n.requestID = since, why.requestID
	n.wait(why.err)
	w.held = append(w.held, why)
	return nil
}

// alive tells whether the store answers.
func (w *work) alive(ctx context.Context) bool {
	_, err := w.Store.Stat(ctx, cursorKey)
	return err == nil || errors.Is(err, warehouse.ErrNotFound)
}

// resume tries the entries that are held back and due, and folds what they lack, which
// takes one reading of the journal for all.
func (w *work) resume(ctx context.Context) error {
	now := time.Now()
	var due []*entry
	for _, n := range w.pending {
		if n.since != 0 && (w.impatient || !now.Before(n.due)) {
			due = append(due, n)
		}
	}
	if len(due) == 0 {
		return nil
	}
	slices.SortFunc(due, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.key, b.key)) })
	errs := inParallel(due, func(n *entry) error { return w.load(ctx, n) })
	since := map[string]journal.Seq{}
	for i, n := range due {
		if errs[i] == nil {
			since[n.key] = n.since
		} else if err := w.holdBack(ctx, n, n.since, failure{errs[i], n.requestID}); err != nil {
			return err
		}
	}
	for key := range since {
		w.pending[key].since = 0
	}
	err := w.refold(ctx, since)
	if err != nil {
		for key, was := range since {
			w.pending[key].since = was
		}
	}
	return err
}

// refold folds the events that were read while entries were held back.
func (w *work) refold(ctx context.Context, since map[string]journal.Seq) error {
	if len(since) == 0 {
		return nil
	}
	first := w.read.Seq
	for _, at := range since {
		first = min(first, at)
	}
	for e, err := range w.From.Scan(ctx, first-1) {
		if err != nil || e.Seq > w.read.Seq {
			return err
		}
		if err := w.fold(ctx, e, func(key string) bool { return since[key] != 0 && since[key] <= e.Seq }); err != nil {
			return err
		}
	}
	return nil
}
