package postgres

import (
	"context"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
	journalpg "puddle/journal/postgres"
)

// OpenSchema is Open as a build would that has another schema version.
func OpenSchema(ctx context.Context, db *journalpg.DB, schema int) (*Store, error) {
	return open(ctx, db, schema)
}

// Analyze has the server look at the tables.
func (s *Store) Analyze() error { return s.analyze() }

// Statements is how many statements read ahead for drafts, and how many write what was
// applied.
func (t *Turn) Statements(drafts []journal.Draft) (read, written int) {
	var n needs
	for _, d := range drafts {
		n.add(d.Body)
	}
	var ahead, flush pgx.Batch
	newSheet(t.warehouse, nil).queueNeeds(&ahead, n)
	t.sheet.queueAll(&flush)
	return ahead.Len(), flush.Len()
}

// SetAnswerLimit bounds queries for objects. Not for concurrent use.
func (s *Store) SetAnswerLimit(d time.Duration) { s.objects.limit = d }

// begin is enter for a question that nobody has.
func (t *together) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries == queriesAtOnce {
		return false
	}
	t.queries++
	return true
}

// Crowd has whoever asks for objects from now on wait for others, until release is called;
// waiting is how many do.
func (s *Store) Crowd() (waiting func() int, release func()) {
	for range queriesAtOnce {
		for !s.objects.begin() { // those of a crowd before are still under way
			runtime.Gosched()
		}
	}
	waiting = func() int {
		s.objects.mu.Lock()
		defer s.objects.mu.Unlock()
		return len(s.objects.waiting)
	}
	return waiting, func() {
		for range queriesAtOnce {
			s.leave()
		}
	}
}

// CountTrips counts the round trips that applying events takes from now on.
func (t *Turn) CountTrips() *int {
	counted := &counted{sender: t.sheet.on}
	t.sheet.on = counted
	return &counted.n
}

type counted struct {
	sender
	n int
}

func (c *counted) Send(ctx context.Context, b *pgx.Batch) error {
	c.n++
	return c.sender.Send(ctx, b)
}
