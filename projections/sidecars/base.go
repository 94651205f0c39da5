package sidecars

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// load takes the state from the file of an entry, once. A file that nobody can use
// counts as absent. One whose event the lineage does not have, or not for this
// object, proves nothing but where the pointer may have been. Many entries may be
// loaded at the same time.
func (w *work) load(ctx context.Context, n *entry) error {
	if n.loaded {
		return nil
	}
	found, there, err := find(ctx, w.Store, n.key)
	if err != nil {
		return err
	}
	switch {
	case there && found.Object != nil:
		o := *found.Object
		known, err := w.knows(ctx, n.key, o.Extras)
		if err != nil {
			return err
		}
		if n.before = o.MetadataLocation; known {
			n.object, n.seq = &o, o.Seq
		}
	case there && found.Namespace != nil:
		known, err := w.knows(ctx, n.key, found.Namespace.Extras)
		if err != nil {
			return err
		}
		if known {
			n.namespace, n.seq = found.Namespace, found.Namespace.Seq
		}
	}
	n.loaded = true
	switch s := w.seen[n.key]; {
	case s == nil || n.seq >= s.seq:
	case s.gone: // somebody has put back what was purged
		n.object, n.before, n.seq = nil, "", s.seq
	case n.since == 0:
		return &setBack{n.seq + 1}
	}
	return nil
}

// knows tells whether the lineage has the event that a sidecar says it is the state
// after.
func (w *work) knows(ctx context.Context, key string, x Extras) (bool, error) {
	if x.EventID == uuid.Nil {
		return false, nil
	}
	e, found, err := w.From.Find(ctx, x.EventID)
	if err != nil || !found || e.Seq != x.Seq || e.Incarnation != x.Incarnation {
		return false, err
	}
	for touches := range touched(e) {
		if touches == key {
			return true, nil
		}
	}
	return false, nil
}

// touched yields the keys of the sidecars that an event changes, and whether it
// says all that is in them.
func touched(e journal.Event) func(yield func(key string, isWhole bool) bool) {
	return func(yield func(string, bool) bool) {
		switch b := e.Body.(type) {
		case journal.NamespaceCreated:
			yield(NamespaceKey(b.ID), true)
		case journal.NamespaceUpdated:
			yield(NamespaceKey(b.ID), false)
		case journal.NamespaceDropped:
			yield(NamespaceKey(b.ID), false)
		case journal.TablePurged:
			yield(Key(b.Table), true)
		}
		commits := commits(e.Kind())
		for _, m := range e.Moves() {
			if !yield(Key(m.UUID), commits) {
				return
			}
		}
	}
}

// commits tells whether the files of a kind's moves were made from the ones before,
// or are the first.
func commits(kind journal.Kind) bool {
	switch kind {
	case journal.KindTableCreated, journal.KindTablesCommitted, journal.KindViewCreated, journal.KindViewReplaced:
		return true
	}
	return false
}

// locationOf is where a table or view was before an event, which the event does not
// say: by its sidecar, or by its last move.
func (w *work) locationOf(ctx context.Context, n *entry, e journal.Event, id uuid.UUID) (string, error) {
	if n.object != nil {
		return n.object.Location, nil
	}
	for past, err := range w.From.ScanBack(ctx, e.Seq) {
		if err != nil {
			return "", err
		}
		for _, m := range past.Moves() {
			if m.UUID == id && m.To != nil {
				return m.To.Location, nil
			}
		}
	}
	return "", fmt.Errorf("the journal does not say where %s was before %s", id, e.Position)
}

// propertiesOf are those of a namespace before an event: by its sidecar, or by all
// that happened to it.
func (w *work) propertiesOf(ctx context.Context, n *entry, e journal.Event, id uuid.UUID) (map[string]string, error) {
	if n.namespace != nil {
		return maps.Clone(n.namespace.Properties), nil
	}
	var updates []journal.NamespaceUpdated
	for past, err := range w.From.ScanBack(ctx, e.Seq) {
		if err != nil {
			return nil, err
		}
		switch b := past.Body.(type) {
		case journal.NamespaceUpdated:
			if b.ID == id {
				updates = append(updates, b)
			}
		case journal.NamespaceCreated:
			if b.ID != id {
				continue
			}
			properties := map[string]string{}
			maps.Copy(properties, b.Properties)
			for _, u := range slices.Backward(updates) {
				update(properties, u)
			}
			return properties, nil
		}
	}
	return nil, fmt.Errorf("the journal does not say what the namespace %s was before %s", id, e.Position)
}

func update(properties map[string]string, b journal.NamespaceUpdated) {
	for _, key := range b.Removed {
		delete(properties, key)
	}
	maps.Copy(properties, b.Updated)
}

// place is a location as locations are compared.
func place(location string) string {
	l, err := warehouse.ParseLocation(location)
	if err != nil {
		return location
	}
	return strings.TrimSuffix(l.Path(), "/")
}

func samePlace(a, b string) bool { return a == b || place(a) == place(b) }
