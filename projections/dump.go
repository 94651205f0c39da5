package projections

import (
	"context"
	"errors"
	"iter"

	"puddle/journal"
)

// Dump is everything a projection of pointers holds of a warehouse at one
// moment, in one order: two projections are equal when their dumps are.
type Dump struct {
	Cursor     journal.Position
	Name       string // of the warehouse
	Location   string
	Namespaces []Namespace  // ascending by Key of the name
	Objects    []HeldObject // ascending by uuid
	Purges     []Purge      // pending and done, ascending by the table's uuid
	Steps      []Step       // ascending by uuid, those of one as they happened
}

// HeldObject is an object with its places, or what a dropped one was: a dropped
// one owns no place.
type HeldObject struct {
	Object
	Dropped bool
	Places  []journal.Place // ascending by path
}

// Dumper tells everything it holds, for a comparison.
type Dumper interface {
	// Dump is consistent: of one moment, also beside writes. It costs as much
	// memory as the warehouse has history.
	Dump(ctx context.Context) (Dump, error)
	// Moment opens what a Dump would hold at this moment.
	Moment(ctx context.Context) (Moment, error)
}

// Dump walks what is held.
func (s *State) Dump(ctx context.Context) (Dump, error) {
	m, err := s.Moment(ctx)
	if err != nil {
		return Dump{}, err
	}
	return Gather(m)
}

// Gather makes the Dump of a moment, and closes it.
func Gather(m Moment) (d Dump, err error) {
	d.Cursor = m.Cursor()
	d.Name, d.Location = m.About()
	return d, errors.Join(
		gather(&d.Namespaces, m.Namespaces()), gather(&d.Objects, m.Objects()),
		gather(&d.Purges, m.Purges()), gather(&d.Steps, m.Steps()), m.Close())
}

func gather[P any](all *[]P, parts iter.Seq2[P, error]) error {
	for part, err := range parts {
		if err != nil {
			return err
		}
		*all = append(*all, part)
	}
	return nil
}
