package postgres

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

const (
	insertCursor = `INSERT INTO cursor (warehouse, incarnation, seq, hash, step, name, location) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	beginCursor  = `UPDATE cursor SET incarnation = $2, seq = $3, hash = $4, step = $5, name = $6, location = $7 WHERE warehouse = $1`
	moveCursor   = `UPDATE cursor SET incarnation = $2, seq = $3, hash = $4, step = $5 WHERE warehouse = $1`
)

// queueAll writes what has changed, the cursor last. Nothing when no event was applied.
func (s *sheet) queueAll(batch *pgx.Batch) {
	if s.cursor == s.stored {
		return
	}
	s.queueRows(batch)
	c := s.cursor
	args := []any{s.id, [16]byte(c.Incarnation), int64(c.Seq), c.Hash[:], s.step}
	sql := moveCursor
	if s.about != nil {
		sql, args = beginCursor, append(args, []byte(s.about.name), []byte(s.about.location))
		if s.stored.IsZero() {
			sql = insertCursor
		}
	}
	batch.Queue(sql, args...)
}

// queueRows writes what has changed but the cursor.
func (s *sheet) queueRows(batch *pgx.Batch) {
	s.writeNamespaces(batch)
	s.writeObjects(batch)
	s.writePlaces(batch)
	s.writePurges(batch)
	s.writeHistory(batch)
}

const (
	removeNamespaces = `DELETE FROM namespaces WHERE warehouse = $1 AND key = ANY($2)`
	putNamespaces    = `INSERT INTO namespaces (warehouse, key, id, parent, name, path, properties)
		SELECT $1::uuid, * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bytea[], $6::bytea[], $7::bytea[])
		ON CONFLICT (warehouse, key) DO UPDATE SET id = excluded.id, properties = excluded.properties`
)

func (s *sheet) writeNamespaces(batch *pgx.Batch) {
	var gone, keys, ids, parents [][16]byte
	var names, paths, properties [][]byte
	for path, c := range s.namespaces.changed() {
		name := journal.NamespaceOfKey(path)
		if c.is == nil {
			gone = append(gone, keyOf(name))
			continue
		}
		data, _ := encodeProperties(c.is.Properties) // strings, which the journal has taken as UTF-8
		keys, ids, parents = append(keys, keyOf(name)), append(ids, c.is.ID), append(parents, keyOf(name.Parent()))
		names, paths, properties = append(names, []byte(name.Name())), append(paths, []byte(path)), append(properties, data)
	}
	if len(gone) > 0 {
		batch.Queue(removeNamespaces, s.id, gone)
	}
	if len(keys) > 0 {
		batch.Queue(putNamespaces, s.id, keys, ids, parents, names, paths, properties)
	}
}

const (
	// What indexes do not have can stay in its page.
	stepObjects = `UPDATE objects o SET step = new.step, held = new.held
		FROM unnest($2::uuid[], $3::bigint[], $4::bytea[]) AS new (uuid, step, held)
		WHERE o.warehouse = $1 AND o.uuid = new.uuid`
	putObjects = `INSERT INTO objects (warehouse, uuid, step, held, kind, state, parent, namespace, name)
		SELECT $1::uuid, * FROM unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::smallint[], $6::smallint[], $7::uuid[], $8::bytea[], $9::bytea[])
		ON CONFLICT (warehouse, uuid) DO UPDATE SET step = excluded.step, held = excluded.held, kind = excluded.kind,
			state = excluded.state, parent = excluded.parent, namespace = excluded.namespace, name = excluded.name`
)

// held are the columns of objects that every move changes.
type heldColumns struct {
	uuids [][16]byte
	steps []int64
	held  [][]byte
}

func (h *heldColumns) add(o *object) {
	h.uuids, h.steps = append(h.uuids, o.UUID), append(h.steps, o.step)
	h.held = append(h.held, pointers.PackObject(o.HeldObject, nil))
}

func (s *sheet) writeObjects(batch *pgx.Batch) {
	var moved, put heldColumns
	var kinds, states []int16
	var parents [][16]byte
	var namespaces, names [][]byte
	for _, c := range s.objects.changed() {
		if was, is := c.was, c.is; was != nil && stateOf(was) == stateOf(is) && was.Kind == is.Kind && was.Identifier.Equal(is.Identifier) {
			moved.add(is)
			continue
		}
		id := c.is.Identifier
		put.add(c.is)
		kinds, states, parents = append(kinds, kindNumber(c.is.Kind)), append(states, stateOf(c.is)), append(parents, keyOf(id.Namespace))
		namespaces, names = append(namespaces, []byte(id.Namespace.Key())), append(names, []byte(id.Name))
	}
	if len(moved.uuids) > 0 {
		batch.Queue(stepObjects, s.id, moved.uuids, moved.steps, moved.held)
	}
	if len(put.uuids) > 0 {
		batch.Queue(putObjects, s.id, put.uuids, put.steps, put.held, kinds, states, parents, namespaces, names)
	}
}

const (
	removePlaces = `DELETE FROM places p USING unnest($2::bytea[], $3::bytea[], $4::uuid[]) AS old (start, path, uuid)
		WHERE p.warehouse = $1 AND substring(p.path FROM 1 FOR 512) = old.start AND p.path = old.path AND p.uuid = old.uuid`
	putPlaces = `INSERT INTO places (warehouse, path, uuid) SELECT $1::uuid, * FROM unnest($2::bytea[], $3::uuid[])`
)

func (s *sheet) writePlaces(batch *pgx.Batch) {
	var starts, left, taken [][]byte
	var owners, holders [][16]byte
	for path, c := range s.places.changed() {
		if c.was != nil {
			starts, left, owners = append(starts, []byte(path[:min(len(path), 512)])), append(left, []byte(path)), append(owners, *c.was)
		}
		if c.is != nil {
			taken, holders = append(taken, []byte(path)), append(holders, *c.is)
		}
	}
	if len(left) > 0 {
		batch.Queue(removePlaces, s.id, starts, left, owners)
	}
	if len(taken) > 0 {
		batch.Queue(putPlaces, s.id, taken, holders)
	}
}

const (
	removePurges = `DELETE FROM purges WHERE warehouse = $1 AND uuid = ANY($2)`
	putPurges    = `INSERT INTO purges (warehouse, uuid, event, seq, at, done, namespace, name, held)
		SELECT $1::uuid, * FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::boolean[], $7::bytea[], $8::bytea[], $9::bytea[])
		ON CONFLICT (warehouse, uuid) DO UPDATE SET event = excluded.event, seq = excluded.seq, at = excluded.at,
			done = excluded.done, namespace = excluded.namespace, name = excluded.name, held = excluded.held`
)

func (s *sheet) writePurges(batch *pgx.Batch) {
	var gone, tables, events [][16]byte
	var seqs, ats []int64
	var done []bool
	var namespaces, names, held [][]byte
	for table, c := range s.purges.changed() {
		p := c.is
		if p == nil {
			gone = append(gone, table)
			continue
		}
		tables, events, seqs, ats, done = append(tables, table), append(events, p.Drop), append(seqs, int64(p.Seq)), append(ats, p.At.UnixMilli()), append(done, p.Done)
		namespaces, names = append(namespaces, []byte(p.Identifier.Namespace.Key())), append(names, []byte(p.Identifier.Name))
		held = append(held, pointers.PackObject(projections.HeldObject{Object: projections.Object{Location: p.Location, Pointer: p.Pointer}, Places: p.Places}, nil))
	}
	if len(gone) > 0 {
		batch.Queue(removePurges, s.id, gone)
	}
	if len(tables) > 0 {
		batch.Queue(putPurges, s.id, tables, events, seqs, ats, done, namespaces, names, held)
	}
}

const (
	insertHistory = `INSERT INTO history (warehouse, object, step, made, what)
		SELECT $1::uuid, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bytea[])`
	insertNames = `INSERT INTO names (warehouse, parent, name, step, uuid)
		SELECT $1::uuid, * FROM unnest($2::uuid[], $3::bytea[], $4::bigint[], $5::uuid[])`
)

func (s *sheet) writeHistory(batch *pgx.Batch) {
	if len(s.history) > 0 {
		objects, steps := make([][16]byte, len(s.history)), make([]int64, len(s.history))
		made, whats := make([]*int64, len(s.history)), make([][]byte, len(s.history))
		for i, row := range s.history {
			objects[i], steps[i], made[i], whats[i] = row.object, row.step, row.made, row.what
		}
		batch.Queue(insertHistory, s.id, objects, steps, made, whats)
	}
	if len(s.named) > 0 {
		parents, names := make([][16]byte, len(s.named)), make([][]byte, len(s.named))
		steps, objects := make([]int64, len(s.named)), make([][16]byte, len(s.named))
		for i, row := range s.named {
			parents[i], names[i], steps[i], objects[i] = row.parent, []byte(row.name), row.step, row.object
		}
		batch.Queue(insertNames, s.id, parents, names, steps, objects)
	}
}

// The numbers of kinds and states in columns.
const (
	tableKind int16 = 1
	viewKind  int16 = 2

	liveState    int16 = 1
	droppedState int16 = 2
	pastState    int16 = 3
)

func kindNumber(k journal.ObjectKind) int16 {
	if k == journal.View {
		return viewKind
	}
	return tableKind
}

func stateOf(o *object) int16 {
	switch {
	case o.past:
		return pastState
	case o.Dropped:
		return droppedState
	}
	return liveState
}

// objectRow is a row of objectColumns on its way in.
type objectRow struct {
	uuid            uuid.UUID
	kind, state     int16
	namespace, name []byte
	step            int64
	held            []byte
}

func (r *objectRow) scan(row pgx.Row) (*object, error) {
	if err := row.Scan((*[16]byte)(&r.uuid), &r.kind, &r.state, &r.namespace, &r.name, &r.step, &r.held); err != nil {
		return nil, err
	}
	return r.object()
}

func (r *objectRow) object() (*object, error) {
	o := &object{step: r.step, past: r.state == pastState}
	o.UUID, o.Kind, o.Dropped = r.uuid, journal.Table, r.state != liveState
	if r.kind == viewKind {
		o.Kind = journal.View
	}
	o.Identifier = journal.Identifier{Namespace: journal.NamespaceOfKey(string(r.namespace)), Name: string(r.name)}
	err := pointers.UnpackObject(r.held, &o.HeldObject)
	if o.past {
		o.Places = nil // Begin has taken them
	}
	return o, err
}
