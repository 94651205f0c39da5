package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
)

// unheld looks whether the places of a version are free for it, so that nothing is
// ever written where another object is. It promises nothing: the recorder decides.
// What those with it hold, which change in the same event, is left to the recorder
// as well. AlreadyExists, Unavailable.
func (c *Catalog) unheld(ctx context.Context, id journal.Identifier, doc version, places []journal.Place, with ...uuid.UUID) error {
	if err := c.untaken(ctx, id, doc, places, with...); err != nil {
		return err
	}
	return c.unbooked(ctx, id, doc, places, booker{tables: append(slices.Clip(with), doc.UUID())})
}

// untaken refuses places that are recorded for others than those with it.
func (c *Catalog) untaken(ctx context.Context, id journal.Identifier, doc version, places []journal.Place, with ...uuid.UUID) error {
	path, holder, err := c.taken(ctx, places, doc.UUID(), with...)
	if path != "" {
		return overlapping(id, doc, path, holder)
	}
	return err
}

// taken answers which of a table's places is recorded for another, and for whom; none is
// empty. Unavailable.
func (c *Catalog) taken(ctx context.Context, places []journal.Place, table uuid.UUID, with ...uuid.UUID) (path string, holder uuid.UUID, err error) {
	for _, place := range places {
		holder, taken, err := c.Reader.PlaceHolder(ctx, place.Path, table)
		if err != nil {
			return "", uuid.Nil, reading(err)
		}
		if taken && !slices.Contains(with, holder) {
			return place.Path, holder, nil
		}
	}
	return "", uuid.Nil, nil
}

// outdone turns the recorder's refusal of a place into an answer in the words of
// the version that asked for it, one of these. Other errors stay as they are.
func outdone(err error, of ...version) error {
	var conflict *projections.Conflict
	if !errors.As(err, &conflict) || conflict.Kind != projections.PlaceTaken {
		return err
	}
	for _, doc := range of {
		if doc.UUID() == conflict.UUID {
			return overlapping(conflict.Identifier, doc, conflict.Path, conflict.Holder)
		}
	}
	return err
}

// overlapping words that a version asks for a place which is another object's, or
// above or below one of its.
func overlapping(id journal.Identifier, doc version, path string, holder uuid.UUID) *Error {
	return refuse(AlreadyExists, "%s of %s is refused: it overlaps a location of another table or view (%s), and no two share or nest locations",
		asked(doc, path), id, holder)
}

// asked is how a version asks for a place, which it does.
func asked(doc version, path string) string {
	for role, location := range owned(doc) {
		l, err := warehouse.ParseLocation(location)
		if err != nil {
			continue
		}
		if l.Path() == path {
			return fmt.Sprintf("%s %q", role, location)
		}
		if cut, ok := l.Cut(); ok && cut.Path() == path {
			return fmt.Sprintf(`%s %q, which clients that end a path at "?" or "#" take for %q,`, role, location, cut)
		}
	}
	return fmt.Sprintf("Location %q", path)
}

// samePlaces tells that a version owns what the one before it did, spelled alike.
func samePlaces(before, after version) bool {
	if before.Location() != after.Location() {
		return false
	}
	return !slices.ContainsFunc(placeProperties, func(property string) bool {
		was, had := before.Property(property)
		is, has := after.Property(property)
		return was != is || had != has
	})
}
