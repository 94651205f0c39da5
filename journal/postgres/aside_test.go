package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestSupersede: another schema takes the place of the journal's, which stays beside it;
// the DB that was open, and the floors in it, are of the other one then.
func TestSupersede(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	journaltest.Append(t, db, births(t, lake))
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	damaged, err := db.Warehouse(lake).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	whole := openWith(t, postgres.Options{URL: url, Unsafe: true, Schema: "puddle_whole"})
	journaltest.Append(t, whole, births(t, lake))
	if err := db.Supersede(t.Context(), "puddle_whole", "puddle_broken"); err != nil {
		t.Fatal(err)
	}
	if head, err := db.Warehouse(lake).Head(t.Context()); err != nil || head.Seq != damaged.Seq-1 {
		t.Errorf("it ends at %s, %v", head, err)
	}
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	aside := openWith(t, postgres.Options{URL: url, Unsafe: true, Schema: "puddle_broken"})
	if head, err := aside.Warehouse(lake).Head(t.Context()); err != nil || head != damaged {
		t.Errorf("what was put aside ends at %s, %v", head, err)
	}
}

// TestSupersedeMayNot: a role that may not make schemas is told, and nothing is done.
func TestSupersedeMayNot(t *testing.T) {
	server := postgrestest.Shared(t)
	url := server.Open(t)
	journaltest.Append(t, open(t, url), births(t, lake))
	exec(t, url, "CREATE ROLE coot LOGIN", "GRANT USAGE ON SCHEMA puddle TO coot", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA puddle TO coot")
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	db := openWith(t, postgres.Options{URL: server.URL(name, "coot"), Unsafe: true})
	if err := db.Supersede(t.Context(), "puddle_whole", "puddle_broken"); !errors.Is(err, postgres.ErrMayNot) {
		t.Errorf("got %v", err)
	}
	if _, err := db.Warehouse(lake).Head(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestMakeBeside: what an earlier one left goes, and nothing else does: neither what
// somebody made, nor what has superseded a journal since.
func TestMakeBeside(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	beside := func(schema string, want error) {
		t.Helper()
		if err := db.MakeBeside(t.Context(), schema); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", schema, err, want)
		}
	}
	beside("puddle_whole", nil)
	openWith(t, postgres.Options{URL: url, Unsafe: true, Schema: "puddle_whole"})
	beside("puddle_whole", nil)
	if made, err := postgres.Made(t.Context(), postgres.Options{URL: url, Unsafe: true, Schema: "puddle_whole"}); made || err != nil {
		t.Errorf("what was left is there: %t, %v", made, err)
	}
	if err := db.Supersede(t.Context(), "puddle_whole", "puddle_broken"); err != nil {
		t.Fatal(err)
	}
	beside("puddle", postgres.ErrTaken)
	exec(t, url, "CREATE SCHEMA puddle_whole", "CREATE TABLE puddle_whole.heads (precious int)")
	beside("puddle_whole", postgres.ErrTaken)
	exec(t, url, "SELECT precious FROM puddle_whole.heads")
}

// TestMade: who asks whether a journal is there makes none.
func TestMade(t *testing.T) {
	o := postgres.Options{URL: postgrestest.Open(t), Unsafe: true}
	for _, want := range []bool{false, false, true} {
		if want {
			openWith(t, o)
		}
		if made, err := postgres.Made(t.Context(), o); err != nil || made != want {
			t.Errorf("%v, %v; want %v", made, err, want)
		}
	}
}
