package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
)

// Turn is the time in which one process alone writes to a warehouse: to its journal
// and to its pointer tables, in one transaction. It is for one goroutine, and for a
// short time: the server ends it when nothing happens for a while. After an error that is no
// *projections.Conflict it can only be rolled back.
type Turn struct {
	store     *Store
	warehouse uuid.UUID
	on        *journalpg.Tx
	sheet     *sheet
	known     *journalpg.Known
	failed    error // what it can be rolled back for only
}

// BeginTurn waits for the turns of others, locks the head, and reads in the same round
// trip what drafts and requests will ask for. Nothing is decided by them: what was not
// foreseen is asked for later. Tables that do not stand at the head are ErrBehind, and
// those of another build pointers.ErrSchema; else the errors are those of the journal's
// DB.Begin. Nothing was written then, and there is no turn.
func (s *Store) BeginTurn(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (*Turn, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var n needs
	ids := make([]uuid.UUID, len(drafts))
	for i, d := range drafts {
		n.add(d.Body)
		ids[i] = d.ID
		if d.Request != nil {
			requests = append(requests[:len(requests):len(requests)], *d.Request)
		}
	}
	t := &Turn{store: s, warehouse: warehouse}
	var err error
	t.on, err = s.db.BeginWith(ctx, func(batch *pgx.Batch) {
		t.sheet = newSheet(warehouse, nil)
		t.sheet.queueCursor(batch)
		t.sheet.queueNeeds(batch, n)
		t.known = journalpg.QueueKnown(batch, warehouse, ids, requests)
	}, warehouse)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	t.sheet.on = t.on
	if err := t.stands(); err != nil {
		t.Rollback()
		return nil, err
	}
	return t, nil
}

// stands refuses tables that are not where the history ends.
func (t *Turn) stands() error {
	if err := t.store.checkSchema(t.sheet.version); err != nil {
		return err
	}
	if head, _ := t.Chain(); t.sheet.cursor != head.Head {
		return behind(t.sheet.cursor, head.Head)
	}
	return nil
}

// Chain is the end of the history when the turn began; false: the warehouse is not born.
func (t *Turn) Chain() (journal.Chain, bool) {
	chain, born := t.on.Heads()[t.warehouse]
	return chain, born
}

// Now is the database's clock, as it was when the head was locked.
func (t *Turn) Now() journal.Instant { return t.on.Now() }

// Find looks an event up by its id, in the current incarnation.
func (t *Turn) Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error) {
	e, found, asked, err := t.known.Find(id)
	if asked {
		return e, found, err
	}
	known, err := t.on.Known(ctx, t.warehouse, []uuid.UUID{id}, nil)
	if err != nil {
		return journal.Event{}, false, err
	}
	e, found, _, err = known.Find(id)
	return e, found, err
}

// Answered tells whether the key of a request is bound at a moment.
func (t *Turn) Answered(ctx context.Context, r journal.Request, at time.Time) (bool, error) {
	bound, asked, err := t.known.Answered(r, at)
	if asked {
		return bound, err
	}
	known, err := t.on.Known(ctx, t.warehouse, nil, []journal.Request{r})
	if err != nil {
		return false, err
	}
	bound, _, err = known.Answered(r, at)
	return bound, err
}

// Apply takes the next event by the rules of projections.Projection: after a
// *projections.Conflict the turn holds nothing of this event and goes on.
func (t *Turn) Apply(ctx context.Context, e journal.Event) error {
	if t.failed != nil {
		return t.failed
	}
	err := t.sheet.apply(ctx, e)
	if _, conflict := errors.AsType[*projections.Conflict](err); err != nil && !conflict {
		return t.fail(err)
	}
	return err
}

// Commit makes entries, whose events were applied, and answers durable and visible,
// with the pointers, and ends the turn: all or none. Answers bind their keys at Now, or at
// the newest event's time where that is later. The errors are those of
// journal.Writer.
func (t *Turn) Commit(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error {
	defer t.Rollback()
	if t.failed != nil {
		return t.failed
	}
	chain, _ := t.Chain()
	if n := len(entries); n > 0 {
		chain = journal.ChainAt(entries[n-1].Event)
	}
	if t.sheet.cursor != chain.Head {
		return fmt.Errorf("%w: the turn stands at %s, what is to be committed at %s", projections.ErrGap, t.sheet.cursor, chain.Head)
	}
	if len(entries) > 0 {
		t.on.Queue(t.sheet.queueAll)
		if err := t.on.Append(ctx, entries...); err != nil {
			return damaged(err)
		}
	}
	if len(answers) > 0 {
		at := t.Now().Trusted
		if at.Before(chain.At) {
			at = chain.At
		}
		if err := t.on.Remember(ctx, t.warehouse, at, answers...); err != nil {
			return err
		}
	}
	err := t.on.Commit(ctx)
	if err == nil {
		t.store.grew(t.sheet.stored, t.sheet.cursor)
	}
	return err
}

// Rollback ends the turn and leaves nothing of it. After Commit it does nothing.
func (t *Turn) Rollback() {
	if t.failed == nil {
		t.failed = projections.ErrTxOver
	}
	t.on.Rollback(context.Background())
}
