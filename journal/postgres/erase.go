package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// Limits of a transaction that erases.
const (
	eraseDocuments = 500
	eraseBytes     = 8 << 20
)

// shelved names a document of an incarnation.
type shelved struct {
	seq  journal.Seq
	move int
}

// erasure is what becomes of the documents of one incarnation: some are erased, and what
// is built on one of those is made whole, so that every other document can be made as
// before. What is built on that in turn is told how many patches it is made of now.
type erasure struct {
	*compaction
	of      reader
	retains journal.Retention

	steps   []step                // in the order of their documents
	patches map[shelved]int       // what documents are made of then, where that is another number than before
	above   map[shelved][]shelved // of those: what is built on them
	erased  int64                 // documents
	grown   int64                 // bytes
}

// step is a document that is erased, or else made whole.
type step struct {
	shelved
	whole bool
	size  int64 // that it has
}

// erasures find out what is not retained of the incarnations that stay.
func (c *compaction) erasures(ctx context.Context) (map[uuid.UUID]*erasure, error) {
	if c.Retain == 0 {
		return nil, nil
	}
	kept := map[uuid.UUID][]uuid.UUID{}
	for _, h := range c.histories {
		if h.Current || !c.Prune {
			kept[h.Warehouse] = append(kept[h.Warehouse], h.Incarnation)
		}
	}
	all := map[uuid.UUID]*erasure{}
	for warehouse, incarnations := range kept {
		retained, err := journal.Retain(ctx, c.db, warehouse, incarnations, c.Retain, c.Now)
		if err != nil {
			return nil, err
		}
		for _, id := range incarnations {
			e := &erasure{
				compaction: c, of: reader{db: c.db, warehouse: warehouse, incarnation: id, session: c.session},
				retains: retained[id], patches: map[shelved]int{}, above: map[shelved][]shelved{},
			}
			if err := e.plan(ctx); err != nil {
				return nil, err
			}
			all[id] = e
		}
	}
	return all, nil
}

// The first bytes of a document are enough to tell what it is built on.
const selectShelved = `SELECT seq, move, codec, substring(data FOR 64), octet_length(data) FROM documents
	WHERE warehouse = $1 AND incarnation = $2 AND (seq, move) > ($3, $4) ORDER BY seq, move LIMIT $5`

// plan goes through all documents, in order.
func (e *erasure) plan(ctx context.Context) error {
	for at := (shelved{0, -1}); ; {
		n := 0
		err := e.of.read(ctx, func(conn *pgx.Conn) error {
			rows, _ := conn.Query(ctx, selectShelved, e.of.warehouse, e.of.incarnation, number(at.seq), at.move, pageEvents)
			defer rows.Close()
			var found []step
			var documents []journal.Document
			for rows.Next() {
				var size int64
				seq, d, err := scanDocument(rows, &size)
				if err != nil {
					return err
				}
				found, documents = append(found, step{shelved: shelved{seq, d.Move}, size: size}), append(documents, d)
			}
			if err := rows.Err(); err != nil {
				return err
			}
			for i, s := range found {
				e.decide(s, documents[i])
				at = s.shelved
			}
			n = len(found)
			return nil
		})
		if err != nil || n == 0 {
			return err
		}
	}
}

// decide about one, of which d is the beginning.
func (e *erasure) decide(s step, d journal.Document) {
	if d.Codec == journal.CodecErased {
		return
	}
	if e.retains.Erases(s.seq, s.move) {
		e.steps = append(e.steps, s)
		return
	}
	base, patched := d.On()
	if !patched {
		return
	}
	on := shelved{base.Seq, base.Move}
	patches, changed := e.patches[on]
	switch {
	case e.retains.Erases(on.seq, on.move):
		e.patches[s.shelved] = 0
		s.whole = true
		e.steps = append(e.steps, s)
	case changed:
		e.patches[s.shelved] = patches + 1
		e.above[on] = append(e.above[on], s.shelved)
	}
}

// run takes the steps, the last first: a document is made whole before what it is built
// on is erased, and is erased after all that is built on it.
func (e *erasure) run(ctx context.Context, counted func(int)) error {
	slices.Reverse(e.steps)
	for left := e.steps; len(left) > 0; {
		var done rewriting
		rewrite := func(ctx context.Context, _ pgx.Tx) (err error) {
			done, err = e.rewrite(ctx, left)
			return err
		}
		var err error
		if e.DryRun {
			err = rewrite(ctx, nil)
		} else {
			err = e.change(ctx, e.of.warehouse, rewrite)
		}
		if err != nil {
			return err
		}
		e.erased += int64(done.erased)
		e.grown += done.grown
		counted(done.erased)
		left = left[done.steps:]
	}
	return nil
}

// rewriting is what one transaction does.
type rewriting struct {
	steps, erased, bytes int
	grown                int64
}

const eraseShelved = `UPDATE documents SET codec = $5, data = '' FROM unnest($3::bigint[], $4::integer[]) AS old (seq, move)
	WHERE warehouse = $1 AND incarnation = $2 AND documents.seq = old.seq AND documents.move = old.move`

// rewrite takes as many steps as there is room for, and at least one.
func (e *erasure) rewrite(ctx context.Context, steps []step) (done rewriting, err error) {
	var seqs []int64
	var moves []int32
	for _, s := range steps {
		if done.steps == e.most || done.bytes >= eraseBytes {
			break
		}
		done.steps++
		if s.whole {
			if err := e.whole(ctx, s, &done); err != nil {
				return done, err
			}
			continue
		}
		done.erased++
		done.grown -= s.size
		seqs, moves = append(seqs, number(s.seq)), append(moves, int32(s.move))
	}
	if e.DryRun || done.erased == 0 {
		return done, nil
	}
	_, err = e.session.Exec(ctx, eraseShelved, e.of.warehouse, e.of.incarnation, seqs, moves, int16(journal.CodecErased))
	return done, err
}

// whole makes a document of all that it is built on. The limit of what is kept is
// that of appends: here it was kept already.
func (e *erasure) whole(ctx context.Context, s step, done *rewriting) error {
	plain, err := e.of.Document(ctx, s.seq, s.move)
	if err != nil {
		return err
	}
	d, ok := journal.KeepDocument(s.move, plain, 2*journal.MaxInflatedBytes)
	if !ok {
		return fmt.Errorf("document of move %d of event %d: %w", s.move, s.seq, journal.ErrTooLarge)
	}
	done.grown += int64(len(d.Data)) - s.size
	done.bytes += len(d.Data)
	if e.DryRun {
		return nil
	}
	changed := []shelved{s.shelved}
	if err := e.put(ctx, s.seq, d); err != nil {
		return err
	}
	for i := 0; i < len(changed); i++ {
		for _, on := range e.above[changed[i]] {
			_, d, err := e.of.kept(ctx, on.seq, on.move)
			if err == nil {
				err = e.put(ctx, on.seq, d.OnAnother(e.patches[changed[i]]))
			}
			if err != nil {
				return err
			}
			done.bytes += len(d.Data)
			changed = append(changed, on)
		}
	}
	return e.readBack(ctx, changed)
}

const putShelved = `UPDATE documents SET codec = $5, data = $6 WHERE warehouse = $1 AND incarnation = $2 AND seq = $3 AND move = $4`

func (e *erasure) put(ctx context.Context, seq journal.Seq, d journal.Document) error {
	_, err := e.session.Exec(ctx, putShelved, e.of.warehouse, e.of.incarnation, number(seq), int32(d.Move), int16(d.Codec), notNull(d.Data))
	return err
}

// readBack proves what was changed, before it is committed.
func (e *erasure) readBack(ctx context.Context, all []shelved) error {
	for _, s := range all {
		if _, err := e.of.Document(ctx, s.seq, s.move); err != nil {
			return fmt.Errorf("what was made of document %d of event %d: %w", s.move, s.seq, err)
		}
	}
	return nil
}
