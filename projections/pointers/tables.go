package pointers

import (
	"database/sql"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// tables are the rows of one warehouse, as a session sees them: the writer its
// own changes, a reader what is committed.
type tables struct {
	*session
	id uuid.UUID
}

var _ projections.Tables = (*tables)(nil)

func (t *tables) cursor() (journal.Position, error) {
	var p journal.Position
	var seq int64
	ok, err := t.row(`SELECT incarnation, seq, hash FROM cursor WHERE warehouse = ?`, t.id[:]).
		find(fixed(p.Incarnation[:]), &seq, fixed(p.Hash[:]))
	if err != nil || !ok {
		return journal.Position{}, err
	}
	p.Seq = journal.Seq(seq)
	return p, nil
}

func (t *tables) setCursor(p journal.Position) error {
	return t.exec(`INSERT INTO cursor (warehouse, incarnation, seq, hash) VALUES (?, ?, ?, ?)
		ON CONFLICT (warehouse) DO UPDATE SET incarnation = excluded.incarnation, seq = excluded.seq, hash = excluded.hash`,
		t.id[:], p.Incarnation[:], int64(p.Seq), p.Hash[:])
}

// Begin forgets names, pointers, places and purges.
func (t *tables) Begin(name, location string) error {
	if err := t.forget("namespaces", "objects", "places", "purges"); err != nil {
		return err
	}
	return t.exec(`INSERT INTO warehouses (warehouse, name, location) VALUES (?, ?, ?)
		ON CONFLICT (warehouse) DO UPDATE SET name = excluded.name, location = excluded.location`,
		t.id[:], name, location)
}

func (t *tables) forget(names ...string) error {
	for _, table := range names {
		if err := t.exec(`DELETE FROM `+table+` WHERE warehouse = ?`, t.id[:]); err != nil {
			return err
		}
	}
	return nil
}

// forgetAll leaves no row of the warehouse.
func (t *tables) forgetAll() error {
	return t.forget("warehouses", "cursor", "namespaces", "objects", "places", "purges", "history")
}

// about is the warehouse's own row.
func (t *tables) about() (name, location string, err error) {
	_, err = t.row(`SELECT name, location FROM warehouses WHERE warehouse = ?`, t.id[:]).find(&name, &location)
	return name, location, err
}

// Places are the object's.
func (t *tables) Places(object uuid.UUID) ([]journal.Place, error) {
	var places []journal.Place
	err := t.each(func(rows *sql.Rows) error {
		var p journal.Place
		err := rows.Scan(&p.Path, &p.Role)
		places = append(places, p)
		return err
	}, `SELECT path, role FROM places WHERE warehouse = ? AND uuid = ? ORDER BY path`, t.id[:], object[:])
	return places, err
}

// SetPlaces deletes and inserts.
func (t *tables) SetPlaces(object uuid.UUID, places []journal.Place) error {
	if err := t.exec(`DELETE FROM places WHERE warehouse = ? AND uuid = ?`, t.id[:], object[:]); err != nil {
		return err
	}
	return t.addPlaces(object, places)
}

func (t *tables) addPlaces(object uuid.UUID, places []journal.Place) error {
	for _, p := range places {
		err := t.exec(`INSERT INTO places (warehouse, path, uuid, role) VALUES (?, ?, ?, ?)`, t.id[:], p.Path, object[:], p.Role)
		if err != nil {
			return err
		}
	}
	return nil
}

// PlaceHolder asks for all folders above, shortest first, then for the first
// path below.
// What lies below a path that ends in a slash comes before the path that ends in
// the byte after a slash.
func (t *tables) PlaceHolder(path string, except uuid.UUID) (holder uuid.UUID, ok bool, err error) {
	above, err := json.Marshal(projections.PlacesAbove(path))
	if err != nil {
		return uuid.Nil, false, err
	}
	ok, err = t.row(`SELECT uuid FROM json_each(?2) AS above CROSS JOIN places ON places.path = above.value
		WHERE warehouse = ?1 AND uuid <> ?3 LIMIT 1`, t.id[:], string(above), except[:]).find(fixed(holder[:]))
	if err != nil || ok {
		return holder, ok, err
	}
	ok, err = t.row(`SELECT uuid FROM places WHERE warehouse = ? AND path > ? AND path < ? AND uuid <> ? ORDER BY path LIMIT 1`,
		t.id[:], path, path[:len(path)-1]+"0", except[:]).find(fixed(holder[:]))
	return holder, ok, err
}
