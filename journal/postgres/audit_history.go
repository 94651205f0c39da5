package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// audit looks through one incarnation.
type audit struct {
	reader
	x       journal.Examination
	reached func()      // x.Seen is a place to go on from
	from    journal.Seq // of the first event that is there
	dated   time.Time   // the head, where it is the current incarnation
}

func (db *DB) auditing(ctx context.Context, warehouse, incarnation uuid.UUID, found func(journal.Flaw), seen *journal.Audited) *audit {
	of := reader{db: db, warehouse: warehouse, incarnation: incarnation}
	return &audit{reader: of, x: journal.Examination{
		Reading: journal.Reading{Warehouse: warehouse, Head: journal.Position{Incarnation: incarnation}},
		Found:   found, Seen: seen,
		Kept: func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
			return of.kept(ctx, seq, move)
		},
	}}
}

func (a *audit) run(ctx context.Context) error {
	if err := a.around(ctx); err != nil {
		return err
	}
	next, err := a.resume(ctx)
	for err == nil && next != 0 && next <= a.x.Head.Seq {
		if next, err = a.step(ctx, next); err == nil && a.x.Begun && !a.x.Lost {
			a.x.Seen.Through[a.incarnation] = a.x.Chain.Head
			a.reached()
		}
	}
	if err != nil {
		return err
	}
	a.x.End()
	if a.x.Begun && !a.x.Lost && !a.dated.IsZero() && !a.dated.Equal(a.x.Chain.At) {
		a.x.Flaw(a.x.Head.Seq, false, "the last event is of %s, the head says %s", a.x.Chain.At, a.dated)
	}
	return a.requests(ctx)
}

// ends are what the tables say of an incarnation, all at one moment; nil where there is no such row.
type ends struct {
	first, headSeq, headAt, minSeq, maxSeq, minDocument, maxDocument *int64
	headHash, maxHash                                                []byte
}

const selectEnds = `SELECT i.first, h.seq, h.hash, h.at, last.seq, last.hash,
		(SELECT min(seq) FROM events WHERE warehouse = $1 AND incarnation = $2),
		(SELECT min(seq) FROM documents WHERE warehouse = $1 AND incarnation = $2),
		(SELECT max(seq) FROM documents WHERE warehouse = $1 AND incarnation = $2)
	FROM (SELECT) AS one
	LEFT JOIN incarnations i ON i.warehouse = $1 AND i.incarnation = $2
	LEFT JOIN heads h ON h.warehouse = $1 AND h.incarnation = $2
	LEFT JOIN (SELECT seq, hash FROM events WHERE warehouse = $1 AND incarnation = $2 ORDER BY seq DESC LIMIT 1) AS last ON true`

// around finds the ends of the incarnation, and looks at what is there beyond them.
func (a *audit) around(ctx context.Context) error {
	var e ends
	err := a.read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, selectEnds, a.warehouse, a.incarnation).
			Scan(&e.first, &e.headSeq, &e.headHash, &e.headAt, &e.maxSeq, &e.maxHash, &e.minSeq, &e.minDocument, &e.maxDocument)
	})
	if err != nil {
		return err
	}
	if e.maxSeq == nil && e.headSeq == nil {
		return a.x.Damage(0, errors.New("the incarnation has no events"))
	}
	a.head(e)
	switch {
	case e.minSeq == nil && e.first == nil:
		a.from = a.x.Head.Seq
	case e.first == nil:
		a.from = journal.Seq(*e.minSeq)
	default:
		a.from = journal.Seq(*e.first)
	}
	if e.minSeq != nil && *e.minSeq < number(a.from) {
		a.x.Flaw(journal.Seq(*e.minSeq), false, "there are events before the first one, %d", a.from)
	}
	if e.maxSeq != nil && *e.maxSeq > number(a.x.Head.Seq) {
		a.x.Flaw(a.x.Head.Seq, false, "the head is not the last event")
	}
	if e.minDocument != nil && (*e.minDocument < number(a.from) || *e.maxDocument > number(a.x.Head.Seq)) {
		a.x.Flaw(0, true, "a document of no event is kept")
	}
	return nil
}

// head is that of the warehouse, or else the last event.
func (a *audit) head(e ends) {
	at, hash := e.maxSeq, e.maxHash
	if e.headSeq != nil {
		at, hash, a.dated = e.headSeq, e.headHash, time.UnixMilli(*e.headAt).UTC()
	}
	a.x.Head.Seq = journal.Seq(*at)
	var err error
	if a.x.Head.Hash, err = digest(hash); err != nil {
		a.x.Flaw(a.x.Head.Seq, false, "its head: %v", err)
	}
}

// resume goes to the event behind those that were looked at before, which are there.
func (a *audit) resume(ctx context.Context) (next journal.Seq, err error) {
	through, ok := a.x.Seen.Through[a.incarnation]
	if !ok {
		return a.from, nil
	}
	a.x.First, err = a.at(ctx, history{Reading: a.x.Reading}, a.from)
	if _, damaged := errors.AsType[*journal.Damage](err); err != nil && !damaged {
		return 0, err
	}
	last, err := a.at(ctx, history{Reading: a.x.Reading}, through.Seq)
	a.x.Chain, a.x.Begun = journal.ChainAt(last), true
	return through.Seq + 1, err
}

// audited is a row of events, with its id.
type audited struct {
	stored
	id uuid.UUID
}

// step looks at some events from a seq on, and answers the one to go on with.
func (a *audit) step(ctx context.Context, from journal.Seq) (next journal.Seq, err error) {
	var page []audited
	err = a.read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, selectAudited, a.warehouse, a.incarnation, number(from), number(a.x.Head.Seq), pageEvents, pageBytes)
		page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (s audited, err error) {
			s.stored, err = scanEvent(row, (*[16]byte)(&s.id))
			return s, err
		})
		return err
	})
	if err != nil {
		return 0, err
	}
	if len(page) == 0 {
		a.x.Gap(from, a.x.Head.Seq)
		return 0, nil
	}
	documents, err := a.documents(ctx, from, page)
	if err != nil {
		return 0, err
	}
	for _, s := range page {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.seq > from {
			a.x.Gap(from, s.seq-1)
		}
		from = s.seq + 1
		if err := a.event(s, documents[s.seq]); err != nil {
			return 0, err
		}
	}
	return from, nil
}

// event looks at one with what is kept beside it.
func (a *audit) event(s audited, documents map[int]journal.Document) error {
	e, err := s.event(a.x.Reading)
	ok, err := a.x.Event(e, err)
	if err != nil || !ok {
		return err
	}
	if e.ID != s.id {
		a.x.Flaw(e.Seq, true, "the event has the id %s, it is listed as %s", e.ID, s.id)
	}
	kept := map[int]bool{}
	for move := range documents {
		kept[move] = true
	}
	return a.x.Documents(e, kept, func(move int) (journal.Document, error) { return documents[move], nil })
}
