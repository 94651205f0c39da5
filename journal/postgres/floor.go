package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// ErrWentBack: the database does not hold what this process has seen committed. It was
// restored, or failed over to a server that did not have it yet. Nothing was written.
// It ends when the database holds it again, or with the process.
var ErrWentBack = errors.New("the database does not hold what it acknowledged: it was restored, or failed over to a copy that is behind")

// floors are what this process knows to have been committed.
type floors struct {
	mu sync.Mutex
	of map[uuid.UUID]floor
}

type floor struct {
	seen   journal.Position // the highest
	proven journal.Position // the last one in whose history all earlier ones were
	kept   journal.Position // the last one that a commit of this process has made sure of
}

// Floor is the highest position of a warehouse that this process has seen committed;
// zero when it has seen none. Who reads a head takes the floor before it sends the
// query, and hands both to CheckFloor. Safe for concurrent use.
func (db *DB) Floor(warehouse uuid.UUID) journal.Position {
	return db.floor(warehouse).seen
}

func (db *DB) floor(warehouse uuid.UUID) floor {
	db.floors.mu.Lock()
	defer db.floors.mu.Unlock()
	return db.floors.of[warehouse]
}

// Saw raises the floor of a warehouse to a position that was read as committed. A lower
// one changes nothing, and neither does any when the DB is read only: copies may lag, each
// in its own way. Safe for concurrent use.
func (db *DB) Saw(warehouse uuid.UUID, p journal.Position) {
	db.raise(warehouse, p, false)
}

func (db *DB) raise(warehouse uuid.UUID, p journal.Position, proven bool) {
	if db.options.ReadOnly {
		return
	}
	db.floors.mu.Lock()
	defer db.floors.mu.Unlock()
	f := db.floors.of[warehouse]
	if p.Seq > f.seen.Seq {
		f.seen = p
	}
	if proven && p.Seq > f.proven.Seq {
		f.proven = p
	}
	db.floors.of[warehouse] = f
}

// CheckFloor compares a head that was read with the floor from before: ErrWentBack when
// the database is behind it, or has another history. The zero position is that of a
// warehouse that is not born. It asks
// the database only when the head is of another incarnation, or another event at the same seq.
func (db *DB) CheckFloor(ctx context.Context, warehouse uuid.UUID, floor, at journal.Position) error {
	switch {
	case floor.Seq == 0 || at == floor || at.Incarnation == floor.Incarnation && at.Seq > floor.Seq:
		return nil
	case at.Seq >= floor.Seq:
		var lost []lostPosition
		err := db.Read(ctx, func(conn *pgx.Conn) (err error) {
			rows, _ := conn.Query(ctx, selectLost, positionArgs([]lostPosition{{warehouse, floor}})...)
			lost, err = scanLost(rows)
			return err
		})
		if err != nil || len(lost) == 0 {
			return err
		}
	}
	return wentBack(warehouse, floor, at)
}

// stands checks a head against the floor from before it was read, and raises the floor to it.
func (db *DB) stands(ctx context.Context, warehouse uuid.UUID, floor, at journal.Position) error {
	err := db.CheckFloor(ctx, warehouse, floor, at)
	if err == nil && at.Seq > 0 {
		db.Saw(warehouse, at)
	}
	return err
}

func wentBack(warehouse uuid.UUID, seen, at journal.Position) error {
	there := "it is not there"
	if at.Seq > 0 {
		there = "it is at " + at.String()
	}
	return fmt.Errorf("%w: warehouse %s was seen at %s, now %s", ErrWentBack, warehouse, seen, there)
}

// lostPosition is one of a warehouse that is not there any more.
type lostPosition struct {
	warehouse uuid.UUID
	journal.Position
}

const selectLost = `SELECT warehouse, incarnation, seq, hash
	FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[]) AS seen (warehouse, incarnation, seq, hash)
	WHERE NOT EXISTS (SELECT FROM events e WHERE e.warehouse = seen.warehouse AND e.incarnation = seen.incarnation
		AND e.seq = seen.seq AND e.hash = seen.hash)`

func positionArgs(all []lostPosition) []any {
	var at place
	var hashes [][]byte
	for _, p := range all {
		at.add(journal.Event{Position: p.Position, Warehouse: p.warehouse})
		hashes = append(hashes, p.Hash[:])
	}
	return []any{at.warehouses, at.incarnations, at.seqs, hashes}
}

func scanLost(rows pgx.Rows) ([]lostPosition, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p lostPosition, err error) {
		var seq int64
		var hash []byte
		err = row.Scan((*[16]byte)(&p.warehouse), (*[16]byte)(&p.Incarnation), &seq, &hash)
		if err == nil {
			p.Seq = journal.Seq(seq)
			p.Hash, err = digest(hash)
		}
		return p, err
	})
}

// underfoot are the floors of warehouses as they are before a query.
type underfoot map[uuid.UUID]floor

// underfoot are the floors of some warehouses; nil: of all.
func (db *DB) underfoot(warehouses map[uuid.UUID]bool) underfoot {
	db.floors.mu.Lock()
	defer db.floors.mu.Unlock()
	if warehouses == nil {
		return maps.Clone(db.floors.of)
	}
	u := underfoot{}
	for id := range warehouses {
		if f, ok := db.floors.of[id]; ok {
			u[id] = f
		}
	}
	return u
}

// queue asks for what is lost of the floors.
func (u underfoot) queue(batch *pgx.Batch, lost *[]lostPosition) {
	var all []lostPosition
	for id, f := range u {
		all = append(all, lostPosition{id, f.seen})
		if f.proven.Seq > 0 && f.proven != f.seen {
			all = append(all, lostPosition{id, f.proven})
		}
	}
	if len(all) == 0 {
		return
	}
	batch.Queue(selectLost, positionArgs(all)...).Query(func(rows pgx.Rows) (err error) {
		*lost, err = scanLost(rows)
		return err
	})
}

// check compares them with the heads that came after, and names the warehouses that
// went back.
func (u underfoot) check(heads journal.Heads, lost []lostPosition) (back []uuid.UUID, errs error) {
	for id, f := range u {
		if at := heads[id].Head; at.Seq < f.seen.Seq {
			lost = append(lost, lostPosition{id, f.seen})
		}
	}
	slices.SortFunc(lost, func(a, b lostPosition) int {
		return cmp.Or(bytes.Compare(a.warehouse[:], b.warehouse[:]), cmp.Compare(b.Seq, a.Seq))
	})
	for _, p := range slices.CompactFunc(lost, func(a, b lostPosition) bool { return a.warehouse == b.warehouse }) {
		back = append(back, p.warehouse)
		errs = errors.Join(errs, wentBack(p.warehouse, p.Position, heads[p.warehouse].Head))
	}
	return back, errs
}
