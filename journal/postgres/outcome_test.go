package postgres_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestErrorsOfTheServer: an error that comes at the insert or at the commit, of each
// class, is tried again, refused or looked up, and what is answered is true.
func TestErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	db := open(t, url)
	journaltest.Append(t, db, births(t, lake))
	exec(t, url, "CREATE SEQUENCE tries")
	for code, wantDone := range map[string]bool{
		"40001": true,  // serialization failure: tried again
		"40P01": true,  // deadlock
		"53100": false, // disk full: the next may fit
		"23514": false, // a constraint of somebody else's
		"XX000": false, // who knows: looked up
		"40003": false,
	} {
		for _, when := range []string{"NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED"} {
			t.Run(fmt.Sprint(code, " ", when), func(t *testing.T) {
				exec(t, url, "ALTER SEQUENCE tries RESTART", fmt.Sprintf(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
					IF nextval('puddle.tries') = 1 THEN RAISE EXCEPTION 'once' USING ERRCODE = '%s'; END IF; RETURN NULL; END $$`, code),
					"CREATE CONSTRAINT TRIGGER once AFTER INSERT ON events "+when+" FOR EACH ROW EXECUTE FUNCTION fail()")
				defer exec(t, url, "DROP FUNCTION fail CASCADE")
				e := after(t, db, draft(lake))
				err := db.Append(t.Context(), e)
				if (err == nil) != wantDone {
					t.Errorf("append: %v", err)
				}
				wantTruth(t, db, e, err)
			})
		}
	}
}

func TestClasses(t *testing.T) {
	for code, want := range map[string]string{
		"40001": "rolled back", "40P01": "rolled back", "40002": "deterministic", "40003": "unknown",
		"53300": "unknown", "55P03": "unknown", "57014": "unknown", "57P03": "unknown", "55006": "unknown",
		"23505": "deterministic", "42501": "deterministic", "25P02": "deterministic", "25006": "deterministic", "25P03": "unknown", "25P04": "unknown",
		"57P01": "unknown", "57P02": "unknown", "08006": "unknown", "58030": "unknown", "XX001": "unknown", "": "unknown", "P0001": "unknown",
	} {
		if got := postgres.Class(fmt.Errorf("x: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	if got := postgres.Class(errors.New("connection reset")); got != "unknown" {
		t.Errorf("an error of the network is %s", got)
	}
	if got := postgres.Class(pgx.ErrTxCommitRollback); got != "deterministic" {
		t.Errorf("a commit that rolled back is %s", got)
	}
	if got := postgres.Class(journal.ErrNotNext); got != "unknown" {
		t.Errorf("an error of ours is %s", got)
	}
}
