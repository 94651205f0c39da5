package recorder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// shared is a Database that other processes write to as well. Nothing of it is known
// between two turns.
type shared struct {
	recorder *Recorder
	db       Database

	mu    sync.RWMutex
	lanes map[uuid.UUID]*lane // by warehouse; only of those that are born
}

// lane is the warehouse's own, made when something comes for it first: turns of
// different warehouses do not wait for each other.
func (s *shared) lane(ctx context.Context, warehouse uuid.UUID) (*lane, error) {
	s.mu.RLock()
	l := s.lanes[warehouse]
	s.mu.RUnlock()
	if l != nil {
		return l, nil
	}
	born, err := s.db.Warehouses(ctx)
	switch {
	case err != nil:
		return nil, notRecorded(err)
	case !slices.Contains(born, warehouse):
		return nil, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
	}
	return s.open(warehouse)
}

// open starts a warehouse's lane, unless somebody else has.
func (s *shared) open(warehouse uuid.UUID) (l *lane, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l = s.lanes[warehouse]; l == nil {
		if l, err = s.recorder.start(); err == nil {
			s.lanes[warehouse] = l
		}
	}
	return l, err
}

// passes lets answers go with the drafts that are there.
func (s *shared) passes(taken load) []load { return []load{taken} }

func (s *shared) begin(ctx context.Context, taken load) (pass, error) {
	drafts := make([]journal.Draft, 0, len(taken.calls))
	for _, c := range taken.calls {
		drafts = append(drafts, c.draft)
	}
	requests := make([]journal.Request, 0, len(taken.memos))
	for _, m := range taken.memos {
		requests = append(requests, m.answer.Request)
	}
	turn, err := s.db.Begin(ctx, taken.warehouse(), drafts, requests)
	if err != nil {
		return nil, err
	}
	return sharedPass{turn}, nil
}

// stops: after anything else the next turn begins with what is there.
func (s *shared) stops(err error) bool { return errors.Is(err, journal.ErrClosed) }

func (s *shared) mend(_ *lane, reason error) error { return reason }

func (s *shared) reader(warehouse uuid.UUID) projections.Reader { return s.db.Warehouse(warehouse) }

func (s *shared) ready() error { return nil }

// sharedPass is a turn: its warehouse is that of all that it is asked about.
type sharedPass struct{ turn Turn }

func (p sharedPass) chain(uuid.UUID) (journal.Chain, bool) { return p.turn.Chain() }

func (p sharedPass) now() journal.Instant { return p.turn.Now() }

func (p sharedPass) find(ctx context.Context, _, id uuid.UUID) (journal.Event, bool, error) {
	return p.turn.Find(ctx, id)
}

// certain: a commit may be there because its wait for the standbys was given up.
func (p sharedPass) certain() bool { return false }

func (p sharedPass) answered(ctx context.Context, _ uuid.UUID, r journal.Request, at time.Time) (bool, error) {
	return p.turn.Answered(ctx, r, at)
}

func (p sharedPass) apply(ctx context.Context, e journal.Event) error { return p.turn.Apply(ctx, e) }

func (p sharedPass) record(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error {
	return p.turn.Commit(ctx, entries, answers)
}

// show has nothing to do: what is durable is visible.
func (p sharedPass) show() error { return nil }

func (p sharedPass) rollback() error {
	p.turn.Rollback()
	return nil
}
