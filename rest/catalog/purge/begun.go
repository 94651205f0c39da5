package purge

import (
	"context"
	"errors"
	"fmt"

	"puddle/internal/warehouse"
	"puddle/projections"
	"puddle/rest/catalog/purge/mark"
)

// own is the store of the warehouse's own root, where marks are.
func (j *Job) own() warehouse.Store { return j.Roots[0].Store }

// commence begins a purge, once in a process, before its first file is deleted: it writes
// that it has begun, and has the table forgotten, in this order. A table that has a mark
// is never undropped, and all of its files are there as long as it can be recovered. It
// answers which of some files are to go after that: what others decided before they could
// see the mark is seen by now.
func (b *batch) commence(ctx context.Context, targets []target) ([]target, error) {
	j, p := b.job, b.purge
	if !j.Ephemeral {
		if err := mark.Write(ctx, j.own(), mark.Mark{Table: p.Table, Drop: p.Drop, BegunAt: j.Now()}); err != nil {
			return nil, fmt.Errorf("that it begins cannot be written: %w", err)
		}
	}
	if j.Fence != nil {
		if err := j.Fence(ctx); err != nil {
			return nil, fmt.Errorf("whether others know that it begins cannot be told: %w", err)
		}
		var err error
		if targets, err = b.mine(ctx, targets); err != nil {
			return nil, err
		}
	}
	if j.Forget != nil {
		if err := j.Forget(ctx, p.Table); err != nil {
			return nil, fmt.Errorf("what it would be recovered by cannot be removed: %w", err)
		}
	}
	b.attempt.begun = true
	return targets, nil
}

// unmark removes the mark of a purge that is over. When that fails it stays until
// the next start: nobody looks for it any more.
func (j *Job) unmark(ctx context.Context, p projections.Purge) {
	if !j.Ephemeral {
		_ = mark.Remove(ctx, j.own(), p.Drop)
	}
}

// sweep removes the marks of closed purges that an end of the process left. What
// cannot be asked or removed now waits for the next start.
func (j *Job) sweep(ctx context.Context) {
	if j.Ephemeral {
		return
	}
	for m, err := range mark.All(ctx, j.own()) {
		if err != nil {
			return
		}
		p := projections.Purge{Table: m.Table, Drop: m.Drop}
		if errors.Is(j.wanted(ctx, p), errClosed) {
			j.unmark(ctx, p)
		}
	}
}
