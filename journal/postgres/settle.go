package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// settlePause is how long to wait before the database is asked again.
const settlePause = 100 * time.Millisecond

// sought is what a transaction was to make durable, to be looked for.
type sought struct {
	entries []journal.Entry
	bound   []bindings // of answers that made no event
}

func (s sought) warehouses() []uuid.UUID {
	ids := warehousesOf(s.entries)
	for _, b := range s.bound {
		for _, id := range b.warehouses {
			ids = append(ids, id)
		}
	}
	return ids
}

// settle says what became of a commit whose answer was lost: nil when it is durable,
// the failure when it surely is not, ErrUnknownOutcome when nobody can be asked in
// time. Where nothing was appended nothing of the journal is in doubt: ErrAway.
func (db *DB) settle(ctx context.Context, s sought, failure error) error {
	ctx, cancel := context.WithTimeout(ctx, db.options.outcomeLimit)
	defer cancel()
	if len(s.warehouses()) == 0 {
		return fmt.Errorf("%w: the answer to a commit that appended nothing was lost: %w", ErrAway, failure)
	}
	for {
		done, err := db.lookFor(ctx, s)
		_, damaged := errors.AsType[*journal.Damage](err)
		switch {
		case err == nil && done:
			return nil
		case err == nil:
			return fmt.Errorf("it was not committed: %w", failure)
		case damaged || errors.Is(err, ErrWentBack):
			return notKnown(failure, err)
		case db.closed.Load():
			return fmt.Errorf("%w: the journal was closed meanwhile: %w", journal.ErrUnknownOutcome, failure)
		}
		select {
		case <-ctx.Done():
			return notKnown(failure, err)
		case <-time.After(settlePause):
		}
	}
}

// notKnown is ErrUnknownOutcome, and nothing of why nobody could be asked: that something
// else is true of the database does not make the outcome known.
func notKnown(failure, asked error) error {
	return fmt.Errorf("%w: %w; when it was asked for: %v", journal.ErrUnknownOutcome, failure, asked)
}

// lookFor takes the heads that the lost transaction had, so that it is over, and
// looks what it has left. Giving up the wait for an answer ends the wait for synchronous
// standbys as well: what is there is committed again with this transaction, which waits for
// them anew.
func (db *DB) lookFor(ctx context.Context, s sought) (done bool, err error) {
	tx, err := db.Begin(ctx, s.warehouses()...)
	if err != nil {
		return false, err
	}
	defer tx.Rollback(ctx)
	unborn, err := tx.awaitBirths(ctx)
	if err != nil {
		return false, err
	}
	if done, err = tx.has(ctx, s); err == nil && done && !unborn {
		err = tx.keep(ctx)
	}
	return done, err
}

// has looks for what one transaction was to make durable.
func (tx *Tx) has(ctx context.Context, s sought) (bool, error) {
	if len(s.entries) > 0 {
		return tx.hasEvents(ctx, s.entries)
	}
	for _, b := range s.bound {
		if has, err := tx.hasAnswers(ctx, b); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

const tryBirths = `INSERT INTO heads (warehouse, incarnation, seq, hash, at)
	SELECT *, 0, '', 0 FROM unnest($1::uuid[], $1::uuid[]) AS new (warehouse, incarnation) ORDER BY warehouse ON CONFLICT DO NOTHING`

// awaitBirths waits for transactions that are making a head which is not there: its
// key is theirs until they end. What it makes itself, which is true, is to be rolled back.
func (tx *Tx) awaitBirths(ctx context.Context) (made bool, err error) {
	var unborn [][16]byte
	for id := range tx.locked {
		if _, born := tx.heads[id]; !born {
			unborn = append(unborn, id)
		}
	}
	if len(unborn) == 0 {
		return false, nil
	}
	tried, err := tx.tx.Exec(ctx, tryBirths, unborn)
	return tried.RowsAffected() > 0, err
}

const countEvents = `SELECT count(*) FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::bytea[]) AS lost (warehouse, incarnation, seq, id, hash)
	JOIN events USING (warehouse, incarnation, seq, id, hash)`

// hasEvents looks events up. One transaction wrote all or none of them.
func (tx *Tx) hasEvents(ctx context.Context, entries []journal.Entry) (bool, error) {
	var at place
	var ids [][16]byte
	var hashes [][]byte
	for _, e := range entries {
		at.add(e.Event)
		ids, hashes = append(ids, e.Event.ID), append(hashes, e.Event.Hash[:])
	}
	var found int
	err := tx.tx.QueryRow(ctx, countEvents, at.warehouses, at.incarnations, at.seqs, ids, hashes).Scan(&found)
	if err == nil && found != 0 && found != len(entries) {
		err = &journal.Damage{Reason: fmt.Sprintf("%d of a group of %d events are there", found, len(entries))}
	}
	return found != 0, err
}

const selectBound = `SELECT answer FROM requests WHERE warehouse = $1 AND incarnation = $2 AND key = $3`

// hasAnswers looks answers up that one transaction stored, or did not.
func (tx *Tx) hasAnswers(ctx context.Context, b bindings) (bool, error) {
	for i := range b.keys {
		var answer []byte
		err := tx.tx.QueryRow(ctx, selectBound, b.warehouses[i], b.incarnations[i], b.keys[i]).Scan(&answer)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !bytes.Equal(answer, b.answers[i]) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
