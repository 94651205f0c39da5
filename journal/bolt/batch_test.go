package bolt_test

import (
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

// TestManyTransactions scans more than one transaction may copy, and finds damage
// that is too far back to be seen when the journal is opened.
func TestManyTransactions(t *testing.T) {
	const n, damaged = 2_345, 700
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := fill(t, path, n)
	j := open(t, path)
	r := j.Warehouse(lake)
	for _, after := range []journal.Seq{0, 1, 999, 1000, 1001, n - 1} {
		if got := journaltest.Events(t, r, after); len(got) != n-int(after) {
			t.Errorf("scan after %d yields %d events", after, len(got))
		}
	}
	at := journal.Seq(n)
	for e, err := range r.ScanBack(t.Context(), 0) {
		if err != nil || e.Position != entries[at-1].Event.Position {
			t.Fatalf("scan back at %d yields %v, %v", at, e.Position, err)
		}
		at--
	}
	if at != 0 {
		t.Errorf("scan back ends at %d", at)
	}
	j.Close()

	change(t, path, func(tx *bbolt.Tx) error { return bucket(tx, lake, "events").Delete(key(damaged)) })
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer j.Close()
	seen := 0
	for _, err = range j.Warehouse(lake).Scan(t.Context(), 0) {
		seen++
	}
	wantDamageAt(t, "scan", err, damaged)
	if seen != damaged {
		t.Errorf("scan yields %d times", seen)
	}
	for _, err = range j.Warehouse(lake).ScanBack(t.Context(), 0) {
	}
	wantDamageAt(t, "scan back", err, damaged)
}
