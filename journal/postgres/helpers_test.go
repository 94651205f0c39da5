package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

var (
	lake = uuid.MustParse("01234567-89ab-7def-8123-456789abcdef")
	pond = uuid.MustParse("00000000-1111-7222-8333-444444444444")
)

// births is the first event of a warehouse.
func births(t testing.TB, warehouse uuid.UUID) []journal.Entry {
	t.Helper()
	return journaltest.Entries(t, journaltest.NewStory(warehouse).Drafts, journaltest.Start)
}

// draft is a small event of its own.
func draft(warehouse uuid.UUID) journal.Draft {
	id := uuid.New()
	return journal.Draft{
		Warehouse: warehouse, ID: id,
		Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
		Body:  journal.NamespaceCreated{ID: id, Namespace: journal.Namespace{id.String()}},
	}
}

// after forms what a draft becomes behind the last event of its warehouse.
func after(t testing.TB, j journal.Journal, d journal.Draft) journal.Entry {
	t.Helper()
	for last, err := range j.Warehouse(d.Warehouse).ScanBack(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		return form(t, journal.ChainAt(last), d, journal.At(last.At))
	}
	t.Fatalf("warehouse %s has no events", d.Warehouse)
	return journal.Entry{}
}

func form(t testing.TB, chain journal.Chain, d journal.Draft, now journal.Instant) journal.Entry {
	t.Helper()
	e, _, err := chain.Next(d, now)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// times is how often an event is in its warehouse.
func times(t testing.TB, j journal.Journal, e journal.Entry) (n int) {
	t.Helper()
	for _, there := range journaltest.Events(t, j.Warehouse(e.Event.Warehouse), 0) {
		if there.ID == e.Event.ID {
			n++
		}
	}
	return n
}

// wantTruth checks that an append that succeeded is there once, and one that
// was refused is not there and can be appended.
func wantTruth(t testing.TB, j journal.Journal, e journal.Entry, err error) {
	t.Helper()
	want := 0
	if err == nil {
		want = 1
	}
	if errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("the outcome is unknown: %v", err)
	}
	if n := times(t, j, e); n != want {
		t.Errorf("the append answered %v, the event is there %d times", err, n)
	}
	if err == nil {
		return
	}
	if err := j.Append(context.Background(), e); err != nil {
		t.Errorf("what was refused is refused again: %v", err)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// connect is a plain connection for the length of a test.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// exec runs statements where the tables are.
func exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	conn := connect(t, url)
	for _, sql := range append([]string{"SET search_path = " + postgres.DefaultSchema}, statements...) {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// ask reads one value where the tables are.
func ask[T any](t testing.TB, url, sql string, args ...any) (value T) {
	t.Helper()
	conn := connect(t, url)
	if _, err := conn.Exec(context.Background(), "SET search_path = "+postgres.DefaultSchema); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", fmt.Sprint(sql), err)
	}
	return value
}
