package recorder_test

import (
	"testing"

	"puddle/journal"
	"puddle/projections/recorder"
)

// What two recorders of one database record is one history.
func TestTwoRecordersShareAHistory(t *testing.T) {
	db := recorder.NewMemory(journal.NewClock())
	bear(t, db.Journal())
	catchUp(t, db.Journal(), db)
	one, err := recorder.NewShared(ctx, db, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := recorder.NewShared(ctx, db, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := newOutcomes()
	plan := plans().Example(1)
	runClients(one, plan, seen)
	runClients(two, plan, seen)
	closeIt(t, one)
	closeIt(t, two)
	seen.check(t, checkLaws(t, db.Journal(), db))
	seen.checkKeys(t, db.Journal())
}
