package postgres

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// sheet is the tables of one warehouse in a transaction that holds its head: what is
// known of the rows as they are stored, and how they are to be. One goroutine uses it.
type sheet struct {
	id  [16]byte // the warehouse; pgx takes a uuid.UUID for text
	on  sender
	ctx context.Context // of the call under way

	version        int              // of the tables
	cursor, stored journal.Position // as it is to be, as it is
	step           int64            // number of the last one
	about          *about           // when an incarnation has begun

	namespaces rows[string, projections.Namespace] // by Key
	ids        rows[uuid.UUID, journal.Namespace]  // of namespaces
	occupied   map[string]bool                     // namespaces in which something is stored, by Key
	objects    rows[uuid.UUID, object]
	names      rows[naming, uuid.UUID] // live objects
	places     rows[string, uuid.UUID] // by path
	under      map[string]int          // how many places are new at or below a folder
	next       map[string][]place      // the first that are stored below a path
	purges     rows[uuid.UUID, projections.Purge]
	ends       rows[uuid.UUID, projections.End]

	history []historyRow
	named   []namedRow
	undo    undo
}

var _ projections.Tables = (*sheet)(nil)

// sender is a transaction.
type sender interface {
	Send(ctx context.Context, b *pgx.Batch) error
}

// about is what the start of an incarnation says.
type about struct{ name, location string }

// object is a row of objects.
type object struct {
	projections.HeldObject
	step int64
	past bool // it was of an incarnation before
}

func (o *object) live() bool { return o != nil && !o.past && !o.Dropped }

// naming is a name in a namespace.
type naming struct {
	parent [16]byte // the namespace's key
	name   string
}

func namingOf(id journal.Identifier) naming { return naming{keyOf(id.Namespace), id.Name} }

// place is a path and who has it.
type place struct {
	path   string
	holder uuid.UUID
}

type historyRow struct {
	object uuid.UUID
	step   int64
	made   *int64
	what   []byte
}

type namedRow struct {
	naming
	step   int64
	object uuid.UUID
}

func newSheet(id uuid.UUID, on sender) *sheet {
	s := &sheet{id: id, on: on}
	s.forget()
	return s
}

// forget knows nothing more of the rows. Nothing is to be written.
func (s *sheet) forget() {
	u := &s.undo
	s.namespaces, s.ids, s.occupied = newRows[string, projections.Namespace](u), newRows[uuid.UUID, journal.Namespace](u), map[string]bool{}
	s.objects, s.names = newRows[uuid.UUID, object](u), newRows[naming, uuid.UUID](u)
	s.places, s.under, s.next = newRows[string, uuid.UUID](u), map[string]int{}, map[string][]place{}
	s.purges, s.ends = newRows[uuid.UUID, projections.Purge](u), newRows[uuid.UUID, projections.End](u)
	s.history, s.named = nil, nil
}

// apply folds an event that is yet to be applied. A *projections.Conflict leaves
// nothing of it; after any other error the sheet is worthless.
func (s *sheet) apply(ctx context.Context, e journal.Event) error {
	follows, err := projections.Follows(s.id, s.cursor, e)
	if err != nil || !follows {
		return err
	}
	s.ctx = ctx
	step, steps, names := s.step, len(s.history), len(s.named)
	if err := projections.Fold(s, e); err != nil {
		s.undo.run()
		s.step, s.history, s.named = step, s.history[:steps], s.named[:names]
		return err
	}
	s.cursor, s.undo = e.Position, s.undo[:0]
	return nil
}

// Begin forgets all rows but those of history: what is to be written goes first.
func (s *sheet) Begin(name, location string) error {
	s.about = &about{name, location}
	if s.cursor.IsZero() {
		return nil // there is nothing
	}
	var batch pgx.Batch
	s.queueRows(&batch)
	for _, sql := range []string{deleteNamespaces, deletePlaces, deletePurges, passObjects} {
		batch.Queue(sql, s.id)
	}
	s.forget()
	return s.on.Send(s.ctx, &batch)
}

const (
	deleteNamespaces = `DELETE FROM namespaces WHERE warehouse = $1`
	deletePlaces     = `DELETE FROM places WHERE warehouse = $1`
	deletePurges     = `DELETE FROM purges WHERE warehouse = $1`
	passObjects      = `UPDATE objects SET state = 3 WHERE warehouse = $1 AND state <> 3`
)

// took keeps a step of an object that is to be a row already.
func (s *sheet) took(o *object, step projections.Step) {
	row := historyRow{object: step.Move.UUID, step: o.step, what: pointers.PackStep(step, nil)}
	if file := pointers.MadeBy(step); file != 0 {
		row.made = &file
	}
	s.history = append(s.history, row)
	if projections.Names(step.Move) {
		s.named = append(s.named, namedRow{namingOf(step.Move.To.Identifier), o.step, step.Move.UUID})
	}
	end := step.End()
	s.ends.put(step.Move.UUID, &end)
}

// LastEnd reads the last step.
func (s *sheet) LastEnd(id uuid.UUID) (projections.End, bool, error) {
	end, err := ask(s, s.ends, id, needs{ends: []uuid.UUID{id}})
	if end == nil {
		return projections.End{}, false, err
	}
	return *end, true, err
}

// Import keeps the steps, and what is left of their objects: they are past.
func (s *sheet) Import(steps []projections.Step) error {
	for _, step := range steps {
		var was projections.HeldObject
		if before, _ := s.objects.get(step.Move.UUID); before != nil {
			was = before.HeldObject
		}
		s.step++
		o := &object{HeldObject: pointers.Past(was, step.Move), step: s.step, past: true}
		s.objects.put(step.Move.UUID, o)
		s.took(o, step)
	}
	return nil
}

// ask is a row as it is to be, of a table of the sheet. What is not known is asked for.
func ask[K comparable, V any](s *sheet, r rows[K, V], key K, n needs) (*V, error) {
	row, known := r.get(key)
	if known {
		return row, nil
	}
	if err := s.fetch(n); err != nil {
		return nil, err
	}
	row, _ = r.get(key)
	return row, nil
}

// fetch asks for rows now.
func (s *sheet) fetch(n needs) error {
	var batch pgx.Batch
	s.queueNeeds(&batch, n)
	if batch.Len() == 0 {
		return nil
	}
	return s.on.Send(s.ctx, &batch)
}
