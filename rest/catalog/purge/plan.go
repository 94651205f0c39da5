package purge

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/projections"
)

// Item is a file in a plan: one that a purge would remove now, or one that it
// would keep and why.
type Item struct {
	Kind     Kind
	Location string
	Bytes    int64  // of one that would go
	Kept     string // the reason; empty when it would go
}

// Plan yields what a purge would do with every file that it reaches, in its
// order, as things are now; it changes nothing and asks nothing of the Guard.
// Files that are gone are left out. An error is the last thing that it yields:
// what cannot be read or asked now.
func (j *Job) Plan(ctx context.Context, p projections.Purge) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		doc, lost, err := j.document(ctx, p)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if doc == nil {
			yield(Item{Kind: Metadata, Location: p.Pointer.MetadataLocation, Kept: lost}, nil)
			return
		}
		known := unreadable{}
		for _, kind := range kinds {
			for r := range (walk{j.Roots, doc}).reach(ctx, kind) {
				item, there, err := j.plan(ctx, p, kind, r, known)
				if err != nil {
					yield(Item{}, err)
					return
				}
				if there && !yield(item, nil) {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Item{}, err)
		}
	}
}

// plan tells what would become of what was reached; there is false when nothing is
// to be told of it.
func (j *Job) plan(ctx context.Context, p projections.Purge, kind Kind, r reached, known unreadable) (item Item, there bool, err error) {
	item = Item{Kind: kind, Location: r.location}
	switch r.sort {
	case failed:
		return item, false, fmt.Errorf("%s: %w", r.location, r.err)
	case absent:
		return item, false, nil
	case stuck:
		item.Kind, item.Kept = Manifest, r.text
		return item, known.add(r.location), nil
	case note:
		item.Kept = r.text
		return item, true, nil
	}
	if known.holds(r.location) && (kind == Manifest || kind == ManifestList) {
		return item, false, nil
	}
	t, reason := owned(j.Roots, p.Places, r.location)
	if reason != "" {
		item.Kept = reason
		return item, true, nil
	}
	return j.look(ctx, t, item)
}

// look finds out about a file of the table what only the store and the reader know.
func (j *Job) look(ctx context.Context, t target, item Item) (Item, bool, error) {
	holder, held, err := j.Reader.PlaceHolder(ctx, t.path, uuid.Nil)
	if err != nil {
		return item, false, err
	}
	if held {
		item.Kept = heldBy(holder)
		return item, true, nil
	}
	info, err := t.root.Store.Stat(ctx, t.key)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return item, false, nil
	case err != nil && never(err) != "":
		item.Kept = never(err)
		return item, true, nil
	case err != nil:
		return item, false, fmt.Errorf("%s: %w", t.location, err)
	}
	item.Bytes = info.Size
	return item, true, nil
}
