package postgres

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"puddle/journal"
	"puddle/projections"
)

// warehouse answers for one warehouse of a Store. Each question is one statement.
type warehouse struct {
	store *Store
	id    uuid.UUID
}

var _ projections.Warehouse = (*warehouse)(nil)

// Name is "pointers".
func (w *warehouse) Name() string { return "pointers" }

// Apply takes a batch in one transaction. Starters that replay the same warehouse take
// turns: what another has applied meanwhile is skipped.
func (w *warehouse) Apply(ctx context.Context, events ...journal.Event) error {
	return w.write(ctx, func(t *tx) error {
		s, err := t.sheet(ctx, w.id, events...)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := s.apply(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Reset deletes the rows of the warehouse.
func (w *warehouse) Reset(ctx context.Context) error {
	return w.write(ctx, func(t *tx) error {
		if _, err := t.sheet(ctx, w.id); err != nil {
			return err
		}
		delete(t.sheets, w.id)
		return t.deleteRows(ctx, w.id)
	})
}

func (w *warehouse) write(ctx context.Context, change func(*tx) error) error {
	t, err := w.store.begin(ctx, w.id)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := change(t); err != nil {
		return err
	}
	return t.Commit()
}

const askCursor = `SELECT ` + standingColumns + fromStanding

// Cursor reads the cursor, wherever it is: who replays asks for it.
func (w *warehouse) Cursor(ctx context.Context) (journal.Position, error) {
	var at standing
	err := w.store.read(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, askCursor, [16]byte(w.id)).Scan(at.into()...) })
	if err == nil {
		err = w.store.checkSchema(int(at.version))
	}
	return at.position(), w.store.explain(ctx, err)
}

var askNamespace = fresh(`r.*`, `SELECT id, properties FROM namespaces WHERE warehouse = $1 AND key = $2`)

// Namespace finds one.
func (w *warehouse) Namespace(ctx context.Context, name journal.Namespace) (projections.Namespace, error) {
	if name.Check() != nil {
		return projections.Namespace{}, orNone(ctx, projections.ErrNoNamespace)
	}
	n, ok, err := one(ctx, w, askNamespace, func(row pgx.Row, at *standing) (n projections.Namespace, ok bool, err error) {
		var id pgtype.UUID
		var properties []byte
		if err := row.Scan(append(at.into(), &id, &properties)...); err != nil || !id.Valid {
			return n, false, err
		}
		n.ID, n.Name = id.Bytes, slices.Clone(name)
		n.Properties, err = decodeProperties(properties)
		return n, true, err
	}, keyOf(name))
	if err == nil && !ok {
		err = projections.ErrNoNamespace
	}
	return n, err
}

// orNone is the context's error, or that there is none.
func orNone(ctx context.Context, none error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return none
}

var (
	// A namespace that is there has an answer, be it without names.
	askChildren = fresh(`r.names`, `SELECT array(SELECT name FROM namespaces WHERE warehouse = $1 AND parent = $2 AND name > $3 ORDER BY name LIMIT $4) AS names
		WHERE $5 OR EXISTS (SELECT FROM namespaces WHERE warehouse = $1 AND key = $2)`)
	askObjects = fresh(`r.names`, `SELECT array(SELECT name FROM objects
			WHERE warehouse = $1 AND parent = $2 AND kind = $3 AND name > $4 AND state = 1 ORDER BY name LIMIT $5) AS names
		WHERE EXISTS (SELECT FROM namespaces WHERE warehouse = $1 AND key = $2)`)
)

// Children lists the names of a namespace's children.
func (w *warehouse) Children(ctx context.Context, parent journal.Namespace, page projections.Page) ([]string, error) {
	if !parent.IsRoot() && parent.Check() != nil {
		return nil, orNone(ctx, projections.ErrNoNamespace)
	}
	return w.list(ctx, askChildren, keyOf(parent), []byte(page.After), limit(page.Limit), parent.IsRoot())
}

// Objects lists the names of a namespace's live objects of a kind.
func (w *warehouse) Objects(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	if in.Check() != nil {
		return nil, orNone(ctx, projections.ErrNoNamespace)
	}
	return w.list(ctx, askObjects, keyOf(in), kindNumber(kind), []byte(page.After), limit(page.Limit))
}

// list reads names that are in one value, since each row costs more than its name.
func (w *warehouse) list(ctx context.Context, sql string, args ...any) ([]string, error) {
	names, ok, err := one(ctx, w, sql, func(row pgx.Row, at *standing) ([]string, bool, error) {
		var listed [][]byte
		if err := row.Scan(append(at.into(), &listed)...); err != nil || listed == nil {
			return nil, false, err
		}
		names := make([]string, len(listed))
		for i, name := range listed {
			names[i] = string(name)
		}
		return names, true, nil
	}, args...)
	if err == nil && !ok {
		err = projections.ErrNoNamespace
	}
	return names, err
}

// limit is SQL's: NULL when there is none.
func limit(n int) *int64 {
	if n <= 0 {
		return nil
	}
	most := int64(n)
	return &most
}

var (
	askObject = fresh(`r.*`, `SELECT `+objectColumns+` FROM objects WHERE warehouse = $1 AND parent = $2 AND name = $3 AND state = 1 LIMIT 1`)
	askHeld   = fresh(`r.*`, `SELECT `+objectColumns+` FROM objects WHERE warehouse = $1 AND uuid = $2`)
)

// Object finds a live object by name.
func (w *warehouse) Object(ctx context.Context, id journal.Identifier) (projections.Object, error) {
	if id.Namespace.Check() != nil {
		return projections.Object{}, orNone(ctx, projections.ErrNoObject)
	}
	o, ok, err := w.named(ctx, &question{warehouse: w.id, parent: keyOf(id.Namespace), name: id.Name})
	if err == nil && !ok {
		err = projections.ErrNoObject
	}
	return o.Object, err
}

// named asks by itself, or together with others.
func (w *warehouse) named(ctx context.Context, q *question) (o projections.HeldObject, ok bool, err error) {
	floor := w.store.db.Floor(w.id)
	if w.store.objects.enter(q) {
		defer w.store.leave()
		err = w.store.objects.within(ctx, func(ctx context.Context) error {
			o, ok, err = one(ctx, w, askObject, scanObject, q.parent, []byte(q.name))
			return err
		})
		return o, ok, err
	}
	if err = q.wait(ctx, w.store.objects.limit); err == nil {
		err = w.check(ctx, &q.at, floor)
	}
	if err != nil {
		return o, false, w.store.explain(ctx, err)
	}
	return q.object, q.there, nil
}

// scanObject scans objectColumns that may be NULL.
func scanObject(row pgx.Row, at *standing) (o projections.HeldObject, ok bool, err error) {
	var id pgtype.UUID
	var kind, state pgtype.Int2
	var step pgtype.Int8
	r := objectRow{}
	if err := row.Scan(append(at.into(), &id, &kind, &state, &r.namespace, &r.name, &step, &r.held)...); err != nil || !id.Valid {
		return o, false, err
	}
	r.uuid, r.kind, r.state, r.step = id.Bytes, kind.Int16, state.Int16, step.Int64
	is, err := r.object()
	return is.HeldObject, true, err
}

// Places are what a live object owns.
func (w *warehouse) Places(ctx context.Context, object uuid.UUID) ([]journal.Place, error) {
	o, _, err := one(ctx, w, askHeld, scanObject, [16]byte(object))
	return o.Places, err
}

// The place whose path is first by bytes: those above come before those below.
var askHolder = fresh(`r.uuid`, `(SELECT uuid FROM places
		WHERE warehouse = $1 AND `+startOfPath+` = ANY($2) AND path = ANY($3) AND uuid <> $6 ORDER BY path LIMIT 1)
	UNION ALL (SELECT uuid FROM places WHERE warehouse = $1
		AND `+startOfPath+` >= substring($4::bytea FROM 1 FOR 512) AND `+startOfPath+` <= substring($5::bytea FROM 1 FOR 512)
		AND path > $4 AND path < $5 AND uuid <> $6 ORDER BY `+startOfPath+`, path LIMIT 1) LIMIT 1`)

// PlaceHolder finds who has a place that overlaps the path.
func (w *warehouse) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	path = projections.PlacePath(path)
	above := projections.PlacesAbove(path)
	before := path[:len(path)-1] + "0"
	return one(ctx, w, askHolder, scanUUID, startsOf(above), bytesOf(above), []byte(path), []byte(before), [16]byte(except))
}

var (
	askPurge  = fresh(`r.*`, `SELECT `+purgeColumns+` FROM purges WHERE warehouse = $1 AND uuid = $2`)
	askPurges = fresh(`r.*`, `SELECT `+purgeColumns+` FROM purges WHERE warehouse = $1 AND seq > $2 AND NOT done ORDER BY seq LIMIT $3`)
)

// Purge looks the table up.
func (w *warehouse) Purge(ctx context.Context, table uuid.UUID) (projections.Purge, bool, error) {
	return one(ctx, w, askPurge, scanPurgeOrNone, [16]byte(table))
}

// Purges lists the pending ones.
func (w *warehouse) Purges(ctx context.Context, after journal.Seq, count int) ([]projections.Purge, error) {
	return answer(ctx, w, askPurges, scanPurgeOrNone, int64(after), limit(count))
}

// Dump reads everything in one transaction.
func (w *warehouse) Dump(ctx context.Context) (projections.Dump, error) {
	m, err := w.Moment(ctx)
	if err != nil {
		return projections.Dump{}, err
	}
	return projections.Gather(m)
}
