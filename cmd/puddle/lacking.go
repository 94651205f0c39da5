package main

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/anchor"
)

// lacking is how far one that follows a warehouse's journal was seen to be, and since when
// it has lacked the event after that. What the journal has said once is kept: the age of
// an event does not go down where the journal, or the warehouse, cannot be read any more.
// Its methods may be called from many goroutines.
type lacking struct {
	mu    sync.Mutex
	seen  bool        // guarded by mu
	after journal.Seq // guarded by mu: the newest event that it has
	since time.Time   // guarded by mu: when the next one came; zero: none was seen
}

// last is how far it was seen to be; false: never.
func (l *lacking) last() (journal.Seq, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.after, l.seen
}

// from is when the first event after one came, as the journal says: zero where there is
// none, and where it cannot say.
func (l *lacking) from(j journal.Histories, warehouse uuid.UUID, after journal.Seq) time.Time {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen || l.after != after {
		l.seen, l.after, l.since = true, after, time.Time{}
	}
	if !l.since.IsZero() {
		return l.since
	}
	for e, err := range journal.Lineage(j, warehouse).Scan(ctx, after) {
		if err == nil {
			l.since = e.At
		}
		break
	}
	return l.since
}

// lag is since when what follows a warehouse's journal here has lacked the event after
// one, whether that is being written at the moment, fails, or waits. While nobody knows
// how far it is, as it has not come to look, it has waited from when it began.
func (n *node) lag(w *warehouse, l *lacking, t *term, after journal.Seq) time.Time {
	if after == 0 {
		return t.began
	}
	return l.from(n.journal, w.id, after)
}

// elsewhere is how far another replica has come, and since when it has lacked what comes
// then, by what lies in the warehouse. While that cannot be read, what was seen last
// counts on; where it is of another history, nothing does.
func (n *node) elsewhere(w *warehouse, l *lacking, at journal.Position, unread error) (journal.Seq, time.Time, error) {
	seq, seen := l.last()
	if unread == nil {
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		if err := anchor.CheckBeside(ctx, n.journal, w.id, at.Incarnation, at.Seq); err != nil {
			n.meets(w, err)
			return 0, time.Time{}, err
		}
		seq, seen = at.Seq, true
	}
	if !seen {
		return 0, time.Time{}, unread
	}
	return seq, l.from(n.journal, w.id, seq), unread
}
