package journaltest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"puddle/journal"
)

// testEntries reads back what was appended, as it was.
func testEntries(t *testing.T, open Open) {
	j, _ := open(t)
	chained := Chain(t, lake, journal.MaxPatches+3)
	chained.Append(t, j)
	large := sales(pond)
	entries := Entries(t, large.Drafts, Start)
	Append(t, j, entries)
	WantEntries(t, j.Warehouse(lake), chained.Entries)
	WantEntries(t, j.Incarnation(pond, Incarnation(pond)), entries)
	if got := KeptEntries(t, j.Warehouse(Incarnation(lake)), 0); len(got) > 0 {
		t.Errorf("before birth it yields %d entries", len(got))
	}
}

// testLargeEntries: documents of several chunks come back whole, each with its move.
func testLargeEntries(t *testing.T, open Open) {
	j, _ := open(t)
	chained := Chain(t, lake, 1)
	for _, size := range []int{1<<20 - 1, 1 << 20, 3<<20 + 17} {
		plain := noise(size)
		chained.add(t, plain, whole(t, plain))
	}
	chained.Append(t, j)
	WantEntries(t, j.Warehouse(lake), chained.Entries)
}

// WantEntries checks that a reader yields entries as they were appended, after each
// of the seqs where it may begin.
func WantEntries(t testing.TB, r journal.Reader, want []journal.Entry) {
	t.Helper()
	for i := range want {
		got := KeptEntries(t, r, want[i].Event.Seq)
		if len(got) != len(want)-i-1 {
			t.Fatalf("after %d there are %d entries, want %d", want[i].Event.Seq, len(got), len(want)-i-1)
		}
	}
	for i, got := range KeptEntries(t, r, 0) {
		documents := slices.SortedFunc(slices.Values(want[i].Documents), func(a, b journal.Document) int { return cmp.Compare(a.Move, b.Move) })
		expected := journal.Entry{Event: want[i].Event, Record: want[i].Record, Documents: documents}
		diff := gocmp.Diff(expected, got, equal, cmpopts.IgnoreUnexported(journal.Entry{}), gocmp.Comparer(bytes.Equal))
		if diff != "" {
			t.Fatalf("entry %s (-appended +read):\n%s", want[i].Event.Position, diff)
		}
	}
}

// KeptEntries reads the entries after a seq.
func KeptEntries(t testing.TB, r journal.Reader, after journal.Seq) (all []journal.Entry) {
	t.Helper()
	keeps, ok := r.(journal.Entries)
	if !ok {
		t.Fatalf("%T yields no entries", r)
	}
	for e, err := range keeps.Entries(context.Background(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}
