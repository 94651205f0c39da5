package verify

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"puddle/projections"
)

// differences tells what two dumps of one position do not have in common: what the
// journal says, and what the tables hold.
func differences(says, hold projections.Dump, tell func(string)) {
	if says.Name != hold.Name || says.Location != hold.Location {
		tell(fmt.Sprintf("they hold the warehouse as %s at %s, the journal says %s at %s", hold.Name, hold.Location, says.Name, says.Location))
	}
	merge(says.Namespaces, hold.Namespaces,
		func(a, b projections.Namespace) int { return strings.Compare(a.Name.Key(), b.Name.Key()) },
		func(n projections.Namespace) string { return fmt.Sprintf("namespace %s (%s)", n.Name, n.ID) }, tell)
	merge(says.Objects, hold.Objects,
		func(a, b projections.HeldObject) int { return byUUID(a.UUID, b.UUID) },
		func(o projections.HeldObject) string {
			return fmt.Sprintf("%s %s (%s)", o.Kind, o.Identifier.Quoted(), o.UUID)
		}, tell)
	merge(says.Purges, hold.Purges,
		func(a, b projections.Purge) int { return byUUID(a.Table, b.Table) },
		func(p projections.Purge) string { return fmt.Sprintf("the purge of %s", p.Table) }, tell)
	merge(says.Steps, hold.Steps, byStep,
		func(s projections.Step) string {
			return fmt.Sprintf("the step of %s at %s", s.Move.UUID, s.Seq)
		}, tell)
}

func byUUID(a, b uuid.UUID) int { return strings.Compare(string(a[:]), string(b[:])) }

func byStep(a, b projections.Step) int {
	return cmp.Or(byUUID(a.Move.UUID, b.Move.UUID), cmp.Compare(a.Seq, b.Seq))
}

// merge walks two ordered lists and tells what is in one alone, or in both and not
// the same.
func merge[T any](says, hold []T, compare func(a, b T) int, name func(T) string, tell func(string)) {
	for len(says) > 0 || len(hold) > 0 {
		var order int
		switch {
		case len(hold) == 0:
			order = -1
		case len(says) == 0:
			order = 1
		default:
			order = compare(says[0], hold[0])
		}
		switch {
		case order < 0:
			tell("they lack " + name(says[0]))
			says = says[1:]
		case order > 0:
			tell("they hold " + name(hold[0]) + ", which the journal does not know")
			hold = hold[1:]
		default:
			if !reflect.DeepEqual(says[0], hold[0]) {
				tell(fmt.Sprintf("%s: %s", name(says[0]), fields(reflect.ValueOf(says[0]), reflect.ValueOf(hold[0]))))
			}
			says, hold = says[1:], hold[1:]
		}
	}
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
