package journaltest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

func testAppendScan(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	r := j.Warehouse(lake)
	wantEvents(t, j, lake, entries)
	for after := range entries {
		got := Events(t, r, journal.Seq(after))
		if diff := cmp.Diff(events(entries[after:]), got, equal); diff != "" {
			t.Errorf("scan after %d (-appended +read):\n%s", after, diff)
		}
	}
	for _, after := range []int{len(entries), len(entries) + 1, 1 << 40} {
		if got := Events(t, r, journal.Seq(after)); len(got) > 0 {
			t.Errorf("scan after %d yields %d events", after, len(got))
		}
	}
	if err := j.Append(context.Background()); err != nil {
		t.Errorf("append of nothing: %v", err)
	}
}

func testScanBack(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	all := events(entries)
	for before := range len(all) + 3 {
		want := slices.Clone(all)
		if before > 0 {
			want = want[:min(before-1, len(all))]
		}
		slices.Reverse(want)
		var got []journal.Event
		for e, err := range j.Warehouse(lake).ScanBack(context.Background(), journal.Seq(before)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Errorf("scan back before %d (-want +got):\n%s", before, diff)
		}
	}
}

func testFind(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	for _, want := range events(entries) {
		got, ok, err := j.Warehouse(lake).Find(context.Background(), want.ID)
		if diff := cmp.Diff(want, got, equal); !ok || err != nil || diff != "" {
			t.Errorf("find %s = %v, %v\n%s", want.ID, ok, err, diff)
		}
	}
	if _, ok, err := j.Warehouse(lake).Find(context.Background(), uuid.New()); ok || err != nil {
		t.Errorf("find a stranger = %v, %v", ok, err)
	}
}

func testSeveralWarehouses(t *testing.T, open Open) {
	j, _ := open(t)
	ours, theirs := Entries(t, sales(lake).Drafts, Start), Entries(t, sales(pond).Drafts, Start)
	var group []journal.Entry
	for i := range ours {
		group = append(group, ours[i], theirs[i])
	}
	Append(t, j, group)
	wantEvents(t, j, lake, ours)
	wantEvents(t, j, pond, theirs)
	ids, err := j.Warehouses(context.Background())
	if diff := cmp.Diff([]uuid.UUID{pond, lake}, ids); err != nil || diff != "" {
		t.Errorf("warehouses: %v\n%s", err, diff)
	}
	if _, ok, err := j.Warehouse(lake).Find(context.Background(), theirs[1].Event.ID); ok || err != nil {
		t.Errorf("one warehouse finds the other's event: %v, %v", ok, err)
	}

	s := sales(pond)
	s.CreateNamespace(journal.Namespace{"next"}, nil)
	good := following(t, theirs[len(theirs)-1], s.Drafts[len(s.Drafts)-1])
	wantError(t, "a group that is bad for one", j.Append(context.Background(), good[0], ours[0]), journal.ErrNotNext)
	wantEvents(t, j, pond, theirs)
}

func testCanceled(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	for _, err := range j.Warehouse(lake).Scan(ctx, 0) {
		if seen++; seen < 3 {
			continue
		}
		if seen == 3 {
			cancel()
			continue
		}
		wantError(t, "scan after cancel", err, context.Canceled)
	}
	if seen != 4 {
		t.Errorf("a canceled scan yields %d times, want 3 events and an error", seen)
	}
	for _, err := range j.Warehouse(lake).ScanBack(ctx, 0) {
		wantError(t, "scan back after cancel", err, context.Canceled)
	}
	_, err := j.Warehouse(lake).Head(ctx)
	wantError(t, "head after cancel", err, context.Canceled)
	_, err = j.Warehouse(lake).Document(ctx, 5, 0)
	wantError(t, "document after cancel", err, context.Canceled)
	s := sales(lake)
	s.CreateNamespace(journal.Namespace{"next"}, nil)
	next := following(t, entries[len(entries)-1], s.Drafts[len(s.Drafts)-1])
	_, _, err = j.Warehouse(lake).Answered(ctx, "anonymous", theKey, Start)
	wantError(t, "answered after cancel", err, context.Canceled)
	wantError(t, "remember after cancel", j.Remember(ctx, lake, Start, answer(409, "")), context.Canceled)
	wantError(t, "append after cancel", j.Append(ctx, next...), context.Canceled)
	wantEvents(t, j, lake, entries)
	Append(t, j, next)
}

func testClosed(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	ctx := context.Background()
	r := j.Warehouse(lake)
	for range 2 {
		if err := j.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	wantError(t, "append", j.Append(ctx, entries[0]), journal.ErrClosed)
	_, err := r.Head(ctx)
	wantError(t, "head", err, journal.ErrClosed)
	_, _, err = r.Find(ctx, entries[0].Event.ID)
	wantError(t, "find", err, journal.ErrClosed)
	_, err = r.Document(ctx, 5, 0)
	wantError(t, "document", err, journal.ErrClosed)
	_, _, err = r.Answered(ctx, "anonymous", theKey, Start)
	wantError(t, "answered", err, journal.ErrClosed)
	wantError(t, "remember", j.Remember(ctx, lake, Start, answer(409, "")), journal.ErrClosed)
	_, err = j.Warehouses(ctx)
	wantError(t, "warehouses", err, journal.ErrClosed)
	seen := 0
	for _, err := range r.Scan(ctx, 0) {
		wantError(t, "scan", err, journal.ErrClosed)
		seen++
	}
	for _, err := range r.ScanBack(ctx, 0) {
		wantError(t, "scan back", err, journal.ErrClosed)
		seen++
	}
	if seen != 2 {
		t.Errorf("two scans of a closed journal yield %d errors", seen)
	}
}

// Stories of rapid's making come back whole, documents and all.
func testStoriesComeBack(t *testing.T, open Open) {
	j, _ := open(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		warehouse := uuid.NewSHA1(lake, fmt.Append(nil, n))
		entries := Entries(rt, Draw(rt, warehouse), Start)
		Append(rt, j, entries)
		if diff := cmp.Diff(events(entries), Events(rt, j.Warehouse(warehouse), 0), equal); diff != "" {
			rt.Fatalf("(-appended +read):\n%s", diff)
		}
		wantRequests(rt, j, entries)
	})
}

func testReopenedIsTheSame(t *testing.T, open Open) {
	j, entries, reopen := filled(t, open, lake)
	if reopen == nil {
		return
	}
	theirs := Entries(t, sales(pond).Drafts, Start)
	Append(t, j, theirs)
	j = reopen()
	wantEvents(t, j, lake, entries)
	wantEvents(t, j, pond, theirs)
	wantDocuments(t, j, lake, entries)
	wantRequests(t, j, append(entries, theirs...))
	wantError(t, "an event again", j.Append(context.Background(), entries[3]), journal.ErrNotNext)
}

func testReopenedGoesOnAppending(t *testing.T, open Open) {
	j, reopen := open(t)
	if reopen == nil {
		return
	}
	entries := Entries(t, sales(lake).Drafts, Start)
	for i, e := range entries {
		Append(t, j, []journal.Entry{e})
		j = reopen()
		wantEvents(t, j, lake, entries[:i+1])
	}
}
