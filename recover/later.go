package recover

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/sidecars"
)

// WithLater is a plan from events that end at a position, with what a plan from sidecars
// says of later: an archive lags, a journal was torn or rolled back. A sidecar that an
// event after the position wrote is believed, whether it says active or dropped; so is a
// file that descends from the one the events ended with, which a commit in that gap may
// have written. What they say is inferred.
func WithLater(ctx context.Context, base, beside Plan, store warehouse.Reader, end journal.Position) (Plan, error) {
	later, err := laterSidecars(ctx, store, end)
	if err != nil {
		return Plan{}, err
	}
	m := merge{plan: base, at: map[uuid.UUID]int{}, held: map[string]int{}}
	for i, o := range m.plan.Objects {
		m.at[o.UUID] = i
	}
	for i, n := range m.plan.Namespaces {
		m.held[n.Name.Key()] = i
	}
	for _, n := range beside.Namespaces {
		if n.ID != uuid.Nil && later[n.ID] {
			m.namespace(n)
		}
	}
	for _, o := range beside.Objects {
		switch {
		case later[o.UUID]:
			m.object(o, beside.Namespaces)
		case o.Outcome == Recovered && o.Evidence == ByDescendants && m.has(o.UUID):
			m.further(o)
		}
	}
	m.settleNames(later)
	m.strangers(beside.Unregistered)
	m.plan.NotUsed, m.plan.Unseen = beside.NotUsed, beside.Unseen
	m.plan.order()
	return m.plan, nil
}

// laterSidecars are the uuids and ids whose sidecars are of events after a position.
func laterSidecars(ctx context.Context, store warehouse.Reader, end journal.Position) (map[uuid.UUID]bool, error) {
	later := map[uuid.UUID]bool{}
	for found, err := range sidecars.List(ctx, store) {
		switch {
		case err != nil && found.Key == "":
			return nil, err
		case found.Object != nil && found.Object.Seq > end.Seq:
			later[found.Object.UUID] = true
		case found.Namespace != nil && found.Namespace.Seq > end.Seq:
			later[found.Namespace.ID] = true
		}
	}
	return later, nil
}

// merge is a plan that changes.
type merge struct {
	plan Plan
	at   map[uuid.UUID]int // objects
	held map[string]int    // namespaces, by key
}

// has tells whether the events leave an object: one that they dropped stays dropped.
func (m *merge) has(id uuid.UUID) bool {
	i, ok := m.at[id]
	return ok && m.plan.Objects[i].Outcome == Recovered
}

func (m *merge) namespace(n PlannedNamespace) {
	if i, ok := m.held[n.Name.Key()]; ok {
		m.plan.Namespaces[i] = n
		return
	}
	m.held[n.Name.Key()] = len(m.plan.Namespaces)
	m.plan.Namespaces = append(m.plan.Namespaces, n)
}

// object takes one in, with the namespaces that it needs.
func (m *merge) object(o PlannedObject, namespaces []PlannedNamespace) {
	for _, n := range namespaces {
		if _, ok := m.held[n.Name.Key()]; !ok && o.Outcome == Recovered && within(o.Identifier.Namespace, n.Name) {
			m.namespace(n)
		}
	}
	if i, ok := m.at[o.UUID]; ok {
		m.plan.Objects[i] = o
		return
	}
	m.at[o.UUID] = len(m.plan.Objects)
	m.plan.Objects = append(m.plan.Objects, o)
}

// further has an object go on to a file that descends from its own. Its name is what the
// events say: the sidecar that led there is older.
func (m *merge) further(o PlannedObject) {
	held := &m.plan.Objects[m.at[o.UUID]]
	o.Identifier = held.Identifier
	*held = o
}

// strangers takes in the files that no sidecar has. What the events know is none, also where
// it was killed before its sidecar was written; of a file later than theirs it is warned.
func (m *merge) strangers(all []Unregistered) {
	for _, u := range all {
		i, known := m.at[u.UUID]
		if !known {
			m.plan.Unregistered = append(m.plan.Unregistered, u)
			continue
		}
		if o := &m.plan.Objects[i]; o.Outcome == Recovered && !sameLocation(o.MetadataLocation, u.Newest) {
			o.Warnings = append(o.Warnings, u.Newest+" is newer, and neither an event nor a sidecar tells whether it was committed; look at it, and see puddle repoint --newest")
		}
	}
}

// within tells whether a namespace is another one or below it.
func within(n, other journal.Namespace) bool {
	return len(n) >= len(other) && n[:len(other)].Equal(other)
}

// settleNames gives a name that two objects have to the one that is later.
func (m *merge) settleNames(later map[uuid.UUID]bool) {
	holder := map[string]uuid.UUID{}
	for _, o := range m.plan.Objects {
		if o.Outcome == Recovered && later[o.UUID] {
			holder[o.Identifier.Key()] = o.UUID
		}
	}
	for i := range m.plan.Objects {
		o := &m.plan.Objects[i]
		if id, ok := holder[o.Identifier.Key()]; ok && id != o.UUID && o.Outcome == Recovered {
			o.Outcome, o.Err = Failed, fmt.Errorf("%w: %s has it since", errNameTaken, id)
		}
	}
}

var errNameTaken = errors.New("its name was given to another object later")
