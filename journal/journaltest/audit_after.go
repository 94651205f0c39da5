package journaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"puddle/journal"
)

// manyEvents are some steps of an audit.
const manyEvents = 3_500

// many are n events of the lake.
func many(t *testing.T, n int) []journal.Entry {
	t.Helper()
	s := NewStory(lake)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	for i := 0; len(s.Drafts) < n; i++ {
		s.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprint("t", i%7)})
	}
	return Entries(t, s.Drafts[:n], Start)
}

// told collects what is found, but for documents that are not kept.
func told(all *[]string) func(journal.Flaw) {
	return func(f journal.Flaw) {
		if f.Absent == nil {
			*all = append(*all, fmt.Sprint(f.Seq, f.Beside, f.Reason))
		}
	}
}

// stop is where an audit told how far it is, and what it had found.
type stop struct {
	at    journal.Audited
	found []string
}

// testAuditGoesOn stops an audit of a damaged journal wherever it told how far it is:
// one that goes on from there finds the rest, and counts as one that was not stopped.
func testAuditGoesOn(t *testing.T, open Audited) {
	j, spoil := open(t)
	Append(t, j, many(t, manyEvents))
	spoil(lake, FlipRecord, 7, 1_500, 3_499)
	a := spoil(lake, RemoveEvent, 2_300).(journal.Auditor)
	var want []string
	var stops []stop
	whole, err := a.AuditAfter(t.Context(), lake, journal.Audited{}, told(&want), func(at journal.Audited) {
		stops = append(stops, stop{at, slices.Clone(want)})
	})
	if err != nil || len(stops) < 3 || len(want) < 4 {
		t.Fatalf("%v, %d stops, found %v", err, len(stops), want)
	}
	for _, s := range stops {
		got := s.found
		seen, err := a.AuditAfter(t.Context(), lake, s.at, told(&got), func(journal.Audited) {})
		got = slices.CompactFunc(got, func(a, b string) bool { return a == b })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("from %v: %v, found %v, want %v", s.at.Through, err, got, want)
		}
		if diff := cmp.Diff(whole, seen, cmpopts.IgnoreFields(whole, "Through")); diff != "" {
			t.Errorf("from %v counted (-want +got):\n%s", s.at.Through, diff)
		}
	}
}

// testAuditOfAnother does not go on from a place of another history.
func testAuditOfAnother(t *testing.T, open Audited) {
	const few = 12
	j, _ := open(t)
	entries := many(t, few)
	Append(t, j, entries)
	a := j.(journal.Auditor)
	through := func(p journal.Position) journal.Audited {
		return journal.Audited{Through: map[uuid.UUID]journal.Position{Incarnation(lake): p}}
	}
	at := entries[5].Event.Position
	ahead, other := at, at
	ahead.Seq, other.Hash = 99, journal.Sum(nil)
	for _, p := range []journal.Position{ahead, other} {
		_, err := a.AuditAfter(t.Context(), lake, through(p), func(f journal.Flaw) { t.Error(f) }, func(journal.Audited) {})
		wantError(t, p.String(), err, journal.ErrNotAudited)
	}
	seen, err := a.AuditAfter(t.Context(), lake, through(at), func(journal.Flaw) {}, func(journal.Audited) {})
	if err != nil || seen.Events != few-6 {
		t.Errorf("looked at %+v, %v", seen, err)
	}
}

// testAuditIsStopped: an audit whose context ends says so, and nothing else.
func testAuditIsStopped(t *testing.T, open Audited) {
	j, _ := open(t)
	Append(t, j, many(t, manyEvents))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := j.(journal.Auditor).AuditAfter(ctx, lake, journal.Audited{}, func(f journal.Flaw) {
		if f.Absent == nil {
			t.Error(f)
		}
	}, func(journal.Audited) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// testAuditBesideAppends: what is appended meanwhile is no flaw.
func testAuditBesideAppends(t *testing.T, open Audited) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries[:1])
	var appending sync.WaitGroup
	appending.Go(func() {
		for _, e := range entries[1:] {
			if err := j.Append(context.Background(), e); err != nil {
				t.Error(err)
			}
		}
	})
	for seen := int64(0); seen < int64(len(entries)); {
		total, found := audited(t, j)
		if len(found) > 0 || total.Events < seen {
			t.Errorf("after %d: %+v, %v", seen, total, found)
			break
		}
		seen = total.Events
	}
	appending.Wait()
}
