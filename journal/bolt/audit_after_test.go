package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

const manyEvents = 3_500 // some transactions of an audit

func openToRead(t *testing.T, path string) *bolt.Journal {
	t.Helper()
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// TestAuditGoesOn stops an audit of a damaged journal wherever it told how far it is:
// one that goes on from there finds the rest, and counts as one that was not stopped.
func TestAuditGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, manyEvents)
	change(t, path, func(tx *bbolt.Tx) error {
		b := bucket(tx, lake, "events")
		for _, seq := range []uint64{7, 1_500, 3_499} {
			value := bytes.Clone(b.Get(key(seq)))
			value[100] ^= 1
			if err := b.Put(key(seq), value); err != nil {
				return err
			}
		}
		return b.Delete(key(2_300))
	})
	j := openToRead(t, path)
	told := func(all *[]string) func(journal.Flaw) {
		return func(f journal.Flaw) {
			if f.Absent == nil {
				*all = append(*all, fmt.Sprint(f.Seq, f.Beside, f.Reason))
			}
		}
	}
	var want []string
	type stop struct {
		at    journal.Audited
		found []string
	}
	var stops []stop
	whole, err := j.AuditAfter(t.Context(), lake, journal.Audited{}, told(&want), func(at journal.Audited) {
		stops = append(stops, stop{at, slices.Clone(want)})
	})
	if err != nil || len(stops) < 3 || len(want) < 4 {
		t.Fatalf("%v, %d stops, found %v", err, len(stops), want)
	}
	for _, s := range stops {
		got := s.found
		seen, err := j.AuditAfter(t.Context(), lake, s.at, told(&got), func(journal.Audited) {})
		got = slices.CompactFunc(got, func(a, b string) bool { return a == b })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("from %v: %v, found %v, want %v", s.at.Through, err, got, want)
		}
		if seen.Events != whole.Events || seen.Documents != whole.Documents || seen.Requests != whole.Requests || seen.Incarnations != whole.Incarnations {
			t.Errorf("from %v: counted %+v, want %+v", s.at.Through, seen, whole)
		}
	}
}

// TestAuditOfAnother does not go on from a place of another history.
func TestAuditOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := fill(t, path, damagedEvents)
	j := openToRead(t, path)
	id := journaltest.Incarnation(lake)
	at := entries[5].Event.Position
	ahead, other := at, at
	ahead.Seq, other.Hash = 99, journal.Sum(nil)
	for _, p := range []journal.Position{ahead, other} {
		_, err := j.AuditAfter(t.Context(), lake, through(id, p), func(f journal.Flaw) { t.Error(f) }, func(journal.Audited) {})
		if !errors.Is(err, journal.ErrNotAudited) {
			t.Errorf("%v: %v", p, err)
		}
	}
	seen, err := j.AuditAfter(t.Context(), lake, through(id, at), func(journal.Flaw) {}, func(journal.Audited) {})
	if err != nil || seen.Events != damagedEvents-6 {
		t.Errorf("looked at %+v, %v", seen, err)
	}
}

func through(incarnation uuid.UUID, p journal.Position) journal.Audited {
	return journal.Audited{Through: map[uuid.UUID]journal.Position{incarnation: p}}
}

// TestAuditIsStopped: an audit whose context ends says so, and nothing else.
func TestAuditIsStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, manyEvents)
	j := openToRead(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := j.AuditAfter(ctx, lake, journal.Audited{}, func(f journal.Flaw) {
		if f.Absent == nil {
			t.Error(f)
		}
	}, func(journal.Audited) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
