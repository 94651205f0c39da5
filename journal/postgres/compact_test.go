package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

var long = journaltest.Start.AddDate(1, 0, 0)

// wantWhole checks that nothing is wrong with a warehouse, and answers how many documents
// are told as erased.
func wantWhole(t rapid.TB, db *postgres.DB, warehouse uuid.UUID) (erased int) {
	t.Helper()
	_, err := db.Audit(context.Background(), warehouse, func(f journal.Flaw) {
		switch {
		case f.Absent == nil:
			t.Errorf("flaw: %+v", f)
		case f.Absent.Erased:
			erased++
		}
	})
	if err != nil {
		t.Error(err)
	}
	return erased
}

// TestLawRetention: whatever was done, and whatever is built on what, what is to be erased
// is, and nothing else changes, however many documents a transaction takes.
func TestLawRetention(t *testing.T) {
	t.Parallel()
	url := postgrestest.Open(t)
	db := open(t, url)
	conn := connect(t, url+"&search_path="+postgres.DefaultSchema)
	rapid.Check(t, func(t *rapid.T) {
		if _, err := conn.Exec(context.Background(), "TRUNCATE heads, incarnations, events, documents, requests"); err != nil {
			t.Fatal(err)
		}
		warehouse := uuid.New() // of the others this process has seen more than is there
		entries := journaltest.Entries(t, journaltest.Draw(t, warehouse), journaltest.Start)
		journaltest.Patched(t, entries)
		for _, e := range entries {
			journaltest.Append(t, db, []journal.Entry{e})
		}
		before := journaltest.Documented(t, db.Warehouse(warehouse))
		last := entries[len(entries)-1].Event.At
		age := time.Duration(rapid.IntRange(1, 60_000).Draw(t, "age")) * time.Millisecond
		ahead := time.Duration(rapid.IntRange(-20_000, 1_000_000).Draw(t, "ahead")) * time.Millisecond
		o := postgres.AFew(postgres.CompactOptions{Retain: age, Now: last.Add(ahead)}, rapid.IntRange(1, 5).Draw(t, "most"))
		want := journaltest.Retained(before, entries, last.Add(min(ahead, 0)-age))
		erased := 0
		for _, text := range want {
			if text == journaltest.Erased {
				erased++
			}
		}
		for _, newly := range []int{erased, 0} { // the second has nothing to do
			done, err := db.Compact(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			diff := cmp.Diff(want, journaltest.Documented(t, db.Warehouse(warehouse)))
			if diff != "" || done.Histories[0].Erased != int64(newly) || wantWhole(t, db, warehouse) != erased {
				t.Fatalf("%d are said to be erased, want %d (-want +got):\n%s", done.Histories[0].Erased, newly, diff)
			}
		}
	})
}

// TestCompactIsStopped: wherever a compaction ends, what is there is whole, and the next
// one goes on.
func TestCompactIsStopped(t *testing.T) {
	db := open(t, postgrestest.Open(t))
	entries, _ := journaltest.Versions(t, lake, 40)
	for _, e := range entries {
		journaltest.Append(t, db, []journal.Entry{e})
	}
	o := postgres.AFew(postgres.CompactOptions{Retain: 20*time.Hour + time.Minute, Now: long}, 4)
	before := journaltest.Documented(t, db.Warehouse(lake))
	stops, total := 0, 0
	for range before {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(what string, done int64) {
			if what == "documents erased" && done > 0 {
				cancel()
			}
		}
		done, err := db.Compact(ctx, o)
		cancel()
		erased := wantWhole(t, db, lake)
		if err == nil {
			total = int(done.Histories[0].Erased) + total
			break
		}
		if !errors.Is(err, context.Canceled) || erased <= total {
			t.Fatalf("%d are erased: %v", erased, err)
		}
		stops, total = stops+1, erased
	}
	after := journaltest.Documented(t, db.Warehouse(lake))
	if diff := cmp.Diff(journaltest.Retained(before, entries, entries[len(entries)-1].Event.At.Add(-o.Retain)), after); diff != "" || stops < 3 || total != 19 {
		t.Errorf("%d stops, %d erased (-want +got):\n%s", stops, total, diff)
	}
}

// TestCompactPrunes: incarnations that others have left go when they are to, and a dry
// run says what would be done and does nothing.
func TestCompactPrunes(t *testing.T) {
	db := open(t, postgrestest.Open(t))
	entries, _ := journaltest.Versions(t, lake, 40)
	for _, e := range entries {
		journaltest.Append(t, db, []journal.Entry{e})
	}
	last := entries[len(entries)-1].Event
	start := continues(t, last, last.Position)
	journaltest.Append(t, db, []journal.Entry{start})
	journaltest.Append(t, db, births(t, pond))
	told := 0
	o := postgres.CompactOptions{Prune: true, DryRun: true, Pruning: func() error { told++; return nil }}
	planned, err := db.Compact(t.Context(), o)
	if all, e := db.Incarnations(t.Context(), lake); err != nil || e != nil || len(all) != 2 || told != 0 {
		t.Fatalf("a dry run left %v, %v, %v, and told %d times", all, err, e, told)
	}
	o.DryRun = false
	done, err := db.Compact(t.Context(), o)
	if err != nil || told != 1 {
		t.Fatalf("%v, told %d times", err, told)
	}
	if diff := cmp.Diff(planned, done); diff != "" {
		t.Errorf("planned and done differ:\n%s", diff)
	}
	all, err := db.Incarnations(t.Context(), lake)
	if err != nil || len(all) != 1 || all[0].ID != start.Event.Incarnation {
		t.Errorf("left are %v, %v", all, err)
	}
	if again, err := db.Compact(t.Context(), o); err != nil || again.Before != done.After || again.After != done.After || told != 1 {
		t.Errorf("again: %+v, %v, told %d times", again, err, told)
	}
	wantWhole(t, db, lake)
	if len(planned.Histories) != 3 || planned.After >= planned.Before {
		t.Errorf("planned %+v", planned)
	}
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
}

// TestCompactDryRun: a dry run says to the byte what a compaction makes of documents.
func TestCompactDryRun(t *testing.T) {
	db := open(t, postgrestest.Open(t))
	entries, _ := journaltest.Versions(t, lake, 40)
	for _, e := range entries {
		journaltest.Append(t, db, []journal.Entry{e})
	}
	before := journaltest.Documented(t, db.Warehouse(lake))
	o := postgres.CompactOptions{Retain: 20 * time.Hour, Now: long, DryRun: true}
	planned, err := db.Compact(t.Context(), o)
	if diff := cmp.Diff(before, journaltest.Documented(t, db.Warehouse(lake))); err != nil || diff != "" {
		t.Fatalf("%v, a dry run changed documents:\n%s", err, diff)
	}
	o.DryRun = false
	done, err := db.Compact(t.Context(), o)
	if diff := cmp.Diff(planned, done); err != nil || diff != "" || done.Histories[0].Erased == 0 {
		t.Errorf("%v (-planned +done):\n%s", err, diff)
	}
	if again, err := db.Compact(t.Context(), o); err != nil || again.Before != done.After {
		t.Errorf("there are %d bytes, %d were said: %v", again.Before, done.After, err)
	}
}

// TestCompactRefuses: beside others, and where something is damaged, nothing is done.
func TestCompactRefuses(t *testing.T) {
	url := postgrestest.Open(t)
	db := open(t, url)
	entries, _ := journaltest.Versions(t, lake, 4)
	for _, e := range entries {
		journaltest.Append(t, db, []journal.Entry{e})
	}
	o := postgres.CompactOptions{Retain: time.Minute, Now: long}
	leave, err := open(t, url).Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Compact(t.Context(), o)
	wantLocked(t, err, "1 server runs")
	leave()
	o.Progress = func(what string, _ int64) {
		if what == "documents erased" { // somebody who has not joined
			journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
		}
	}
	_, err = db.Compact(t.Context(), o)
	wantLocked(t, err, "by now")
	o.Progress = nil
	_, err = openWith(t, postgres.Options{URL: url, ReadOnly: true}).Compact(t.Context(), o)
	wantError(t, "read only", err, postgres.ErrReadOnly)
	if _, err := db.Compact(t.Context(), postgres.CompactOptions{Retain: -1}); err == nil {
		t.Error("an age below nothing is taken")
	}
	exec(t, url, `UPDATE documents SET data = set_byte(data, 30, get_byte(data, 30) # 1) WHERE seq = 3`)
	for _, o.DryRun = range []bool{false, true} {
		if _, err := db.Compact(t.Context(), o); !isDamage(err) {
			t.Errorf("of a damaged journal: %v", err)
		}
	}
	if n := ask[int](t, url, `SELECT count(*) FROM documents WHERE codec = $1`, int(journal.CodecErased)); n != 0 {
		t.Errorf("%d documents are erased", n)
	}
}
