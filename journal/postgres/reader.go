package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// reader reads one incarnation of a warehouse. Each statement sees what was committed
// when it began; records never change.
type reader struct {
	db          *DB
	warehouse   uuid.UUID
	incarnation uuid.UUID // Nil: the current one
	session     *pgx.Conn // on which it reads, also what a transaction of it has written; nil: the pool
}

// read runs queries.
func (r reader) read(ctx context.Context, run func(conn *pgx.Conn) error) error {
	if r.session != nil {
		return r.db.said(ctx, run(r.session))
	}
	return r.db.Read(ctx, run)
}

var (
	_ journal.Entries = reader{}
	_ journal.Files   = reader{}
)

// incarnationOrCurrent is $2, or that of the head of $1 when $2 is NULL.
const incarnationOrCurrent = `coalesce($2, (SELECT incarnation FROM heads WHERE warehouse = $1))`

// named is the incarnation for $2.
func (r reader) named() *[16]byte {
	if r.incarnation == uuid.Nil {
		return nil
	}
	id := [16]byte(r.incarnation)
	return &id
}

// history is an incarnation and its first seq.
type history struct {
	journal.Reading
	first journal.Seq
}

const (
	selectCurrent = `SELECT incarnation, seq, hash, coalesce(first, 0) FROM heads
		LEFT JOIN incarnations USING (warehouse, incarnation) WHERE warehouse = $1`
	selectIncarnation = `SELECT incarnation, last.seq, last.hash, first FROM incarnations i, LATERAL (
		SELECT seq, hash FROM events e WHERE e.warehouse = i.warehouse AND e.incarnation = i.incarnation ORDER BY seq DESC LIMIT 1) AS last
		WHERE warehouse = $1 AND incarnation = $2`
)

// history finds what is read. ErrNoWarehouse.
func (r reader) history(ctx context.Context) (h history, err error) {
	sql, args := selectCurrent, []any{r.warehouse}
	if r.incarnation != uuid.Nil {
		sql, args = selectIncarnation, append(args, r.incarnation)
	}
	h.Warehouse = r.warehouse
	var seq, first int64
	var hash []byte
	floor := r.db.Floor(r.warehouse)
	err = r.read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, sql, args...).Scan((*[16]byte)(&h.Head.Incarnation), &seq, &hash, &first)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return h, cmp.Or(r.stands(ctx, floor, journal.Position{}), fmt.Errorf("%w: %s", journal.ErrNoWarehouse, r.warehouse))
	}
	if err != nil {
		return h, err
	}
	h.Head.Seq, h.first = journal.Seq(seq), journal.Seq(first)
	if h.Head.Hash, err = digest(hash); err != nil {
		return h, h.Damage(h.Head.Seq, fmt.Errorf("its head: %w", err))
	}
	if h.first == 0 {
		return h, h.Damage(0, errors.New("the incarnation is missing"))
	}
	return h, r.stands(ctx, floor, h.Head)
}

// stands checks a head against the floor from before it was read. That of an incarnation
// that is asked for by name says nothing.
func (r reader) stands(ctx context.Context, floor, at journal.Position) error {
	if r.incarnation != uuid.Nil {
		return nil
	}
	return r.db.stands(ctx, r.warehouse, floor, at)
}

// Head implements journal.Reader.
func (r reader) Head(ctx context.Context) (journal.Position, error) {
	h, err := r.history(ctx)
	return h.Head, err
}

// stored is a row of events.
type stored struct {
	seq        journal.Seq
	prev, hash []byte
	record     []byte
	documents  []journal.Document // where they were asked for
}

const eventColumns = `e.seq, e.prev, e.hash, e.record`

// scanEvent scans eventColumns and what follows them.
func scanEvent(row pgx.Row, more ...any) (s stored, err error) {
	var seq int64
	err = row.Scan(append([]any{&seq, &s.prev, &s.hash, &s.record}, more...)...)
	s.seq = journal.Seq(seq)
	return s, err
}

// event makes the event of a row.
func (s stored) event(of journal.Reading) (journal.Event, error) {
	prev, err := digest(s.prev)
	if err != nil {
		return journal.Event{}, of.Damage(s.seq, err)
	}
	e, err := of.Decode(s.seq, prev, s.record)
	if err == nil && !bytes.Equal(e.Hash[:], s.hash) {
		err = of.Damage(s.seq, fmt.Errorf("the event has the hash %s, beside it stands %x", e.Hash, s.hash))
	}
	return e, err
}

const selectByID = `SELECT ` + eventColumns + `, e.incarnation FROM events e
	WHERE e.warehouse = $1 AND e.incarnation = ` + incarnationOrCurrent + ` AND e.id = $3`

// Find implements journal.Reader.
func (r reader) Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error) {
	of := journal.Reading{Warehouse: r.warehouse}
	var s stored
	err := r.read(ctx, func(conn *pgx.Conn) (err error) {
		s, err = scanEvent(conn.QueryRow(ctx, selectByID, r.warehouse, r.named(), id), (*[16]byte)(&of.Head.Incarnation))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return journal.Event{}, false, nil
	}
	if err != nil {
		return journal.Event{}, false, err
	}
	e, err := s.event(of)
	if err == nil && e.ID != id {
		err = of.Damage(s.seq, fmt.Errorf("the event has the id %s, it was looked for as %s", e.ID, id))
	}
	return e, err == nil, err
}

// Document implements journal.Reader.
func (r reader) Document(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	return r.shelf(ctx).Open(seq, move)
}

// File implements journal.Files.
func (r reader) File(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	return r.shelf(ctx).File(seq, move)
}

// shelf looks documents up, all in one incarnation.
func (r reader) shelf(ctx context.Context) journal.Shelf {
	return func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		e, d, err := r.kept(ctx, seq, move)
		r.incarnation = e.Incarnation // what it is built on is in no other
		return e, d, err
	}
}

const selectKept = `SELECT ` + eventColumns + `, e.incarnation, d.codec, d.data FROM events e
	LEFT JOIN documents d ON d.warehouse = e.warehouse AND d.incarnation = e.incarnation AND d.seq = e.seq AND d.move = $4::bigint
	WHERE e.warehouse = $1 AND e.incarnation = ` + incarnationOrCurrent + ` AND e.seq = $3`

// kept is the document of a move as it is stored, and its event.
func (r reader) kept(ctx context.Context, seq journal.Seq, move int) (e journal.Event, d journal.Document, err error) {
	of := journal.Reading{Warehouse: r.warehouse}
	var codec *int16
	var s stored
	err = r.read(ctx, func(conn *pgx.Conn) (err error) {
		row := conn.QueryRow(ctx, selectKept, r.warehouse, r.named(), number(seq), move)
		s, err = scanEvent(row, (*[16]byte)(&of.Head.Incarnation), &codec, &d.Data)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, d, r.noEvent(ctx, seq)
	}
	if err != nil {
		return e, d, err
	}
	if e, err = s.event(of); err != nil {
		return e, d, err
	}
	if _, err := e.DocumentDigest(move); err != nil {
		return e, d, err
	}
	if codec == nil {
		return e, d, fmt.Errorf("%w: move %d of event %s", journal.ErrNotKept, move, e.Position)
	}
	d.Move, d.Codec = move, journal.Codec(*codec)
	return e, d, nil
}

// noEvent says why there is no event at a seq.
func (r reader) noEvent(ctx context.Context, seq journal.Seq) error {
	h, err := r.history(ctx)
	switch {
	case err != nil:
		return err
	case seq >= h.first && seq <= h.Head.Seq:
		return h.Missing(seq)
	}
	return fmt.Errorf("%w: seq %d", journal.ErrNoEvent, seq)
}

// number is a seq as a bigint.
func number(seq journal.Seq) int64 { return int64(min(seq, math.MaxInt64)) }
