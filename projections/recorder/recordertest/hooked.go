package recordertest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/recorder"
)

// Hooked is a database whose turns are hooked, those of the warehouse: the steps are
// "begin", "find", "answered", "apply" and "commit".
func Hooked(db recorder.Database, warehouse uuid.UUID, h Hook) recorder.Database {
	return &hooked{db, warehouse, h}
}

type hooked struct {
	recorder.Database
	warehouse uuid.UUID
	hook      Hook
}

func (h *hooked) Begin(ctx context.Context, warehouse uuid.UUID, drafts []journal.Draft, requests []journal.Request) (turn recorder.Turn, err error) {
	if warehouse != h.warehouse {
		return h.Database.Begin(ctx, warehouse, drafts, requests)
	}
	err = h.hook.Around("begin", func() error {
		turn, err = h.Database.Begin(ctx, warehouse, drafts, requests)
		return err
	})
	if err != nil {
		if turn != nil {
			turn.Rollback()
		}
		return nil, err
	}
	return &hookedTurn{turn, h.hook}, nil
}

type hookedTurn struct {
	recorder.Turn
	hook Hook
}

func (t *hookedTurn) Find(ctx context.Context, id uuid.UUID) (e journal.Event, found bool, err error) {
	err = t.hook.Around("find", func() error {
		e, found, err = t.Turn.Find(ctx, id)
		return err
	})
	return e, found, err
}

func (t *hookedTurn) Answered(ctx context.Context, r journal.Request, at time.Time) (bound bool, err error) {
	err = t.hook.Around("answered", func() error {
		bound, err = t.Turn.Answered(ctx, r, at)
		return err
	})
	return bound, err
}

func (t *hookedTurn) Apply(ctx context.Context, e journal.Event) error {
	return t.hook.Around("apply", func() error { return t.Turn.Apply(ctx, e) })
}

func (t *hookedTurn) Commit(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error {
	return t.hook.Around("commit", func() error { return t.Turn.Commit(ctx, entries, answers) })
}
