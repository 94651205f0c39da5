package postgres_test

import (
	"context"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal/journaltest"
)

// TestCase156_CancelledAtCommit: who cancels a commit that is being written may have the
// server say that it was canceled, when it is there: as after it has logged how long that took.
func TestCase156_CancelledAtCommit(t *testing.T) {
	server := postgrestest.New(t, "fsync=on", "commit_delay=100000", "commit_siblings=0", "log_min_duration_statement=0")
	direct := server.Open(t)
	db := open(t, direct)
	journaltest.Append(t, db, births(t, lake))
	for range 3 {
		e := after(t, db, draft(lake))
		result := make(chan error)
		go func() { result <- db.Append(context.Background(), e) }()
		ask[bool](t, direct, `SELECT pg_cancel_backend($1)`, awaitBackend(t, direct, `state = 'active' AND query = 'commit'`))
		wantTruth(t, db, e, <-result)
	}
}
