package sidecars

import (
	"context"
	"maps"
	"slices"

	"puddle/journal"
)

// fold makes one event part of the states. After an error it may be folded again:
// what has it already is left as it is.
func (w *work) fold(ctx context.Context, e journal.Event) error {
	switch b := e.Body.(type) {
	case journal.NamespaceCreated:
		return w.change(e, NamespaceKey(b.ID), func(n *entry) error {
			properties := map[string]string{}
			maps.Copy(properties, b.Properties)
			n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Active})
			return nil
		})
	case journal.NamespaceUpdated:
		return w.change(e, NamespaceKey(b.ID), func(n *entry) error {
			properties, err := w.propertiesOf(ctx, n, e, b.ID)
			if err == nil {
				update(properties, b)
				n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Active})
			}
			return err
		})
	case journal.NamespaceDropped:
		return w.change(e, NamespaceKey(b.ID), func(n *entry) error {
			properties, err := w.propertiesOf(ctx, n, e, b.ID)
			if err == nil {
				n.namespace = w.namespace(e, Namespace{ID: b.ID, Name: b.Namespace, Properties: properties, State: Dropped})
			}
			return err
		})
	case journal.TablePurged:
		return w.change(e, Key(b.Table), func(n *entry) error {
			n.object, n.before = nil, ""
			return nil
		})
	}
	for i, m := range e.Moves() {
		err := w.change(e, Key(m.UUID), func(n *entry) error { return w.move(ctx, n, e, i) })
		if err != nil {
			return err
		}
	}
	return nil
}

// change makes the next state of what lies under a key, which was loaded where that
// is needed, unless it holds the event already.
func (w *work) change(e journal.Event, key string, next func(*entry) error) error {
	n := w.entry(key)
	if n.seq >= e.Seq {
		return nil
	}
	if err := next(n); err != nil {
		return err
	}
	n.seq, n.loaded, n.dirty, n.requestID = e.Seq, true, true, e.Cause.RequestID
	return nil
}

// move makes the next state of a table or view.
func (w *work) move(ctx context.Context, n *entry, e journal.Event, i int) error {
	m := e.Moves()[i]
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
