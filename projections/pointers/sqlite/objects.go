package sqlite

import (
	"database/sql"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// objectRow is a row of objects.
type objectRow struct {
	projections.HeldObject
	id   int64 // its first step
	step int64 // its last
	past bool  // it was of an incarnation before
}

// objectColumns are what scanObject reads.
const objectColumns = `id, uuid, kind, state, namespace, name, step, held`

// scanObject reads a row with the function that scans it.
func scanObject(scan func(...any) error) (*objectRow, error) {
	var r objectRow
	var kind, state, namespace string
	var held sql.RawBytes
	if err := scan(&r.id, fixed(r.UUID[:]), &kind, &state, &namespace, &r.Identifier.Name, &r.step, &held); err != nil {
		return nil, err
	}
	r.Kind, r.Dropped, r.past = journal.ObjectKind(kind), state != "live", state == "past"
	r.Identifier.Namespace = journal.NamespaceOfKey(namespace)
	err := pointers.UnpackObject(held, &r.HeldObject)
	if r.past {
		r.Places = nil // Begin has taken them
	}
	return &r, err
}

// find looks the uuid up once an event; nil when it was never there.
func (t *tables) find(id uuid.UUID) (*objectRow, error) {
	if row, ok := t.held[id]; ok {
		return row, nil
	}
	row, err := t.look(`SELECT `+objectColumns+` FROM objects WHERE warehouse = ? AND uuid = ?`, t.id[:], id[:])
	if err == nil && t.held != nil {
		t.held[id] = row
	}
	return row, err
}

// look reads the one row of a query, if there is one.
func (t *tables) look(query string, args ...any) (found *objectRow, err error) {
	err = t.each(func(rows *sql.Rows) (err error) {
		found, err = scanObject(rows.Scan)
		return err
	}, query, args...)
	return found, err
}

// FindObject looks the uuid up.
func (t *tables) FindObject(id uuid.UUID) (projections.HeldObject, bool, error) {
	row, err := t.find(id)
	if err != nil || row == nil || row.past {
		return projections.HeldObject{}, false, err
	}
	return row.HeldObject, true, nil
}

// NameHolder looks the name up among the live.
func (t *tables) NameHolder(id journal.Identifier) (projections.Object, bool, error) {
	if id.Namespace.Check() != nil {
		return projections.Object{}, false, nil
	}
	row, err := t.look(`SELECT `+objectColumns+` FROM objects INDEXED BY objects_name
		WHERE warehouse = ? AND namespace = ? AND name = ? AND state = 'live'`, t.id[:], id.Namespace.Key(), id.Name)
	if err != nil || row == nil {
		return projections.Object{}, false, err
	}
	return row.Object, true, nil
}

// Move writes the row of the object, and those of its step.
func (t *tables) Move(o projections.HeldObject, e journal.Event, m journal.Move) error {
	row, err := t.find(o.UUID)
	if err != nil {
		return err
	}
	is := &objectRow{HeldObject: o, id: t.step + 1, step: t.step + 1}
	var before int64
	var owned []journal.Place
	if row != nil {
		is.id, before, owned = row.id, row.step, row.Places
	}
	if err := t.swapPlaces(o.UUID, owned, o.Places); err != nil {
		return err
	}
	if err := t.replace(row, is); err != nil {
		return err
	}
	if t.held != nil {
		t.held[o.UUID] = is
	}
	return t.insertStep(is, before, pointers.StepOf(e, m))
}

// insertStep writes the rows of the last step of an object.
func (t *tables) insertStep(is *objectRow, before int64, s projections.Step) error {
	t.step++
	m := s.Move
	err := t.exec(`INSERT INTO history (step, object, before, what) VALUES (?, ?, ?, ?)`, is.step, is.id, before, pointers.PackStep(s, nil))
	if err != nil {
		return err
	}
	if file := pointers.MadeBy(s); file != 0 {
		if err := t.exec(`INSERT INTO made (object, file, step) VALUES (?, ?, ?)`, is.id, file, is.step); err != nil {
			return err
		}
	}
	if projections.Names(m) {
		return t.exec(`INSERT INTO names (warehouse, namespace, name, step, uuid) VALUES (?, ?, ?, ?, ?)`,
			t.id[:], m.To.Identifier.Namespace.Key(), m.To.Identifier.Name, is.step, m.UUID[:])
	}
	return nil
}

// replace writes a row in place of the one that was there, if any. What stays as it
// was is in the indexes.
func (t *tables) replace(was, is *objectRow) error {
	switch {
	case was == nil:
		return t.exec(`INSERT INTO objects (`+objectColumns+`, warehouse) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			append(is.values(), t.id[:])...)
	case was.state() == is.state() && was.Kind == is.Kind && was.Identifier.Equal(is.Identifier):
		return t.exec(`UPDATE objects SET step = ?, held = ? WHERE id = ?`, is.step, pointers.PackObject(is.HeldObject, nil), is.id)
	}
	return t.exec(`UPDATE objects SET kind = ?, state = ?, namespace = ?, name = ?, step = ?, held = ? WHERE id = ?`,
		string(is.Kind), is.state(), is.Identifier.Namespace.Key(), is.Identifier.Name, is.step, pointers.PackObject(is.HeldObject, nil), is.id)
}

// values are those of objectColumns.
func (r *objectRow) values() []any {
	return []any{
		r.id, r.UUID[:], string(r.Kind), r.state(), r.Identifier.Namespace.Key(), r.Identifier.Name, r.step, pointers.PackObject(r.HeldObject, nil),
	}
}

func (r *objectRow) state() string {
	switch {
	case r.past:
		return "past"
	case r.Dropped:
		return "dropped"
	}
	return "live"
}

// objectsIn lists the names of the live objects of a kind in ?2.
var objectsIn = joined(`SELECT name FROM objects INDEXED BY objects_kind
	WHERE warehouse = ?1 AND namespace = ?2 AND kind = ?3 AND name > ?4 AND state = 'live' ORDER BY name LIMIT ?5`)

// objectNames lists a page of the live objects of a kind: ErrNoNamespace.
func (t *tables) objectNames(in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	if in.Check() != nil {
		return nil, projections.ErrNoNamespace
	}
	names, ok, err := t.list(`SELECT (`+objectsIn+`) FROM namespaces WHERE warehouse = ?1 AND path = ?2`,
		t.id[:], in.Key(), string(kind), page.After, limit(page))
	if err == nil && !ok {
		err = projections.ErrNoNamespace
	}
	return names, err
}
