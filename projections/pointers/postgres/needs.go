package postgres

import (
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// needs are the rows that a fold will ask for. What it leaves out is asked for later,
// one by one: it decides what a transaction costs, and nothing else.
type needs struct {
	namespaces, occupied       []journal.Namespace
	ids, objects, purges, ends []uuid.UUID
	names                      []journal.Identifier
	places                     []string
}

// add adds what an event with that body will ask for.
func (n *needs) add(body journal.Body) {
	switch b := body.(type) {
	case journal.NamespaceCreated:
		n.namespaces = append(n.namespaces, b.Namespace)
		if parent := b.Namespace.Parent(); !parent.IsRoot() {
			n.namespaces = append(n.namespaces, parent)
		}
		n.ids = append(n.ids, b.ID)
	case journal.NamespaceUpdated:
		n.namespaces = append(n.namespaces, b.Namespace)
	case journal.NamespaceDropped:
		n.namespaces, n.occupied = append(n.namespaces, b.Namespace), append(n.occupied, b.Namespace)
	case journal.TablePurged:
		n.purges = append(n.purges, b.Table)
	case journal.HistoryImported:
		for _, step := range b.Steps {
			n.objects, n.ends = append(n.objects, step.Move.UUID), append(n.ends, step.Move.UUID)
		}
	default:
		for _, m := range (journal.Event{Body: body}).Moves() {
			n.move(m)
		}
	}
}

func (n *needs) move(m journal.Move) {
	n.objects = append(n.objects, m.UUID)
	if projections.Names(m) {
		n.namespaces, n.names = append(n.namespaces, m.To.Identifier.Namespace), append(n.names, m.To.Identifier)
	}
	if m.From != nil || m.To == nil {
		return // most places are as they were
	}
	for _, p := range m.To.Places {
		n.places = append(n.places, p.Path)
	}
	n.purges = append(n.purges, m.UUID) // it may come back
}
