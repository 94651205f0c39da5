package postgres_test

import (
	"errors"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// holders are the sessions that have a lock of some kind that is no turn's.
const holders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = $1
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// TestAloneWithoutJoin: while somebody is alone nobody else appends, whether or not it has
// joined, and in a turn that had begun nobody is.
func TestAloneWithoutJoin(t *testing.T) {
	url := postgrestest.Open(t)
	db, recovers := open(t, url), open(t, url)
	journaltest.Append(t, db, births(t, lake))
	leave, err := recovers.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := after(t, db, draft(lake))
	err = db.Append(t.Context(), e)
	wantError(t, "an append beside who is alone", err, postgres.ErrAlone)
	wantError(t, "which is away for others", err, postgres.ErrAway)
	wantTruth(t, recovers, e, err) // who is alone appends
	leave()
	e = after(t, db, draft(lake))
	wantTruth(t, db, e, db.Append(t.Context(), e))

	tx, err := db.Begin(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	_, err = recovers.Alone(t.Context())
	wantLocked(t, err, "has lost its session")
	leave, err = db.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	_, err = recovers.Alone(t.Context())
	wantLocked(t, err, "1 server runs") // and not its turns
}

// TestNotAloneAnyMore: who was alone and has lost that writes no more, nor does it put
// another journal in the place of this one.
func TestNotAloneAnyMore(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	journaltest.Append(t, db, births(t, lake))
	openWith(t, postgres.Options{URL: url, Unsafe: true, Schema: "puddle_whole"})
	leave, err := db.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end(t, url, ask[int](t, url, holders, "ExclusiveLock"))
	e := after(t, db, draft(lake))
	err = db.Append(t.Context(), e)
	wantLocked(t, err, "kept others out is lost")
	wantLocked(t, db.Supersede(t.Context(), "puddle_whole", "puddle_broken"), "kept others out is lost")
	leave()
	if errors.Is(err, journal.ErrUnknownOutcome) {
		t.Error(err)
	}
	wantTruth(t, db, e, db.Append(t.Context(), e))
}

// TestCheck: who is asked whether all is well says who is alone, and what heads name that
// is not there.
func TestCheck(t *testing.T) {
	url := postgrestest.Open(t)
	db, other := open(t, url), open(t, url)
	journaltest.Append(t, db, births(t, lake))
	for _, err := range []error{db.Check(t.Context()), db.CheckEnds(t.Context())} {
		wantError(t, "all is well", err, nil)
	}
	leave, err := other.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "somebody is alone", db.Check(t.Context()), postgres.ErrAlone)
	wantError(t, "who is alone", other.Check(t.Context()), nil)
	leave()
	wantError(t, "nobody is", db.Check(t.Context()), nil)
	exec(t, url, `DELETE FROM events`)
	err = db.CheckEnds(t.Context())
	wantError(t, "the newest event is gone", err, postgres.ErrEndMissing)
	if damage := (*journal.Damage)(nil); !errors.As(err, &damage) || damage.Warehouse != lake || damage.Seq != 1 {
		t.Errorf("it is %v", err)
	}
}
