package journaltest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
)

// testLineage recovers a warehouse twice, the second time from a point in the
// middle of its first incarnation.
func testLineage(t *testing.T, open Open) {
	j, first, reopen := filled(t, open, lake)
	head := first[len(first)-1].Event.Position
	left := first[len(first)/2].Event.Position
	second := continued(t, j, head, pond, 1_000_000)
	third := continued(t, j, left, uuid.New(), 2_000_000)
	checkLineage := func(j journal.Journal) {
		t.Helper()
		wantLineage(t, j, append(slices.Clone(first[:len(first)/2+1]), third...), second)
		wantIncarnations(t, j, []journal.Incarnation{
			{ID: Incarnation(lake), First: 1, Head: head},
			{ID: pond, First: second[0].Event.Seq, Head: second[len(second)-1].Event.Position, Parent: &head},
			{ID: third[0].Event.Incarnation, First: third[0].Event.Seq, Head: third[len(third)-1].Event.Position, Parent: &left, Current: true},
		})
	}
	checkLineage(j)
	if reopen != nil {
		checkLineage(reopen())
	}
}

// testFalseLineage: an incarnation that continues an event of which another one has
// the place is damage, when it is come to.
func testFalseLineage(t *testing.T, open Open) {
	j, first, _ := filled(t, open, lake)
	left := first[len(first)/2].Event.Position
	left.Hash[0]++
	second := continued(t, j, left, pond, 1_000_000)
	from := journal.Lineage(j, lake)
	for name, scan := range map[string]iter.Seq2[journal.Event, error]{
		"Scan": from.Scan(context.Background(), 0), "ScanBack": from.ScanBack(context.Background(), second[0].Event.Seq),
	} {
		var damage *journal.Damage
		var last error
		for _, err := range scan {
			last = err
		}
		if !errors.As(last, &damage) || damage.Seq != left.Seq || damage.Incarnation != left.Incarnation {
			t.Errorf("%s: %v", name, last)
		}
	}
}

// continued appends a new incarnation that continues parent, and a few events.
func continued(t *testing.T, j journal.Journal, parent journal.Position, id uuid.UUID, before journal.Seq) []journal.Entry {
	t.Helper()
	draft := NewStory(lake).Drafts[0]
	draft.ID = uuid.New()
	draft.Body = journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &parent, Reason: "recovery"}
	start, _, err := journal.NewChain(lake, id, before).Next(draft, journal.At(Start))
	if err != nil {
		t.Fatal(err)
	}
	entries := append([]journal.Entry{start}, following(t, start, sales(lake).Drafts[1:4]...)...)
	Append(t, j, entries)
	return entries
}

// wantLineage compares all ways to read the lineage with what it consists of, and
// with what it left.
func wantLineage(t *testing.T, j journal.Journal, want, others []journal.Entry) {
	t.Helper()
	ctx := context.Background()
	from := journal.Lineage(j, lake)
	for after := range len(want) {
		seq := want[after].Event.Seq
		if diff := cmp.Diff(positions(want[after+1:]), scanned(t, from.Scan(ctx, seq))); diff != "" {
			t.Errorf("scan after %d (-want +got):\n%s", seq, diff)
		}
		back := positions(want[:after])
		slices.Reverse(back)
		if diff := cmp.Diff(back, scanned(t, from.ScanBack(ctx, seq))); diff != "" {
			t.Errorf("scan back before %d (-want +got):\n%s", seq, diff)
		}
	}
	for _, e := range want {
		if found, ok, err := from.Find(ctx, e.Event.ID); !ok || err != nil || found.Seq < e.Event.Seq {
			t.Errorf("find %s = %s, %v, %v", e.Event.Position, found.Position, ok, err)
		}
		for _, d := range e.Documents {
			if _, err := from.Document(ctx, e.Event.Seq, d.Move); err != nil {
				t.Errorf("document of %s: %v", e.Event.Position, err)
			}
		}
	}
	if _, err := from.Document(ctx, others[0].Event.Seq, 0); err == nil {
		t.Error("a document of an incarnation that is not of the lineage was read")
	}
	if head, err := from.Head(ctx); err != nil || head != want[len(want)-1].Event.Position {
		t.Errorf("head = %s, %v", head, err)
	}
}

func wantIncarnations(t *testing.T, j journal.Journal, want []journal.Incarnation) {
	t.Helper()
	ctx := context.Background()
	got, err := j.Incarnations(ctx, lake)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("incarnations (-want +got):\n%s", diff)
	}
	for _, i := range want {
		if head, err := j.Incarnation(lake, i.ID).Head(ctx); err != nil || head != i.Head {
			t.Errorf("head of %s = %s, %v", i.ID, head, err)
		}
	}
	none := j.Incarnation(lake, uuid.New())
	_, err = none.Head(ctx)
	wantError(t, "the head of an incarnation that is not there", err, journal.ErrNoWarehouse)
	if got := scanned(t, none.Scan(ctx, 0)); len(got) > 0 {
		t.Errorf("events of an incarnation that is not there: %v", got)
	}
	if got, err := j.Incarnations(ctx, uuid.New()); len(got) > 0 || err != nil {
		t.Errorf("incarnations of an unborn warehouse = %v, %v", got, err)
	}
}

func positions(entries []journal.Entry) (all []journal.Position) {
	for _, e := range entries {
		all = append(all, e.Event.Position)
	}
	return all
}

func scanned(t *testing.T, events iter.Seq2[journal.Event, error]) (all []journal.Position) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Position)
	}
	return all
}
