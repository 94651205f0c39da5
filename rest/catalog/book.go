package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/metadata"
)

// Booking is the places of a staged table, which are its own while credentials for them
// are made, and for as long as those live: meanwhile this process refuses whatever would
// give any of them, above or below them, to another object (case 142). It ends when the
// table is made.
type Booking struct {
	Reach    Reach
	bookings *bookings
	booking  *booking // nil: the table is in folders, and needs no credentials
}

// Settle says, once, when the credentials end that were made, or the zero time for none:
// then nothing stays booked that was not before.
func (b Booking) Settle(end time.Time) {
	if b.booking != nil {
		b.bookings.settle(b.booking, end)
	}
}

// Book books the places of a staged table, before any credentials reach them. Who has
// booked them under the same name before follows themselves. AlreadyExists when they are
// not free, or the table was made; Invalid, Unavailable.
func (c *Catalog) Book(ctx context.Context, by journal.Actor, id journal.Identifier, staged Table) (Booking, error) {
	doc, err := decoded(metadata.Parse(staged.Metadata, ""))
	if err != nil {
		return Booking{}, err
	}
	places, err := c.admit(ctx, doc)
	if err != nil {
		return Booking{}, err
	}
	reach, err := c.reach(doc)
	if err != nil || len(reach.Grounds) == 0 {
		return Booking{Reach: reach}, err
	}
	if err := c.unbooked(ctx, id, doc, places, booker{by: by, name: id.Key()}); err != nil {
		return Booking{}, err
	}
	mine, other, err := c.bookings.ask(booking{table: doc.UUID(), by: by, name: id.Key(), places: places, reach: reach}, c.Now(), c.guard.givesAny)
	switch {
	case err != nil:
		return Booking{}, err
	case other != nil:
		return Booking{}, booked(id, doc, other.places[0].Path, *other)
	}
	made := Booking{reach, c.bookings, mine}
	if err := c.unmade(ctx, id, doc, places); err != nil {
		made.Settle(time.Time{})
		return Booking{}, err
	}
	return made, nil
}

// unmade refuses what is recorded by now: the table, or another in its places.
func (c *Catalog) unmade(ctx context.Context, id journal.Identifier, doc version, places []journal.Place) error {
	made, err := c.wasMade(ctx, doc.UUID())
	switch {
	case err != nil:
		return err
	case made:
		return refuse(AlreadyExists, "The table that was staged as %s was made meanwhile", id)
	}
	return c.untaken(ctx, id, doc, places)
}

// BookAgain goes on with what an actor has booked under a name, for new credentials. ok
// is false when nothing is, the table was made, or another got one of its places.
func (c *Catalog) BookAgain(ctx context.Context, by journal.Actor, id journal.Identifier) (again Booking, ok bool, err error) {
	mine := c.bookings.again(by, id.Key(), c.Now())
	if mine == nil {
		return Booking{}, false, nil
	}
	again = Booking{mine.reach, c.bookings, mine}
	gone, err := c.gone(ctx, mine)
	if gone || err != nil {
		again.Settle(time.Time{})
		return Booking{}, false, err
	}
	return again, true, nil
}

// gone tells whether what is booked is recorded by now, in whichever replica.
func (c *Catalog) gone(ctx context.Context, b *booking) (bool, error) {
	made, err := c.wasMade(ctx, b.table)
	if err != nil {
		return false, err
	}
	if made {
		c.bookings.end(journal.Move{UUID: b.table})
		return true, nil
	}
	path, _, err := c.taken(ctx, b.places, b.table)
	return path != "", err
}

// unbooked refuses places that are booked by others.
func (c *Catalog) unbooked(ctx context.Context, id journal.Identifier, doc version, places []journal.Place, who booker) error {
	for _, place := range places {
		other, is, err := c.bookedAt(ctx, place.Path, who)
		if err != nil {
			return err
		}
		if is {
			return booked(id, doc, place.Path, other)
		}
	}
	return nil
}

// bookedAt answers what is booked by others and overlaps a path. What was booked for a
// table that another replica has made is over.
func (c *Catalog) bookedAt(ctx context.Context, path string, who booker) (booking, bool, error) {
	for {
		other, is := c.bookings.at(path, c.Now, who)
		if !is {
			return booking{}, false, nil
		}
		made, err := c.wasMade(ctx, other.table)
		if err != nil || !made {
			return other, true, err
		}
		c.bookings.end(journal.Move{UUID: other.table})
	}
}

// wasMade tells whether a table was ever recorded. Unavailable.
func (c *Catalog) wasMade(ctx context.Context, table uuid.UUID) (bool, error) {
	reader := c.Reader
	if c.past {
		reader = c.present
	}
	_, made, err := reader.LastStep(ctx, table)
	if err != nil {
		return false, reading(err)
	}
	return made, nil
}

// booked words that a place is booked by another.
func booked(id journal.Identifier, doc version, path string, other booking) *Error {
	until := "until " + other.until.UTC().Format(time.RFC3339) + " for a table which was"
	if other.until.IsZero() {
		until = "for a table which is being"
	}
	return refuse(AlreadyExists, "%s of %s is refused: it overlaps a location that is booked %s staged with credentials", asked(doc, path), id, until)
}

// givesAny tells whether somebody gives an object a place that overlaps one of these,
// at this moment.
func (g *guard) givesAny(places []journal.Place) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.occupiers, (&stay{places: places}).overlaps)
}
