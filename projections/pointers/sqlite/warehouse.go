package sqlite

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// warehouse answers for one warehouse of a DB.
type warehouse struct {
	db *DB
	id uuid.UUID
}

// Name is "pointers".
func (w *warehouse) Name() string { return "pointers" }

// Apply takes a batch in one transaction.
func (w *warehouse) Apply(ctx context.Context, events ...journal.Event) error {
	return w.write(ctx, func(t *tx) error {
		for _, e := range events {
			if e.Warehouse != w.id {
				_, err := projections.Follows(w.id, journal.Position{}, e)
				return err
			}
			if err := t.fold(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Reset deletes the rows of the warehouse.
func (w *warehouse) Reset(ctx context.Context) error {
	return w.write(ctx, func(t *tx) error {
		on, cursor, err := writing(t.db.writer, w.id)
		if err != nil || cursor.IsZero() {
			return err // where there is no cursor all was forgotten
		}
		return on.forgetAll()
	})
}

func (w *warehouse) write(ctx context.Context, change func(*tx) error) error {
	t, err := w.db.begin(ctx)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := change(t); err != nil {
		return err
	}
	return t.Commit()
}

// read asks the tables as they are committed.
func read[V any](ctx context.Context, w *warehouse, ask func(*tables) (V, error)) (v V, err error) {
	err = w.db.read(ctx, func(s *session) error {
		v, err = ask(&tables{session: s, id: w.id})
		return err
	})
	return v, err
}

// Cursor reads the cursor.
func (w *warehouse) Cursor(ctx context.Context) (journal.Position, error) {
	return read(ctx, w, (*tables).cursor)
}

// Namespace finds one.
func (w *warehouse) Namespace(ctx context.Context, name journal.Namespace) (projections.Namespace, error) {
	return read(ctx, w, func(t *tables) (projections.Namespace, error) { return t.namespace(name) })
}

func (t *tables) namespace(name journal.Namespace) (projections.Namespace, error) {
	n, ok, err := t.FindNamespace(name)
	if err == nil && !ok {
		err = projections.ErrNoNamespace
	}
	return n, err
}

// Children lists the names of a namespace's children.
func (w *warehouse) Children(ctx context.Context, parent journal.Namespace, page projections.Page) ([]string, error) {
	return read(ctx, w, func(t *tables) ([]string, error) {
		if parent.IsRoot() {
			return t.childNames(uuid.Nil, page)
		}
		n, err := t.namespace(parent)
		if err != nil {
			return nil, err
		}
		return t.childNames(n.ID, page)
	})
}

// Object is one query.
func (w *warehouse) Object(ctx context.Context, id journal.Identifier) (projections.Object, error) {
	return read(ctx, w, func(t *tables) (projections.Object, error) {
		o, ok, err := t.NameHolder(id)
		if err == nil && !ok {
			err = projections.ErrNoObject
		}
		return o, err
	})
}

// Objects lists the names of a namespace's live objects of a kind.
func (w *warehouse) Objects(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	return read(ctx, w, func(t *tables) ([]string, error) {
		return t.objectNames(in, kind, page)
	})
}

// Places are what a live object owns.
func (w *warehouse) Places(ctx context.Context, object uuid.UUID) ([]journal.Place, error) {
	return read(ctx, w, func(t *tables) ([]journal.Place, error) {
		o, _, err := t.FindObject(object)
		return o.Places, err
	})
}

// PlaceHolder finds who has a place that overlaps the path.
func (w *warehouse) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (holder uuid.UUID, ok bool, err error) {
	err = w.db.read(ctx, func(s *session) error {
		holder, ok, err = (&tables{session: s, id: w.id}).PlaceHolder(projections.PlacePath(path), except)
		return err
	})
	return holder, ok, err
}

// Purges lists the pending ones.
func (w *warehouse) Purges(ctx context.Context, after journal.Seq, limit int) ([]projections.Purge, error) {
	return read(ctx, w, func(t *tables) ([]projections.Purge, error) { return t.pendingPurges(after, limit) })
}

// Purge looks the table up.
func (w *warehouse) Purge(ctx context.Context, table uuid.UUID) (p projections.Purge, ok bool, err error) {
	err = w.db.read(ctx, func(s *session) error {
		p, ok, err = (&tables{session: s, id: w.id}).FindPurge(table)
		return err
	})
	return p, ok, err
}

// Steps are the moves of an object.
func (w *warehouse) Steps(ctx context.Context, object uuid.UUID) ([]projections.Step, error) {
	return read(ctx, w, func(t *tables) ([]projections.Step, error) {
		return t.steps(object, -1)
	})
}

// LastStep is the newest move of an object.
func (w *warehouse) LastStep(ctx context.Context, object uuid.UUID) (step projections.Step, ok bool, err error) {
	err = w.db.read(ctx, func(s *session) error {
		step, ok, err = (&tables{session: s, id: w.id}).lastStep(object)
		return err
	})
	return step, ok, err
}

// Holders are those that ever had a name.
func (w *warehouse) Holders(ctx context.Context, id journal.Identifier) ([]uuid.UUID, error) {
	return read(ctx, w, func(t *tables) ([]uuid.UUID, error) { return t.holders(id) })
}

// Created looks for the step.
func (w *warehouse) Created(ctx context.Context, object uuid.UUID, location string) (bool, error) {
	return read(ctx, w, func(t *tables) (bool, error) { return t.created(object, location) })
}

// Dump reads everything in one transaction.
func (w *warehouse) Dump(ctx context.Context) (projections.Dump, error) {
	m, err := w.Moment(ctx)
	if err != nil {
		return projections.Dump{}, err
	}
	return projections.Gather(m)
}
