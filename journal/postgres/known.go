package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// Known is which of some events and answers the current incarnation of a warehouse has,
// asked for in a batch. It stays true while the head is held. Make one with QueueKnown.
type Known struct {
	of     journal.Reading // of the events and answers that were found
	ids    map[uuid.UUID]*stored
	digest map[journal.Digest][]byte
}

const (
	selectKnown = `SELECT ` + eventColumns + `, e.incarnation, e.id FROM events e
		WHERE e.warehouse = $1 AND e.incarnation = (SELECT incarnation FROM heads WHERE warehouse = $1) AND e.id = ANY($2)`
	selectAnswers = `SELECT incarnation, key, answer FROM requests
		WHERE warehouse = $1 AND incarnation = (SELECT incarnation FROM heads WHERE warehouse = $1) AND key = ANY($2)`
)

// QueueKnown asks for events by id and for answers by key.
func QueueKnown(batch *pgx.Batch, warehouse uuid.UUID, ids []uuid.UUID, requests []journal.Request) *Known {
	k := &Known{of: journal.Reading{Warehouse: warehouse}, ids: map[uuid.UUID]*stored{}, digest: map[journal.Digest][]byte{}}
	var events [][16]byte
	for _, id := range ids {
		events, k.ids[id] = append(events, id), nil
	}
	var keys [][]byte
	for _, r := range requests {
		key := r.Digest()
		keys, k.digest[key] = append(keys, key[:]), nil
	}
	if len(events) > 0 {
		batch.Queue(selectKnown, [16]byte(warehouse), events).Query(k.scanEvents)
	}
	if len(keys) > 0 {
		batch.Queue(selectAnswers, [16]byte(warehouse), keys).Query(k.scanAnswers)
	}
	return k
}

func (k *Known) scanEvents(rows pgx.Rows) error {
	for rows.Next() {
		var id uuid.UUID
		s, err := scanEvent(rows, (*[16]byte)(&k.of.Head.Incarnation), (*[16]byte)(&id))
		if err != nil {
			return err
		}
		k.ids[id] = &s
	}
	return rows.Err()
}

func (k *Known) scanAnswers(rows pgx.Rows) error {
	for rows.Next() {
		var key, answer []byte
		if err := rows.Scan((*[16]byte)(&k.of.Head.Incarnation), &key, &answer); err != nil {
			return err
		}
		digest, err := digest(key)
		if err != nil {
			return k.of.Damage(0, fmt.Errorf("the key of a request: %w", err))
		}
		k.digest[digest] = answer
	}
	return rows.Err()
}

// Find is the event with an id, as journal.Reader has it; asked is false for one that
// was not asked for.
func (k *Known) Find(id uuid.UUID) (e journal.Event, found, asked bool, err error) {
	s, asked := k.ids[id]
	if s == nil {
		return journal.Event{}, false, asked, nil
	}
	e, err = s.event(k.of)
	if err == nil && e.ID != id {
		err = k.of.Damage(s.seq, fmt.Errorf("the event has the id %s, it was looked for as %s", e.ID, id))
	}
	return e, err == nil, true, err
}

// Answered tells whether the key of a request is bound at a time; asked is false for one
// that was not asked for.
func (k *Known) Answered(r journal.Request, at time.Time) (bound, asked bool, err error) {
	key := r.Digest()
	value, asked := k.digest[key]
	if value == nil {
		return false, asked, nil
	}
	a, err := k.of.Answer(key, value)
	return err == nil && !a.Expired(at), true, err
}

// Known asks for one more thing in a transaction.
func (tx *Tx) Known(ctx context.Context, warehouse uuid.UUID, ids []uuid.UUID, requests []journal.Request) (*Known, error) {
	var batch pgx.Batch
	k := QueueKnown(&batch, warehouse, ids, requests)
	return k, tx.Send(ctx, &batch)
}
