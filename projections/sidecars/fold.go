package sidecars

import (
	"context"
	"maps"
	"slices"

	"puddle/journal"
)

// change is how an event changes what lies under a key.
type change struct {
	key  string
	next func(*entry) error
}

// changes are those that an event makes.
func (w *work) changes(ctx context.Context, e journal.Event) []change {
	switch b := e.Body.(type) {
	case journal.NamespaceCreated:
		return []change{{NamespaceKey(b.ID), func(n *entry) error {
			properties := map[string]string{}
			maps.Copy(properties, b.Properties)
			n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Active})
			return nil
		}}}
	case journal.NamespaceUpdated:
		return []change{{NamespaceKey(b.ID), func(n *entry) error {
			properties, err := w.propertiesOf(ctx, n, e, b.ID)
			if err == nil {
				update(properties, b)
				n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Active})
			}
			return err
		}}}
	case journal.NamespaceDropped:
		return []change{{NamespaceKey(b.ID), func(n *entry) error {
			properties, err := w.propertiesOf(ctx, n, e, b.ID)
			if err == nil {
				n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Dropped})
			}
			return err
		}}}
	case journal.TablePurged:
		return []change{{Key(b.Table), func(n *entry) error {
			n.object, n.before = nil, ""
			return nil
		}}}
	}
	moves := e.Moves()
	all := make([]change, len(moves))
	for i, m := range moves {
		all[i] = change{Key(m.UUID), func(n *entry) error { return w.move(ctx, n, e, i) }}
	}
	return all
}

// fold makes one event part of the states, where a key is wanted. After an error it
// may be folded again: what has it already is left as it is, and so is what is held back.
func (w *work) fold(ctx context.Context, e journal.Event, wanted func(key string) bool) error {
	for _, c := range w.changes(ctx, e) {
		if !wanted(c.key) {
			continue
		}
		n := w.entry(c.key)
		if n.seq >= e.Seq || n.since != 0 {
			continue
		}
		err := c.next(n)
		if n.startOver(err) {
			continue
		}
		if err != nil {
			if err := w.holdBack(ctx, n, e.Seq, failure{err, e.Cause.RequestID}); err != nil {
				return err
			}
			continue
		}
		n.seq, n.loaded, n.dirty, n.requestID = e.Seq, true, true, e.Cause.RequestID
	}
	return nil
}

// move makes the next state of a table or view.
func (w *work) move(ctx context.Context, n *entry, e journal.Event, i int) error {
	m := e.Moves()[i]
	if err := n.follows(m); err != nil {
		return err
	}
	next := Object{
		Kind: m.Kind, Warehouse: w.Name, UUID: m.UUID, Identifier: m.Identifier(), State: Active, UpdatedAt: e.At, Extras: w.extras(e),
	}
	var pointer journal.Pointer
	if m.To != nil {
		pointer, next.Location = m.To.Pointer, m.To.Location
	} else {
		var err error
		if next.Location, err = w.locationOf(ctx, n, e, m.UUID); err != nil {
			return err
		}
		pointer, next.State = m.From.Pointer, Dropped
	}
	next.MetadataLocation, next.SHA256, next.Size = pointer.MetadataLocation, pointer.SHA256, pointer.Size
	if !commits(e.Kind()) {
		if err := w.carry(ctx, n, e, i, &next); err != nil {
			return err
		}
	}
	n.object = &next
	return nil
}

// carry takes over what the state before says of files that are no history. It
// stays as long as the pointer does, and where the pointer is moved by somebody's
// decision, what it leaves is added.
func (w *work) carry(ctx context.Context, n *entry, e journal.Event, i int, next *Object) error {
	before := n.before
	if n.object != nil {
		before, next.Abandoned = n.object.MetadataLocation, n.object.Abandoned
	} else if from := e.Moves()[i].From; from != nil {
		before = from.Pointer.MetadataLocation
	}
	switch {
	case before == "" || next.Kind == journal.View: // which have no metadata log
	case samePlace(before, next.MetadataLocation):
		if n.object != nil {
			next.Unconfirmed = n.object.Unconfirmed
		}
	default:
		abandoned, err := w.abandon(ctx, e, i, before, next.Abandoned)
		next.Abandoned = newest(abandoned, maxListed)
		return err
	}
	return nil
}

func (w *work) namespace(e journal.Event, n Namespace) *Namespace {
	n.Warehouse, n.UpdatedAt, n.Extras = w.Name, e.At, w.extras(e)
	return &n
}

func (w *work) extras(e journal.Event) Extras {
	return Extras{WarehouseID: w.ID, Incarnation: e.Incarnation, Seq: e.Seq, EventID: e.ID}
}

// newest are at most so many of a list, the last ones, as a list of its own.
func newest[T any](list []T, most int) []T {
	return slices.Clone(list[max(0, len(list)-most):])
}
