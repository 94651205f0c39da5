package sqlite

import (
	"puddle/journal"
	"puddle/projections"
)

// FindNamespace asks once.
func (w *warm) FindNamespace(name journal.Namespace) (projections.Namespace, bool, error) {
	if n, ok := w.namespaces[name.Key()]; ok && n.Name.Equal(name) {
		return n, true, nil
	}
	n, ok, err := w.tables.FindNamespace(name)
	if ok && err == nil {
		w.namespaces[name.Key()] = n
	}
	return n, ok, err
}

// PutNamespace writes.
func (w *warm) PutNamespace(n projections.Namespace) error {
	delete(w.namespaces, n.Name.Key())
	return w.tables.PutNamespace(n)
}

// DropNamespace writes.
func (w *warm) DropNamespace(n projections.Namespace) error {
	delete(w.namespaces, n.Name.Key())
	return w.tables.DropNamespace(n)
}

// Occupied asks SQLite when it knows everything.
func (w *warm) Occupied(name journal.Namespace) (bool, error) {
	if err := w.flush(); err != nil {
		return false, err
	}
	return w.tables.Occupied(name)
}
