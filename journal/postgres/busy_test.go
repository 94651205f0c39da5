package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestWhyNot: errors of the server say whether it is busy or away; an outcome that is
// unknown is neither.
func TestWhyNot(t *testing.T) {
	for code, want := range map[string]error{
		"53300": postgres.ErrBusy, "53100": postgres.ErrBusy, "55P03": postgres.ErrBusy, "57014": postgres.ErrBusy, "40P01": postgres.ErrBusy,
		"57P01": postgres.ErrAway, "57P02": postgres.ErrAway, "57P03": postgres.ErrAway, "08006": postgres.ErrAway, "25P03": postgres.ErrAway, "25P04": postgres.ErrAway,
		"23505": nil, "42501": nil, "58030": nil, "XX001": nil, "40003": nil,
	} {
		said := fmt.Errorf("x: %w", &pgconn.PgError{Code: code})
		if got := postgres.WhyNot(said); !errors.Is(got, want) {
			t.Errorf("%s is %v, want %v", code, got, want)
		}
		if got := postgres.WhyNot(fmt.Errorf("%w: %w", journal.ErrUnknownOutcome, said)); got != nil {
			t.Errorf("of a commit %s is %v", code, got)
		}
	}
}

// TestExhausted: when all connections of the process are in use, readers and turns wait,
// and not for ever.
func TestExhausted(t *testing.T) {
	db := openWith(t, postgres.Options{URL: postgrestest.Open(t), Unsafe: true, MaxConnections: 1})
	journaltest.Append(t, db, births(t, lake))
	e := after(t, db, draft(lake))
	tx, err := db.Begin(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	postgres.SetWait(db, time.Millisecond)
	_, err = db.Warehouse(lake).Head(t.Context())
	wantError(t, "a reader", err, postgres.ErrBusy)
	wantError(t, "a turn", db.Append(t.Context(), e), postgres.ErrBusy)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = db.Warehouse(lake).Head(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, postgres.ErrBusy) {
		t.Errorf("who does not want to know any more: %v", err)
	}
	tx.Rollback(t.Context())
	postgres.SetWait(db, postgres.TurnWait)
	wantTruth(t, db, e, db.Append(t.Context(), e))
}

// TestTooManyConnections: the server takes no more.
func TestTooManyConnections(t *testing.T) {
	server := postgrestest.Shared(t)
	database := server.Open(t)
	db := open(t, database)
	journaltest.Append(t, db, births(t, lake))
	exec(t, database, "CREATE ROLE heron LOGIN CONNECTION LIMIT 1", "GRANT USAGE ON SCHEMA puddle TO heron",
		"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO heron")
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("heron")
	_, err = postgres.Open(t.Context(), postgres.Options{URL: u.String(), Unsafe: true}) // it takes two
	wantError(t, "a connection over the limit", err, postgres.ErrBusy)
}

// TestAway: what is asked while the server is away says so, and nothing is written. When
// it is there again no reader and no turn fails, however many connections are dead.
func TestAway(t *testing.T) {
	t.Parallel()
	const idle = 4
	server := postgrestest.New(t)
	db := openWith(t, postgres.Options{URL: server.Open(t), Unsafe: true, MaxConnections: idle})
	journaltest.Append(t, db, births(t, lake))
	e := after(t, db, draft(lake))
	for name, back := range map[string]func() error{
		"a reader": func() error { _, err := db.Warehouse(lake).Head(t.Context()); return err },
		"readers":  func() error { return together(idle, func() error { _, err := db.Warehouses(t.Context()); return err }) },
		"a turn":   func() error { return db.Append(t.Context(), e) },
	} {
		leaveIdle(t, db, idle)
		server.Stop()
		_, err := db.Warehouse(lake).Head(t.Context())
		wantError(t, "a reader", err, postgres.ErrAway)
		wantError(t, "a turn", db.Append(t.Context(), e), postgres.ErrAway)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		leaveIdle(t, db, idle)
		server.Stop()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		if err := back(); err != nil {
			t.Errorf("%s when it is there again: %v", name, err)
		}
	}
	wantError(t, "again", db.Append(t.Context(), e), journal.ErrNotNext)
}

// leaveIdle leaves n connections in the pool.
func leaveIdle(t *testing.T, db *postgres.DB, n int) {
	t.Helper()
	for range n {
		conn, err := db.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
}

// together does the same n times at once.
func together(n int, do func() error) error {
	errs := make(chan error, n)
	for range n {
		go func() { errs <- do() }()
	}
	var all error
	for range n {
		all = errors.Join(all, <-errs)
	}
	return all
}

// TestDamageIsNoLoss: a turn that meets a damaged row is refused at once, and whoever uses
// other connections keeps them.
func TestDamageIsNoLoss(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	journaltest.Append(t, db, births(t, lake))
	exec(t, url, `UPDATE heads SET hash = '\x00'`)
	before := db.Pool().Stat()
	var damage *journal.Damage
	if _, err := db.Begin(t.Context(), lake); !errors.As(err, &damage) {
		t.Errorf("a damaged head: %v", err)
	}
	if after := db.Pool().Stat(); after.NewConnsCount() != before.NewConnsCount() || after.AcquireCount() != before.AcquireCount()+1 {
		t.Errorf("%d new connections, %d turns", after.NewConnsCount()-before.NewConnsCount(), after.AcquireCount()-before.AcquireCount())
	}
}
