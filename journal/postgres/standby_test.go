package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestStandbyIsAway: a commit that no synchronous standby has is not acknowledged, also
// when the wait for it is given up, by whomever, and everybody sees the event.
func TestStandbyIsAway(t *testing.T) {
	t.Parallel()
	for name, give := range map[string]func(t *testing.T, direct string){
		"the wait is over":  func(*testing.T, string) {},
		"the wait is ended": func(t *testing.T, direct string) { cancelWait(t, direct) },
		"its session is over": func(t *testing.T, direct string) {
			terminate(t, direct, awaitBackend(t, direct, `wait_event = 'SyncRep'`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, direct := waiting(t)
			db := openWith(t, postgres.Within(postgres.Options{URL: direct, Unsafe: true}, 5*time.Second)) // time to see it wait
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

// TestAnswerAgainWhileTheStandbyIsAway: an answer that is there, and that perhaps no
// standby has, is given again when one has it. Who has committed it knows that.
func TestAnswerAgainWhileTheStandbyIsAway(t *testing.T) {
	t.Parallel()
	server, direct := waiting(t)
	db := openWith(t, postgres.Within(postgres.Options{URL: direct, Unsafe: true}, time.Second))
	d := draft(lake)
	d.Request = &journal.Request{
		Actor: journal.Anonymous, Key: uuid.NewString(), Route: "POST /", Body: journal.Sum(nil), Until: time.Now().Add(time.Hour),
	}
	d.Cause.Key = d.Request.Key
	answered := func(db *postgres.DB) (bool, error) {
		_, known, err := db.Warehouse(lake).Answered(t.Context(), d.Request.Actor, d.Request.Key, time.Now())
		return known, err
	}
	wantError(t, "append without the standby", db.Append(t.Context(), after(t, db, d)), journal.ErrUnknownOutcome)
	for name, db := range map[string]*postgres.DB{"here": db, "elsewhere": openWith(t, postgres.Within(postgres.Options{URL: direct, Unsafe: true}, time.Second))} {
		known, err := answered(db)
		wantError(t, name, err, journal.ErrUnknownOutcome)
		if known {
			t.Errorf("%s: it is given again", name)
		}
	}
	local := open(t, direct+"&synchronous_commit=local")
	if known, err := answered(local); !known || err != nil {
		t.Errorf("who does not wait: %t, %v", known, err)
	}
	standbys(t, server, "")
	for range 2 {
		if known, err := answered(db); !known || err != nil {
			t.Errorf("nobody is waited for: %t, %v", known, err)
		}
	}
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	standbys(t, server, "nobody")
	if known, err := answered(db); !known || err != nil {
		t.Errorf("this process has committed after it: %t, %v", known, err)
	}
}

// TestCommitOfNothing: what a commit that appended nothing made of other tables is not
// for the journal to know, and nothing of the journal is in doubt.
func TestCommitOfNothing(t *testing.T) {
	t.Parallel()
	_, direct := waiting(t)
	db := open(t, direct)
	tx, err := db.Begin(t.Context(), lake)
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error)
	go func() { result <- tx.Commit(t.Context()) }()
	cancelWait(t, direct)
	if err := <-result; !errors.Is(err, postgres.ErrAway) || errors.Is(err, journal.ErrUnknownOutcome) {
		t.Errorf("got %v", err)
	}
}
