package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// hasten writes entries without waiting for the disk.
func hasten(tb rapid.TB, path string, entries []journal.Entry) {
	tb.Helper()
	j, err := Open(path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	j.db.NoSync = true
	for _, e := range entries {
		journaltest.Append(tb, j, []journal.Entry{e})
	}
	if err := j.Close(); err != nil {
		tb.Fatal(err)
	}
}

// documented is what a closed journal answers of the lake's documents.
func documented(tb rapid.TB, path string) map[journaltest.Made]string {
	tb.Helper()
	j, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer j.Close()
	return journaltest.Documented(tb, j.Warehouse(lake))
}

// Whatever was done, and whatever is built on what: what is to be erased is, and
// nothing else changes; the events least of all.
func TestLawRetention(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		defer os.Remove(path)
		entries := journaltest.Entries(t, journaltest.Draw(t, lake), journaltest.Start)
		journaltest.Patched(t, entries)
		hasten(t, path, entries)
		before := documented(t, path)
		last := entries[len(entries)-1].Event.At
		age := time.Duration(rapid.IntRange(1, 60_000).Draw(t, "age")) * time.Millisecond
		ahead := time.Duration(rapid.IntRange(-20_000, 1_000_000).Draw(t, "ahead")) * time.Millisecond
		o := CompactOptions{Retain: age, Now: last.Add(ahead)}
		want := journaltest.Retained(before, entries, last.Add(min(ahead, 0)-age))
		erased := int64(0)
		for _, text := range want {
			if text == journaltest.Erased {
				erased++
			}
		}
		for range 2 { // the second has nothing to do
			done, err := Compact(t.Context(), path, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, documented(t, path)); diff != "" || done.Histories[0].Erased != erased {
				t.Fatalf("%d are said to be erased, want %d (-want +got):\n%s", done.Histories[0].Erased, erased, diff)
			}
			wantWhole(t, path, len(entries), len(want))
			erased = 0
		}
	})
}

// wantWhole checks that nothing is wrong with a journal, and that each document is
// there or told as erased.
func wantWhole(tb rapid.TB, path string, events, documents int) {
	tb.Helper()
	j, err := Open(path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer j.Close()
	erased := int64(0)
	seen, err := j.Audit(context.Background(), lake, func(f journal.Flaw) {
		switch {
		case f.Absent == nil:
			tb.Errorf("flaw: %+v", f)
		case f.Absent.Erased:
			erased++
		}
	})
	if err != nil || seen.Events != int64(events) || seen.Documents+erased != int64(documents) {
		tb.Errorf("%+v and %d erased, %v; there were %d events and %d documents", seen, erased, err, events, documents)
	}
}

// Of a table that goes on, the first document that is retained is kept whole, and
// those on it are as before, but for how many patches they are made of. What is
// erased is nothing that a later one may be built on.
func TestRetentionCutsChains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries, plain := journaltest.Versions(t, lake, 40)
	hasten(t, path, entries)
	done, err := Compact(t.Context(), path, CompactOptions{Retain: 20*time.Hour + time.Minute, Now: journaltest.Start.AddDate(1, 0, 0)})
	if err != nil || done.Histories[0].Erased != 19 {
		t.Fatalf("%+v, %v", done, err)
	}
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i, text := range plain {
		seq := entries[i+2].Event.Seq
		_, kept, err := j.Warehouse(lake).(reader).kept(t.Context(), seq, 0)
		if err != nil {
			t.Fatal(err)
		}
		patches := i - 19
		if i > journal.MaxPatches { // its chain begins later, and is as it was
			patches = i - journal.MaxPatches - 1
		}
		got, err := j.Warehouse(lake).Document(t.Context(), seq, 0)
		switch {
		case i < 19 && (!errors.Is(err, journal.ErrErased) || kept.Codec != journal.CodecErased):
			t.Errorf("version %d: %v", i, err)
		case i >= 19 && (err != nil || !bytes.Equal(got, text) || kept.Patches() != patches):
			t.Errorf("version %d is made of %d patches, want %d: %v", i, kept.Patches(), patches, err)
		}
	}
	next, _, err := journal.ChainAt(entries[len(entries)-1].Event).Next(journal.Draft{
		Warehouse: lake, ID: uuid.New(), Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
		Body:      entries[2].Event.Body,
		Documents: []journal.Document{{Codec: journal.CodecPatch, Data: journaltest.PatchOn(t, journal.Base{Seq: entries[2].Event.Seq}, plain[0])}},
	}, journal.At(journaltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), next); !errors.Is(err, journal.ErrNoBase) {
		t.Errorf("a patch on what was erased: %v", err)
	}
}

// What is damaged is not erased, and no age is below nothing.
func TestRetentionRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries, _ := journaltest.Versions(t, lake, 4)
	hasten(t, path, entries)
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = j.db.Update(func(tx *bbolt.Tx) error {
		h, err := openHistory(tx, lake, journaltest.Incarnation(lake))
		if err != nil {
			return err
		}
		key, value := h.documents.Cursor().First()
		value = bytes.Clone(value)
		value[len(value)-1] ^= 1
		return h.documents.Put(key, value)
	})
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	before := contents(t, path)
	var damage *journal.Damage
	for _, dry := range []bool{false, true} {
		o := CompactOptions{Retain: time.Minute, Now: journaltest.Start.AddDate(1, 0, 0), DryRun: dry}
		if _, err := Compact(t.Context(), path, o); !errors.As(err, &damage) || damage.Seq != entries[2].Event.Seq {
			t.Errorf("of a damaged journal: %v", err)
		}
	}
	if _, err := Compact(t.Context(), path, CompactOptions{Retain: -1}); err == nil {
		t.Error("an age below nothing is taken")
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Error("a refusal changed the journal")
	}
}

// A dry run says what would be erased, and about how large the file would be.
func TestRetentionDryRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries, _ := journaltest.Versions(t, lake, 40)
	hasten(t, path, entries)
	before := contents(t, path)
	o := CompactOptions{Retain: 20 * time.Hour, Now: journaltest.Start.AddDate(1, 0, 0), DryRun: true}
	planned, err := Compact(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("a dry run changed the journal:\n%s", diff)
	}
	o.DryRun = false
	done, err := Compact(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(planned.Histories, done.Histories); diff != "" || planned.After > done.After || planned.Histories[0].Erased == 0 {
		t.Errorf("planned %+v, done %+v", planned, done)
	}
}

// Law 5: whatever step fails or ends the process, the journal is as it was, or as it
// was to be.
func TestRetentionFaults(t *testing.T) {
	made := filepath.Join(t.TempDir(), "journal.db")
	entries, _ := journaltest.Versions(t, lake, 40)
	hasten(t, made, entries)
	data, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, made)
	if _, err := Compact(t.Context(), made, CompactOptions{Retain: killedAge, Now: killedNow}); err != nil {
		t.Fatal(err)
	}
	after := contents(t, made)
	for _, step := range append([]string{"look"}, compactSteps...) {
		for _, when := range []string{"before", "after", "killed before", "killed after"} {
			t.Run(step+"/"+when, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "journal.db")
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				if when == "before" || when == "after" {
					o := CompactOptions{Retain: killedAge, Now: killedNow, step: failing(step, when == "after", errBreak)}
					if _, err := Compact(t.Context(), path, o); !errors.Is(err, errBroken) {
						t.Fatalf("got %v", err)
					}
				} else {
					killCompaction(t, path, step, when == "killed after", compactRetain+"=1")
				}
				want := before
				if step == "sync folder" || step == "rename" && (when == "after" || when == "killed after") {
					want = after
				}
				if diff := cmp.Diff(want, contents(t, path)); diff != "" {
					t.Errorf("the journal differs:\n%s", diff)
				}
				if _, err := Sweep(path); err != nil {
					t.Error(err)
				}
				if _, err := Compact(t.Context(), path, CompactOptions{Retain: killedAge, Now: killedNow}); err != nil {
					t.Errorf("again: %v", err)
				}
				if diff := cmp.Diff(after, contents(t, path)); diff != "" {
					t.Errorf("again, the journal differs:\n%s", diff)
				}
			})
		}
	}
}
