package verify

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// maxDifferences bounds what is told of tables that are another catalog's.
const maxDifferences = 100

// differing tells what two moments at one position do not have in common.
type differing struct {
	run *run
	at  journal.Position
	n   int
}

func (d *differing) tell(message string, args ...any) {
	if d.n++; d.n <= maxDifferences {
		d.run.differ(d.at, fmt.Sprintf(message, args...))
	}
}

// end tells how many more there are.
func (d *differing) end() {
	if d.n > maxDifferences {
		d.run.differ(d.at, fmt.Sprintf("and %d more differences", d.n-maxDifferences))
	}
}

// compare walks what the journal says, and what the tables hold.
func (d *differing) compare(says, hold projections.Moment) error {
	name, location := says.About()
	heldName, heldLocation := hold.About()
	if name != heldName || location != heldLocation {
		d.tell("they hold the warehouse as %s at %s, the journal says %s at %s", heldName, heldLocation, name, location)
	}
	err := merge(d, says.Namespaces(), hold.Namespaces(),
		func(a, b projections.Namespace) int { return strings.Compare(a.Name.Key(), b.Name.Key()) },
		func(n projections.Namespace) string { return fmt.Sprintf("namespace %s (%s)", n.Name, n.ID) })
	if err == nil {
		err = merge(d, says.Objects(), hold.Objects(),
			func(a, b projections.HeldObject) int { return byUUID(a.UUID, b.UUID) },
			func(o projections.HeldObject) string {
				return fmt.Sprintf("%s %s (%s)", o.Kind, o.Identifier.Quoted(), o.UUID)
			})
	}
	if err == nil {
		err = merge(d, says.Purges(), hold.Purges(),
			func(a, b projections.Purge) int { return byUUID(a.Table, b.Table) },
			func(p projections.Purge) string { return fmt.Sprintf("the purge of %s", p.Table) })
	}
	if err == nil {
		err = merge(d, says.Steps(), hold.Steps(), byStep,
			func(s projections.Step) string { return fmt.Sprintf("the step of %s at %s", s.Move.UUID, s.Seq) })
	}
	return err
}

func byUUID(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) }

func byStep(a, b projections.Step) int {
	return cmp.Or(byUUID(a.Move.UUID, b.Move.UUID), cmp.Compare(a.Seq, b.Seq))
}

// tablesError is an error of reading the pointer tables, not the fold.
type tablesError struct{ error }

func (e *tablesError) Unwrap() error { return e.error }

// merge walks two ordered lists and tells what is in one alone, or in both and not
// the same.
func merge[T any](d *differing, says, hold iter.Seq2[T, error], compare func(a, b T) int, name func(T) string) error {
	nextSaid, stop := iter.Pull2(says)
	defer stop()
	nextHeld, stopHeld := iter.Pull2(hold)
	defer stopHeld()
	said, err, more := nextSaid()
	held, heldErr, moreHeld := nextHeld()
	for more || moreHeld {
		switch {
		case err != nil:
			return err
		case heldErr != nil:
			return &tablesError{heldErr}
		}
		var order int
		switch {
		case !moreHeld:
			order = -1
		case !more:
			order = 1
		default:
			order = compare(said, held)
		}
		switch {
		case order < 0:
			d.tell("they lack %s", name(said))
		case order > 0:
			d.tell("they hold %s, which the journal does not know", name(held))
		case !reflect.DeepEqual(said, held):
			d.tell("%s: %s", name(said), fields(reflect.ValueOf(said), reflect.ValueOf(held)))
		}
		if order <= 0 {
			said, err, more = nextSaid()
		}
		if order >= 0 {
			held, heldErr, moreHeld = nextHeld()
		}
	}
	return nil
}

// fields words the first field that differs.
func fields(says, holds reflect.Value) string {
	for i := range says.NumField() {
		a, b := says.Field(i), holds.Field(i)
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			continue
		}
		if a.Kind() == reflect.Struct && says.Type().Field(i).Anonymous {
			return fields(a, b)
		}
		return fmt.Sprintf("their %s is %+v, the journal says %+v", strings.ToLower(says.Type().Field(i).Name), b.Interface(), a.Interface())
	}
	return "they are not the same"
}
