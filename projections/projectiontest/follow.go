package projectiontest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testCatchUp: behind, equal, stopped at a seq, ahead, and of another history.
func testCatchUp(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	id := uuid.New()
	drafts := tableDrafts(id, 1_100) // more than two batches
	j := journalOf(t, journaltest.Entries(t, drafts, journaltest.Start))
	w, state := open(t).Store.Warehouse(id), projections.NewState(id)
	for _, to := range []journal.Seq{1, 2, 2, 600, 0, 0} {
		catchUp(t, j.Warehouse(id), to, w)
		want := to
		if to == 0 {
			want = journal.Seq(len(drafts))
		}
		catchUp(t, j.Warehouse(id), want, state)
		same(t, fmt.Sprintf("to %d", to), w, "State", state)
		equal(t, "cursor", dump(t, w).Cursor.Seq, want)
	}
	catchUp(t, j.Warehouse(id), 3, w) // it stands after that, and stays there
	before := dump(t, w)
	equal(t, "cursor", before.Cursor.Seq, journal.Seq(len(drafts)))

	last := len(drafts) - 1
	for _, test := range []struct {
		name string
		from journal.Journal
		want error
	}{
		{"ahead", journalOf(t, journaltest.Entries(t, drafts[:last], journaltest.Start)), projections.ErrAhead},
		{"another last event", journalOf(t, journaltest.Entries(t, changed(drafts, last), journaltest.Start)), projections.ErrDiverged},
		{"another past, further on", journalOf(t, journaltest.Entries(t,
			append(changed(drafts, 50), tableDrafts(id, 1_101)[last+1:]...), journaltest.Start)), projections.ErrDiverged},
		{"another incarnation", journalOf(t, incarnate(t, drafts, uuid.New())), projections.ErrDiverged},
		{"unborn", journal.NewMemory(), journal.ErrNoWarehouse},
	} {
		if err := projections.CatchUp(ctx, test.from.Warehouse(id), 0, w); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
		equal(t, "what is held after "+test.name, dump(t, w), before)
	}
}

// testCatchUpBesideAppends: a projection that is a batch behind catches up while
// the journal grows under it.
func testCatchUpBesideAppends(t *testing.T, open func(testing.TB) Opened) {
	id := uuid.New()
	const behind, more = 512, 300
	entries := journaltest.Entries(t, tableDrafts(id, behind+more), journaltest.Start)
	grows := journalOf(t, entries[:behind+1])
	w := open(t).Store.Warehouse(id)
	catchUp(t, grows.Warehouse(id), 1, w)
	r := &growing{Reader: grows.Warehouse(id), each: func(e journal.Event) {
		if next := int(e.Seq) + behind - 1; e.Seq > 1 && next < len(entries) { // 1 is read to compare the cursor
			journaltest.Append(t, grows, entries[next:next+1])
		}
	}}
	catchUp(t, r, 0, w)
	catchUp(t, grows.Warehouse(id), 0, w) // what came after the scan had ended
	state := projections.NewState(id)
	catchUp(t, journalOf(t, entries).Warehouse(id), 0, state)
	same(t, "caught up", w, "State", state)
}

// growing is a journal that is appended to while it is scanned.
type growing struct {
	journal.Reader
	each func(journal.Event)
}

func (g *growing) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range g.Reader.Scan(ctx, after) {
			if err == nil {
				g.each(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// tableDrafts are the birth of a warehouse, a namespace and n tables.
func tableDrafts(id uuid.UUID, n int) []journal.Draft {
	story := journaltest.NewStory(id)
	story.CreateNamespace(ns("a"), nil)
	for i := range n {
		story.CreateTable(ident("a", fmt.Sprint(i)))
	}
	return story.Drafts
}

// changed is a history in which one event was made by somebody else.
func changed(drafts []journal.Draft, i int) []journal.Draft {
	drafts = slices.Clone(drafts)
	drafts[i].Cause.Actor = "token:somebody-else"
	return drafts
}

// incarnate forms the entries of an incarnation.
func incarnate(t testing.TB, drafts []journal.Draft, incarnation uuid.UUID) []journal.Entry {
	t.Helper()
	chain := journal.NewChain(drafts[0].Warehouse, incarnation, 0)
	entries := make([]journal.Entry, len(drafts))
	for i, d := range drafts {
		var err error
		if entries[i], chain, err = chain.Next(d, journal.At(journaltest.Start)); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

func journalOf(t testing.TB, entries []journal.Entry) journal.Journal {
	t.Helper()
	j := journal.NewMemory()
	journaltest.Append(t, j, entries)
	return j
}
