package projectiontest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// testPurgeRules: a drop asks for a purge, one event closes it, and only it.
func testPurgeRules(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	table := birth(journal.Table, ident("a", "t"), "/w/t/", "/data/t/", "/w/t/")
	s.tell(created(ns("a")), creates(table), commits(commit(table, 1)))
	table = commit(table, 1)
	s.noPurge(table.UUID)
	s.refuse(purgeMissing(table.UUID, s.lastID()), purgedBody(table.UUID, s.lastID()))

	s.tell(dropsAndPurges(table))
	last := s.told[len(s.told)-1]
	want := projections.Purge{
		Table: table.UUID, Drop: last.ID, Seq: last.Seq, At: last.At, Identifier: ident("a", "t"), Pointer: table.To.Pointer,
		Location: table.To.Location, Places: places("/data/t/", "/w/t/"),
	}
	s.purge(want)
	s.pending(want)
	s.holds(table)
	for _, strange := range []journal.TablePurged{
		purgedBody(table.UUID, uuid.New()), purgedBody(uuid.New(), last.ID), purgedBody(last.ID, table.UUID),
	} {
		s.refuse(purgeMissing(strange.Table, strange.Drop), strange)
	}

	s.tell(purgedBody(table.UUID, last.ID))
	want.Done = true
	s.purge(want)
	s.pending()
	s.refuse(purgeMissing(table.UUID, last.ID), purgedBody(table.UUID, last.ID))
	steps, err := s.w.Steps(context.Background(), table.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "steps: a purge moves nothing", len(steps), 3)
	testCancelled(s, table, last.ID)
	testUnasked(s)
	testPendingPages(s)
}

// testCancelled: what comes back has no purge, done or pending, and the old drop
// closes nothing any more. A new drop asks anew.
func testCancelled(s *tale, table journal.Move, done uuid.UUID) {
	for _, back := range []func(journal.Move) journal.Body{undrops, registers} {
		s.tell(back(born(table)))
		s.noPurge(table.UUID)
		s.refuse(purgeMissing(table.UUID, done), purgedBody(table.UUID, done))
		s.tell(dropsAndPurges(table))
		asked := s.lastID()
		s.tell(back(born(table)))
		s.noPurge(table.UUID)
		s.pending()
		s.refuse(purgeMissing(table.UUID, asked), purgedBody(table.UUID, asked))
		s.tell(dropsAndPurges(table))
		s.refuse(purgeMissing(table.UUID, asked), purgedBody(table.UUID, asked))
		done = s.lastID()
		s.tell(purgedBody(table.UUID, done))
	}
}

// testUnasked: no purge is asked for by other drops, and none is touched by other
// objects.
func testUnasked(s *tale) {
	before := dump(s, s.w).Purges
	for _, m := range []journal.Move{birth(journal.Table, ident("a", "kept")), birth(journal.View, ident("a", "v"))} {
		s.tell(creates(m), drops(drop(m)))
		s.noPurge(m.UUID)
		s.tell(undrops(m))
		if m.Kind == journal.Table {
			s.tell(registers(commit(m, 1)), unregisters(drop(commit(m, 1))))
			s.noPurge(m.UUID)
		}
	}
	equal(s, "purges of others", dump(s, s.w).Purges, before)
}

// testPendingPages: the pending are listed by the order of their drops, which is
// neither that of names nor of uuids, in pages.
func testPendingPages(s *tale) {
	ctx := context.Background()
	var want []projections.Purge
	for i := range 7 {
		m := birth(journal.Table, ident("a", fmt.Sprint("p", (i*3)%7)))
		s.tell(creates(m), dropsAndPurges(m))
		if i%3 == 1 {
			s.tell(purgedBody(m.UUID, s.lastID()))
			continue
		}
		p, _, err := s.w.Purge(ctx, m.UUID)
		if err != nil {
			s.Fatal(err)
		}
		want = append(want, p)
	}
	s.pending(want...)
	for i := range want {
		for limit := range len(want) + 1 {
			got, err := s.w.Purges(ctx, want[i].Seq, limit)
			if err != nil {
				s.Fatal(err)
			}
			rest := want[i+1:]
			if limit > 0 {
				rest = rest[:min(limit, len(rest))]
			}
			equal(s, fmt.Sprintf("%d after %d", limit, want[i].Seq), got, rest)
		}
	}
	for _, p := range want {
		s.tell(purgedBody(p.Table, p.Drop))
	}
}

// testPurgePlaces: the places of what is to be purged are free, and who takes
// them is known.
func testPurgePlaces(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	table := birth(journal.Table, ident("a", "t"), "/w/t/")
	heir := birth(journal.Table, ident("a", "heir"), "/w/t/data/")
	s.tell(created(ns("a")), creates(table), dropsAndPurges(table), creates(heir))
	p, _, err := s.w.Purge(context.Background(), table.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "places of the purge", p.Places, places("/w/t/"))
	s.refuse(projections.Conflict{
		Kind: projections.PlaceTaken, Identifier: ident("a", "t"), UUID: table.UUID, Path: "/w/t/", Holder: heir.UUID,
	}, undrops(table))
	s.pending(p)
	s.tell(drops(drop(heir)), undrops(table))
	s.holds(table, "/w/t/")

	bare := birth(journal.Table, ident("a", "bare"), []string{}...)
	bare.To.Places = nil
	s.tell(creates(bare), dropsAndPurges(bare))
	if p, ok, err := s.w.Purge(context.Background(), bare.UUID); err != nil || !ok || len(p.Places) != 0 {
		t.Errorf("purge of what owned nothing: %+v, %v, %v", p, ok, err)
	}
}

func purgeMissing(table, drop uuid.UUID) projections.Conflict {
	return projections.Conflict{Kind: projections.PurgeMissing, UUID: table, Drop: drop}
}

func (s *tale) lastID() uuid.UUID { return s.told[len(s.told)-1].ID }

func (s *tale) purge(want projections.Purge) {
	s.Helper()
	got, ok, err := s.w.Purge(context.Background(), want.Table)
	if err != nil || !ok {
		s.Fatalf("purge of %s: %v, %v", want.Table, ok, err)
	}
	equal(s, "purge", got, want)
}

func (s *tale) noPurge(table uuid.UUID) {
	s.Helper()
	if got, ok, err := s.w.Purge(context.Background(), table); err != nil || ok {
		s.Fatalf("purge of %s: %+v, %v", table, got, err)
	}
}

func (s *tale) pending(want ...projections.Purge) {
	s.Helper()
	got, err := s.w.Purges(context.Background(), 0, 0)
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "pending purges", got, want)
}
