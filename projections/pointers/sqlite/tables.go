package sqlite

import (
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// stepBits is how many bits of a step's number count the steps of its warehouse;
// those above are the warehouse's. Objects are numbered by their first step.
const stepBits = 40

// tables are the rows of one warehouse, as a session sees them: the writer its
// own changes, a reader what is committed.
type tables struct {
	*session
	id uuid.UUID

	// Of the writer alone.
	step int64                    // the last one's number
	held map[uuid.UUID]*objectRow // that the event under way has looked up
}

var _ projections.Tables = (*tables)(nil)

// writing are the tables to be written, and their cursor. Those that have none take
// a number that no other has, and forget what a load that did not end has left
// there.
func writing(s *session, id uuid.UUID) (*tables, journal.Position, error) {
	t := &tables{session: s, id: id, held: map[uuid.UUID]*objectRow{}}
	cursor, err := t.cursor()
	if err != nil || !cursor.IsZero() {
		return t, cursor, err
	}
	if err := t.row(`SELECT ((coalesce(max(step), 0) >> ?1) + 1) << ?1 FROM cursor`, stepBits).scan(&t.step); err != nil {
		return t, cursor, err
	}
	return t, cursor, t.forgetAll()
}

// cursor reads the number of the last step, too.
func (t *tables) cursor() (journal.Position, error) {
	var p journal.Position
	var seq int64
	ok, err := t.row(`SELECT incarnation, seq, hash, step FROM cursor WHERE warehouse = ?`, t.id[:]).
		find(fixed(p.Incarnation[:]), &seq, fixed(p.Hash[:]), &t.step)
	if err != nil || !ok {
		return journal.Position{}, err
	}
	p.Seq = journal.Seq(seq)
	return p, nil
}

func (t *tables) setCursor(p journal.Position) error {
	return t.exec(`INSERT INTO cursor (warehouse, incarnation, seq, hash, step) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (warehouse) DO UPDATE SET incarnation = excluded.incarnation, seq = excluded.seq, hash = excluded.hash,
			step = excluded.step`,
		t.id[:], p.Incarnation[:], int64(p.Seq), p.Hash[:], t.step)
}

// Begin forgets namespaces, places and purges. Objects are past: their history is
// kept.
func (t *tables) Begin(name, location string) error {
	if err := t.forget("namespaces", "places", "purges"); err != nil {
		return err
	}
	if err := t.exec(`UPDATE objects SET state = 'past' WHERE warehouse = ? AND state <> 'past'`, t.id[:]); err != nil {
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

// forgetAll leaves no row of the warehouse, nor of its number.
func (t *tables) forgetAll() error {
	number := t.step >> stepBits
	for _, statement := range []string{
		`DELETE FROM history WHERE step BETWEEN ? AND ?`, `DELETE FROM made WHERE object BETWEEN ? AND ?`,
		`DELETE FROM objects WHERE id BETWEEN ? AND ?`,
	} {
		if err := t.exec(statement, number<<stepBits, (number+1)<<stepBits-1); err != nil {
			return err
		}
	}
	return t.forget("warehouses", "cursor", "namespaces", "objects", "places", "purges", "names")
}

// about is the warehouse's own row.
func (t *tables) about() (name, location string, err error) {
	_, err = t.row(`SELECT name, location FROM warehouses WHERE warehouse = ?`, t.id[:]).find(&name, &location)
	return name, location, err
}
