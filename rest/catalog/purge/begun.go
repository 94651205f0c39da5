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

// commence has the table forgotten, and writes that its purge has begun, once in a
// process, before its first file is deleted. In this order: a table that can still
// be undropped is found again by its event, and one that cannot is never brought
// back in part.
func (j *Job) commence(ctx context.Context, p projections.Purge, a *attempt) error {
	if a.begun {
		return nil
	}
	if j.Forget != nil {
		if err := j.Forget(ctx, p.Table); err != nil {
			return fmt.Errorf("what it would be recovered by cannot be removed: %w", err)
		}
	}
	if j.Ephemeral {
		a.begun = true
		return nil
	}
	if err := mark.Write(ctx, j.own(), mark.Mark{Table: p.Table, Drop: p.Drop, BegunAt: j.Now()}); err != nil {
		return fmt.Errorf("that it begins cannot be written: %w", err)
	}
	a.begun = true
	return nil
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
