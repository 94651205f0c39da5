package postgres

import (
	"context"
	"sync"
	"time"
)

// moves are what the sessions of a process lead to, one after the other.
type moves struct {
	mu      sync.Mutex
	started time.Time // guarded by mu: the server of the last session
	look    func(context.Context)
}

// OnMove has look called from now on whenever a session leads to another process of a
// server than the one before: it was started again, or another one has taken its place. The
// session, and those that are made meanwhile, are used when look returns. So who knows from
// elsewhere what was committed tells it in time, by Saw.
func (db *DB) OnMove(look func(context.Context)) {
	db.moves.mu.Lock()
	defer db.moves.mu.Unlock()
	db.moves.look = look
}

// to is called with each new session, before it is used.
func (m *moves) to(ctx context.Context, s server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.look != nil && !s.started.Equal(m.started) {
		m.look(ctx)
	}
	m.started = s.started
}
