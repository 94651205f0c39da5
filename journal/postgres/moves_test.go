package postgres_test

import (
	"context"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestMoves: when sessions lead to another server, who knows of what was committed is asked
// before one of them is used, once.
func TestMoves(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t)
	db := open(t, server.Open(t))
	journaltest.Append(t, db, births(t, lake))
	asked := 0
	beyond := journal.Position{}
	db.OnMove(func(context.Context) {
		asked++
		if beyond.Seq > 0 {
			db.Saw(lake, beyond)
		}
	})
	head := func() journal.Position {
		t.Helper()
		at, err := db.Warehouse(lake).Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	restart := func() {
		t.Helper()
		server.Stop()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	at := head()
	db.Pool().Reset()
	head()
	if asked != 0 {
		t.Errorf("asked %d times about the server that was there", asked)
	}
	restart()
	head()
	db.Pool().Reset()
	head()
	if asked != 1 {
		t.Errorf("asked %d times about another server", asked)
	}
	next := after(t, db, draft(lake))
	beyond = at
	beyond.Seq++
	restart()
	wantError(t, "append", db.Append(t.Context(), next), postgres.ErrWentBack)
	_, err := db.Warehouse(lake).Head(t.Context())
	wantError(t, "head", err, postgres.ErrWentBack)
}
