package postgres_test

import (
	"testing"
	"time"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestStandbyIsAway: a commit that no synchronous standby has is not acknowledged, also
// when the wait for it is given up, by whomever, and everybody sees the event.
func TestStandbyIsAway(t *testing.T) {
	for name, give := range map[string]func(t *testing.T, direct string){
		"the wait is over":  func(*testing.T, string) {},
		"the wait is ended": func(t *testing.T, direct string) { cancelWait(t, direct) },
		"its session is over": func(t *testing.T, direct string) {
			terminate(t, direct, awaitBackend(t, direct, `wait_event = 'SyncRep'`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, direct := waiting(t)
			db := openWith(t, postgres.Within(postgres.Options{URL: direct, Unsafe: true}, 2*time.Second))
			e := after(t, db, draft(lake))
			result := make(chan error)
			go func() { result <- db.Append(t.Context(), e) }()
			give(t, direct)
			wantError(t, "append without the standby", <-result, journal.ErrUnknownOutcome)
			if n := times(t, db, e); n != 1 {
				t.Errorf("the event is there %d times", n)
			}
			standbys(t, server, "")
			journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
		})
	}
}

// cancelWait ends the wait of a commit for its standbys.
func cancelWait(t *testing.T, direct string) {
	t.Helper()
	if !ask[bool](t, direct, `SELECT pg_cancel_backend($1)`, awaitBackend(t, direct, `wait_event = 'SyncRep'`)) {
		t.Error("there is nothing to cancel")
	}
}
