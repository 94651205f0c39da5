package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// maxHolders bounds how many of the objects that had a name are looked at, and
// maxTold how many of them a refusal names.
const (
	maxHolders = 100
	maxTold    = 5
)

// Dropped is a table or view that was dropped, as it was then.
type Dropped struct {
	Kind       journal.ObjectKind
	UUID       uuid.UUID
	Identifier journal.Identifier
	Pointer    journal.Pointer
	At         time.Time // of the drop
}

// sight is an object as the journal saw it last.
type sight struct {
	Dropped
	as   fate
	text string // for people: what became of it
}

type fate int

const (
	fateThere fate = iota
	fateDropped
	fateUnregistered
)

// sightOf reads the last step of an object.
func sightOf(last projections.Step) sight {
	m := last.Move
	if m.To != nil {
		return sight{
			Dropped: Dropped{m.Kind, m.UUID, m.To.Identifier, m.To.Pointer, last.At},
			as:      fateThere, text: fmt.Sprintf("%s is %s", m.UUID, m.To.Identifier.Quoted()),
		}
	}
	s := sight{Dropped: Dropped{m.Kind, m.UUID, m.From.Identifier, m.From.Pointer, last.At}, as: fateDropped}
	end := "dropped"
	if last.Kind == journal.KindTableUnregistered {
		s.as, end = fateUnregistered, "unregistered"
	}
	s.text = fmt.Sprintf("%s was %s as %s at %s", m.UUID, end, s.Identifier.Quoted(), last.At.UTC().Format(time.RFC3339))
	return s
}

// sight finds an object of whatever fate. NoSuchTable when the journal has never
// seen it.
func (c *Catalog) sight(ctx context.Context, id uuid.UUID) (sight, error) {
	last, ok, err := c.Reader.LastStep(ctx, id)
	if err != nil {
		return sight{}, reading(err)
	}
	if !ok {
		return sight{}, refuse(NoSuchTable, "The journal has never seen the uuid %s", id)
	}
	return sightOf(last), nil
}

// dropped finds what was dropped by its uuid, however long ago. AlreadyExists when
// it is there; NoSuchTable when the journal does not know of a drop; Unsafe when
// it was unregistered: its files are somebody else's.
func (c *Catalog) dropped(ctx context.Context, id uuid.UUID) (Dropped, error) {
	last, err := c.sight(ctx, id)
	if err != nil {
		return Dropped{}, err
	}
	switch last.as {
	case fateThere:
		return Dropped{}, c.notDropped(ctx, last)
	case fateUnregistered:
		return Dropped{}, refuse(Unsafe, "Nothing was dropped: %s, and its files are somebody else's; to take them over, register %s",
			last.text, last.Pointer.MetadataLocation)
	}
	return last.Dropped, nil
}

// notDropped tells what is there from what an incarnation began without.
func (c *Catalog) notDropped(ctx context.Context, last sight) error {
	object, err := c.Reader.Object(ctx, last.Identifier)
	switch {
	case errors.Is(err, projections.ErrNoObject), err == nil && object.UUID != last.UUID:
		return refuse(NoSuchTable, "Nothing was dropped: %s (%s) is of an earlier incarnation of the catalog; to take it over, register %s",
			last.Identifier.Quoted(), last.UUID, last.Pointer.MetadataLocation)
	case err != nil:
		return reading(err)
	}
	return refuse(AlreadyExists, "Nothing was dropped: %s", last.text)
}

// droppedAs finds what had a name when it was dropped, and can be undropped by it:
// the last first, at least one. The error names the others that the journal knows
// by that name: NoSuchTable, AlreadyExists when one of them has it now.
func (c *Catalog) droppedAs(ctx context.Context, name journal.Identifier) ([]Dropped, error) {
	holders, err := c.Reader.Holders(ctx, name)
	if err != nil {
		return nil, reading(err)
	}
	if len(holders) == 0 {
		return nil, refuse(NoSuchTable, "No table or view ever had the name %s", name.Quoted())
	}
	var found []Dropped
	var others []sight
	for _, holder := range holders[:min(len(holders), maxHolders)] {
		last, err := c.sight(ctx, holder)
		switch {
		case err != nil:
			return nil, err
		case last.as == fateDropped && last.Identifier.Equal(name) && c.Now().Before(last.At.Add(c.DropKeep)):
			found = append(found, last.Dropped)
		default:
			others = append(others, last)
		}
	}
	if len(found) == 0 {
		return nil, c.noneDropped(ctx, name, others)
	}
	return found, nil
}

// noneDropped is the refusal of a name by which nothing can be undropped.
func (c *Catalog) noneDropped(ctx context.Context, name journal.Identifier, others []sight) error {
	code := NoSuchTable
	if _, err := c.Reader.Object(ctx, name); err == nil {
		code = AlreadyExists
	}
	var known []string
	for _, last := range others[:min(len(others), maxTold)] {
		known = append(known, last.text)
	}
	if len(others) > maxTold {
		known = append(known, "and more (puddle history --all lists them)")
	}
	return refuse(code, "Nothing was dropped as %s in the last %s, which is how long a drop can be undone by name; by uuid it can be undone however old it is. The journal knows: %s",
		name.Quoted(), lasting(c.DropKeep), strings.Join(known, ", "))
}

// lasting words a duration as the configuration does: without units that are 0.
func lasting(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}
