package archive

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Archive is what a warehouse keeps of its journal. It sees the segments that were
// there when it was opened. Safe for concurrent use.
type Archive struct {
	store warehouse.Reader
	id    uuid.UUID
	all   []*incarnation // ordered by their first seq
	cache cache

	sparing *sparing // nil: what is damaged is an error
}

var _ journal.Histories = (*Archive)(nil)

// incarnation is what is held of one.
type incarnation struct {
	id       uuid.UUID
	segments []listed // ascending; at least one
	end      journal.Position
	start    journal.Event // the first
	parent   *journal.Position
}

// first is the first event.
func (i *incarnation) first() journal.Seq { return i.segments[0].first }

// Open lists an archive and reads the ends of its incarnations. ErrNone when there
// is none. An incarnation whose first segment or the header of whose last one is
// damaged is *Damage; what is wrong elsewhere shows when it is read. ErrNewer and
// the store's errors.
func Open(ctx context.Context, store warehouse.Reader) (*Archive, error) {
	return openBelow(ctx, store, Folder)
}

// openBelow is Open of the incarnations below a folder.
func openBelow(ctx context.Context, store warehouse.Reader, folder string) (*Archive, error) {
	all, err := listSegments(ctx, store, folder)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrNone
	}
	a := &Archive{store: store, cache: newCache()}
	for id, segments := range all {
		i := &incarnation{id: id, segments: segments}
		if err := a.open(ctx, i); err != nil {
			return nil, err
		}
		a.all = append(a.all, i)
	}
	slices.SortFunc(a.all, func(x, y *incarnation) int {
		return cmp.Or(cmp.Compare(x.first(), y.first()), x.start.At.Compare(y.start.At), bytes.Compare(x.id[:], y.id[:]))
	})
	return a, nil
}

// open reads the ends of an incarnation.
func (a *Archive) open(ctx context.Context, i *incarnation) error {
	first, err := a.segment(ctx, i.id, i.first())
	if err != nil {
		return err
	}
	a.id = first.Warehouse
	if err := a.begin(i, first); err != nil {
		return err
	}
	i.end, _, err = walk(ctx, a.store, i.id, i.segments[len(i.segments)-1].first)
	return err
}

// begin learns from the first segment of an incarnation how that began.
func (a *Archive) begin(i *incarnation, first *segment) (err error) {
	if i.start, err = first.event(first.First.Seq); err != nil {
		return err
	}
	started, ok := i.start.Body.(journal.IncarnationStarted)
	if !ok || first.Prev != journal.Genesis(a.id, i.id) {
		return first.damage(first.First.Seq, "the first event that is there does not start the incarnation")
	}
	i.parent = started.Parent
	return nil
}

// ID is that of the warehouse of which the archive is.
func (a *Archive) ID() uuid.UUID { return a.id }

// current is the incarnation that was begun last.
func (a *Archive) current() *incarnation { return a.all[len(a.all)-1] }

// Warehouse implements journal.Histories: it reads the incarnation that was begun
// last.
func (a *Archive) Warehouse(id uuid.UUID) journal.Reader {
	if id != a.id {
		return reader{a: a, warehouse: id}
	}
	return reader{a, id, a.current()}
}

// Incarnations implements journal.Histories.
func (a *Archive) Incarnations(ctx context.Context, warehouse uuid.UUID) (all []journal.Incarnation, err error) {
	if warehouse != a.id {
		return nil, ctx.Err()
	}
	for _, i := range a.all {
		all = append(all, journal.Incarnation{ID: i.id, First: i.first(), Head: i.end, Parent: i.parent, Current: i == a.current()})
	}
	return all, ctx.Err()
}

// Incarnation implements journal.Histories.
func (a *Archive) Incarnation(warehouse, id uuid.UUID) journal.Reader {
	for _, i := range a.all {
		if warehouse == a.id && i.id == id {
			return reader{a, warehouse, i}
		}
	}
	return reader{a: a, warehouse: warehouse}
}
