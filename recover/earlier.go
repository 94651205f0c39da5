package recover

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// Earlier is a pointer that an object had.
type Earlier struct {
	At      journal.Position // of the event that made it current
	Pointer journal.Pointer
}

// EarlierOf finds the pointers that objects had, the newest first, in the lineage of a
// warehouse up to the event at until (0: all). It looks through that once, when it is
// first asked for one.
func EarlierOf(of journal.Histories, warehouse uuid.UUID, until journal.Seq) func(context.Context, uuid.UUID) iter.Seq2[Earlier, error] {
	byObject := func(m journal.Move) []byte { return m.UUID[8:] }
	all := &versions{of: of, warehouse: warehouse, key: byObject}
	return func(ctx context.Context, object uuid.UUID) iter.Seq2[Earlier, error] {
		return func(yield func(Earlier, error) bool) {
			for e, err := range all.find(ctx, object[8:]) {
				if err != nil {
					yield(Earlier{}, err)
					return
				}
				for _, m := range e.Moves() {
					if projections.Leads(m) && m.UUID == object && (until == 0 || e.Seq <= until) && !yield(Earlier{e.Position, m.To.Pointer}, nil) {
						return
					}
				}
			}
		}
	}
}

// absent tells whether a file is not there as it was committed.
func absent(err error) bool {
	var refused *catalog.Error
	return errors.As(err, &refused) && (refused.Code == catalog.FileMissing || refused.Code == catalog.Invalid)
}

// goBack registers an object at the newest of its earlier pointers whose file is there,
// or is kept: the current one's is neither. What it had then was committed, and is not
// what was committed last.
func (x *execution) goBack(ctx context.Context, event uuid.UUID, o *PlannedObject, why error) error {
	behind := -1
	for e, err := range x.Earlier(ctx, o.UUID) {
		if err != nil {
			return err
		}
		if behind++; e.Pointer == o.Pointer {
			continue
		}
		back := *o
		back.Pointer, back.MetadataLocation = e.Pointer, e.Pointer.MetadataLocation
		err = x.place(ctx, event, &back)
		if absent(err) {
			continue
		}
		if err != nil {
			return err
		}
		back.Confidence = Inferred
		back.Warnings = append(back.Warnings, fmt.Sprintf("it is brought back as of event %s:%s, %d versions before its last one: %s",
			e.At.Incarnation, e.At.Seq, behind, oneLine(why)))
		*o = back
		return nil
	}
	return fmt.Errorf("%w; of the %d versions before it none is whole", why, max(behind, 0))
}

// wentBack says what an earlier run has made of an object that it has registered: it may
// have gone back.
func (x *execution) wentBack(ctx context.Context, o *PlannedObject) error {
	if x.Earlier == nil || o.Pointer == (journal.Pointer{}) {
		return nil
	}
	held, err := x.Catalog.Reader.Object(ctx, o.Identifier)
	switch {
	case errors.Is(err, projections.ErrNoObject):
		return nil
	case err != nil:
		return err
	case held.UUID == o.UUID && held.Pointer.SHA256 != o.Pointer.SHA256:
		o.Warnings = append(o.Warnings, fmt.Sprintf("an earlier run has brought it back as of %s: its last version, %s, is gone",
			held.Pointer.MetadataLocation, o.MetadataLocation))
		o.Pointer, o.MetadataLocation, o.Confidence = held.Pointer, held.Pointer.MetadataLocation, Inferred
	}
	return nil
}
