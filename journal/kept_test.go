package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

// keeper keeps one event of two moves, and fails as it is told to.
type keeper struct {
	event       journal.Event
	find, fails error
}

func (k keeper) Find(_ context.Context, id uuid.UUID) (journal.Event, bool, error) {
	return k.event, id == k.event.ID, k.find
}

func (k keeper) Document(_ context.Context, seq journal.Seq, move int) ([]byte, error) {
	return fmt.Appendf(nil, "%d/%d", seq, move), k.fails
}

func TestKeptOf(t *testing.T) {
	event, first, second := uuid.New(), uuid.New(), uuid.New()
	e := journal.Event{ID: event, Body: journal.TablesCommitted{Moves: []journal.Move{{UUID: first}, {UUID: second}}}}
	e.Seq = 7
	damage, closed := &journal.Damage{Reason: "torn"}, fmt.Errorf("it is %w", journal.ErrClosed)
	for name, c := range map[string]struct {
		of            keeper
		event, object uuid.UUID
		want          string
		err           error
	}{
		"kept":            {keeper{event: e}, event, second, "7/1", nil},
		"another event":   {keeper{event: e}, first, first, "", nil},
		"another object":  {keeper{event: e}, event, event, "", nil},
		"over the limit":  {keeper{event: e, fails: journal.ErrNotKept}, event, first, "", nil},
		"erased":          {keeper{event: e, fails: journal.ErrErased}, event, first, "", nil},
		"made none":       {keeper{event: e, fails: journal.ErrNoEvent}, event, first, "", nil},
		"damaged":         {keeper{event: e, fails: damage}, event, first, "", damage},
		"cannot be found": {keeper{event: e, find: closed}, event, first, "", closed},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := journal.KeptOf(t.Context(), c.of, c.event, c.object)
			if !errors.Is(err, c.err) || err == nil && string(got) != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
