package recorder

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Reader reads the pointer tables of a warehouse. What was acknowledged before a
// call began is seen by it: calls wait, as long as their ctx allows and for a second
// or two at most (then ErrBehind), while the tables are being brought up to the
// journal. When that cannot be done before a restart they answer ErrStopped.
// Object answers from memory what was asked for or moved last; who gets it leaves
// the levels of its namespace as they are. Over a Database it is that of the database.
func (r *Recorder) Reader(warehouse uuid.UUID) projections.Reader { return r.backend.reader(warehouse) }

func (b *embedded) reader(warehouse uuid.UUID) projections.Reader {
	return &reader{gate: &b.gate, hot: b.hot[warehouse], tables: b.store.Warehouse(warehouse)}
}

type reader struct {
	gate   *gate
	hot    *hotMap // nil: of a warehouse that the recorder does not know
	tables projections.Reader
}

func (r *reader) Namespace(ctx context.Context, name journal.Namespace) (projections.Namespace, error) {
	if err := r.gate.wait(ctx); err != nil {
		return projections.Namespace{}, err
	}
	return r.tables.Namespace(ctx, name)
}

func (r *reader) Children(ctx context.Context, parent journal.Namespace, page projections.Page) ([]string, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Children(ctx, parent, page)
}

func (r *reader) Object(ctx context.Context, id journal.Identifier) (projections.Object, error) {
	if err := r.gate.wait(ctx); err != nil {
		return projections.Object{}, err
	}
	if r.hot == nil {
		return r.tables.Object(ctx, id)
	}
	o, miss, ok := r.hot.find(id)
	if ok {
		return o, nil
	}
	o, err := r.tables.Object(ctx, id)
	if err == nil {
		miss.fill(o)
	}
	return o, err
}

func (r *reader) Objects(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Objects(ctx, in, kind, page)
}

func (r *reader) Places(ctx context.Context, object uuid.UUID) ([]journal.Place, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Places(ctx, object)
}

func (r *reader) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	if err := r.gate.wait(ctx); err != nil {
		return uuid.Nil, false, err
	}
	return r.tables.PlaceHolder(ctx, path, except)
}

func (r *reader) Purges(ctx context.Context, after journal.Seq, limit int) ([]projections.Purge, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Purges(ctx, after, limit)
}

func (r *reader) Purge(ctx context.Context, table uuid.UUID) (projections.Purge, bool, error) {
	if err := r.gate.wait(ctx); err != nil {
		return projections.Purge{}, false, err
	}
	return r.tables.Purge(ctx, table)
}

func (r *reader) Steps(ctx context.Context, object uuid.UUID) ([]projections.Step, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Steps(ctx, object)
}

func (r *reader) LastStep(ctx context.Context, object uuid.UUID) (projections.Step, bool, error) {
	if err := r.gate.wait(ctx); err != nil {
		return projections.Step{}, false, err
	}
	return r.tables.LastStep(ctx, object)
}

func (r *reader) Holders(ctx context.Context, id journal.Identifier) ([]uuid.UUID, error) {
	if err := r.gate.wait(ctx); err != nil {
		return nil, err
	}
	return r.tables.Holders(ctx, id)
}

func (r *reader) Created(ctx context.Context, object uuid.UUID, location string) (bool, error) {
	if err := r.gate.wait(ctx); err != nil {
		return false, err
	}
	return r.tables.Created(ctx, object, location)
}
