package projectiontest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testProjection is the contract of projections.Projection.
func testProjection(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	store := open(t).Store
	s := newTale(t, store)
	if s.w.Name() == "" {
		t.Error("the projection has no name")
	}
	cursor, err := store.Warehouse(uuid.New()).Cursor(ctx)
	if err != nil || !cursor.IsZero() {
		t.Errorf("cursor of a warehouse nobody applied to: %v, %v", cursor, err)
	}
	table := birth(journal.Table, ident("a", "t"))
	s.tell(created(ns("a")), creates(table), commits(commit(table, 1)))
	s.at(s.chain.Head)
	before := dump(s, s.w)

	apply(t, s.w)
	apply(t, s.w, s.told...)
	apply(t, s.w, s.told[2], s.told[0])
	equal(s, "applied again", dump(s, s.w), before)

	next := s.event(created(ns("b")))
	apply(t, s.w, append(s.told[1:], next)...) // skips what it has
	s.at(next.Position)
	s.chain = journal.ChainAt(next)
	s.told = append(s.told, next)
	before = dump(s, s.w)

	good := s.event(created(ns("c")))
	s.chain = journal.ChainAt(good)
	bad := s.event(created(ns("c")))
	var conflict *projections.Conflict
	if err := s.w.Apply(ctx, good, bad); !errors.As(err, &conflict) {
		t.Errorf("a batch with a conflict: %v", err)
	}
	equal(s, "after half a batch", dump(s, s.w), before)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.w.Apply(canceled, good); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
	equal(s, "after a cancelled call", dump(s, s.w), before)
	testForeign(s, good, before)

	if err := s.w.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	equal(s, "after a reset", dump(s, s.w), projections.Dump{})
	apply(t, s.w, s.told...)
	equal(s, "told again", dump(s, s.w), before)
}

// testForeign: what does not follow is refused and leaves nothing. next would
// follow.
func testForeign(s *tale, next journal.Event, before projections.Dump) {
	after := journal.ChainAt(next)
	entry, _, err := after.Next(journal.Draft{ID: uuid.New(), Body: created(ns("d"))}, journal.At(journaltest.Start))
	if err != nil {
		s.Fatal(err)
	}
	change := func(e journal.Event, change func(*journal.Event)) journal.Event {
		change(&e)
		return e
	}
	last := s.told[len(s.told)-1]
	for _, test := range []struct {
		name string
		e    journal.Event
		want error
	}{
		{"one is missing", entry.Event, projections.ErrGap},
		{"the last seq there is", change(next, func(e *journal.Event) { e.Seq = math.MaxInt64 }), projections.ErrGap},
		{"link to another hash", change(next, func(e *journal.Event) { e.Prev[0]++ }), projections.ErrDiverged},
		{"incarnation", change(next, func(e *journal.Event) { e.Incarnation = uuid.New() }), projections.ErrDiverged},
		{"warehouse", change(next, func(e *journal.Event) { e.Warehouse = uuid.New() }), projections.ErrDiverged},
		{"hash at the cursor", change(last, func(e *journal.Event) { e.Hash[0]++ }), projections.ErrDiverged},
		{"a second start", s.event(journal.IncarnationStarted{Name: "lake", Location: "s3://lake/wh"}), projections.ErrDiverged},
	} {
		if err := s.w.Apply(context.Background(), test.e); !errors.Is(err, test.want) {
			s.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
		equal(s, "what is held after "+test.name, dump(s, s.w), before)
	}
	fresh := s.store.Warehouse(next.Warehouse)
	equal(s, "another handle on the warehouse", dump(s, fresh), before)
	if err := projections.NewState(next.Warehouse).Apply(context.Background(), next); !errors.Is(err, projections.ErrGap) {
		s.Errorf("without the start of an incarnation: %v", err)
	}
}

func (s *tale) at(want journal.Position) {
	s.Helper()
	got, err := s.w.Cursor(context.Background())
	if err != nil {
		s.Fatal(err)
	}
	equal(s, "cursor", got, want)
}

// testIncarnations: a new one begins with empty names, pointers and places, and
// keeps history.
func testIncarnations(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	s := newTale(t, open(t).Store)
	table := birth(journal.Table, ident("a", "t"), "/w/t/")
	asked := birth(journal.Table, ident("a", "asked"))
	s.tell(created(ns("a")), creates(table), creates(asked), dropsAndPurges(asked))
	asking := s.lastID()
	start := func(parent *journal.Position, seq journal.Seq) journal.Event {
		warehouse, incarnation := s.chain.Warehouse, uuid.New()
		entry, _, err := journal.NewChain(warehouse, incarnation, seq-1).Next(journal.Draft{
			Warehouse: warehouse, ID: uuid.New(),
			Body: journal.IncarnationStarted{Name: "pond", Location: "s3://pond/wh", Parent: parent, Reason: "restore"},
		}, journal.At(journaltest.Start))
		if err != nil {
			t.Fatal(err)
		}
		return entry.Event
	}
	head := s.chain.Head
	later, other := head, head
	later.Seq++
	other.Hash[0]++
	for name, parent := range map[string]*journal.Position{"none": nil, "other": &other} {
		if err := s.w.Apply(ctx, start(parent, 1_000_000)); !errors.Is(err, projections.ErrDiverged) {
			t.Errorf("parent %s: %v", name, err)
		}
	}
	if err := s.w.Apply(ctx, start(&later, 1_000_000)); !errors.Is(err, projections.ErrGap) {
		t.Errorf("parent after the cursor: %v", err)
	}

	e := start(&head, 1_000_000)
	apply(t, s.w, e)
	s.chain = journal.ChainAt(e)
	s.at(e.Position)
	held := dump(s, s.w)
	equal(s, "warehouse", []string{held.Name, held.Location}, []string{"pond", "s3://pond/wh"})
	if len(held.Namespaces)+len(held.Objects)+len(held.Purges) != 0 || len(held.Steps) != 3 {
		t.Errorf("after the start of an incarnation: %+v", held)
	}
	s.noPurge(asked.UUID)
	s.pending()
	s.refuse(purgeMissing(asked.UUID, asking), purgedBody(asked.UUID, asking))
	s.refuse(projections.Conflict{
		Kind: projections.ObjectMissing, Identifier: ident("a", "asked"), UUID: asked.UUID,
	}, undrops(asked))
	s.made(asked.UUID, asked.To.Pointer.MetadataLocation, true)
	s.none(ident("a", "t"))
	heir := birth(journal.Table, ident("a", "t"), "/w/t/")
	heir.UUID = idOf("heir")
	s.tell(created(ns("a")), creates(heir))
	holders, err := s.w.Holders(ctx, ident("a", "t"))
	if err != nil {
		t.Fatal(err)
	}
	equal(s, "holders", holders, []uuid.UUID{heir.UUID, table.UUID})
}
