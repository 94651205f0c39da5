package projectiontest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// testImport: a catalog that is made from the tables of a lost journal has the history
// that these had, whoever folds it and however it is cut into events; of what is there
// it changes nothing.
func testImport(t *testing.T, open func(testing.TB) Opened) {
	ctx, store := context.Background(), open(t).Store
	rapid.Check(t, func(t *rapid.T) {
		lost, story := projections.NewState(warehouse), journaltest.DrawStory(t, warehouse)
		entries := journaltest.Entries(t, story.Drafts, journaltest.Start)
		for _, e := range entries {
			apply(t, lost, e.Event)
		}
		w := fresh(t, store)
		j := importing(t, lost, entries[len(entries)-1].Event.Position)
		state, live := projections.NewState(warehouse), events(t, j)
		apply(t, state, live...)
		for _, e := range live {
			apply(t, w, e)
		}
		same(t, "live", w, "State", state)
		if err := w.Reset(ctx); err != nil {
			t.Fatal(err)
		}
		catchUp(t, j.Warehouse(warehouse), 0, w)
		same(t, "replayed", w, "State", state)
		sameAnswers(t, w, state)
		sameHistory(t, w, lost)
	})
}

// importing is a journal that begins with the history of lost tables and brings back
// what is live in them.
func importing(t *rapid.T, lost *projections.State, parent journal.Position) journal.Journal {
	held := dump(t, lost)
	next := journaltest.NewStory(warehouse)
	next.Drafts[0].Body = journal.IncarnationStarted{Build: "test", Location: "s3://lake/wh", Name: "lake", Parent: &parent, Reason: "recovery"}
	add := func(body journal.Body) {
		next.Drafts = append(next.Drafts, journal.Draft{Warehouse: warehouse, ID: uuid.New(), Body: body})
	}
	steps := happened(t, lost)
	for len(steps) > 0 {
		n := rapid.IntRange(1, len(steps)).Draw(t, "steps of an event")
		add(journal.HistoryImported{Steps: slices.Clone(steps[:n])})
		steps = steps[n:]
	}
	for _, n := range held.Namespaces {
		add(journal.NamespaceCreated{ID: n.ID, Namespace: n.Name, Properties: n.Properties})
	}
	for _, o := range held.Objects {
		move := journal.Move{Kind: o.Kind, UUID: o.UUID, To: &journal.To{
			Identifier: o.Identifier, Location: o.Location, Places: o.Places, Pointer: o.Pointer,
		}}
		switch {
		case o.Dropped:
		case o.Kind == journal.Table:
			add(journal.TableRegistered{Moves: [1]journal.Move{move}})
		default:
			add(journal.ViewRegistered{Moves: [1]journal.Move{move}})
		}
	}
	j, chain := journal.NewMemory(), journal.NewChain(warehouse, uuid.New(), 1_000_000)
	for _, d := range next.Drafts {
		entry, after, err := chain.Next(d, journal.At(journaltest.Start))
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Append(t, j, []journal.Entry{entry})
		chain = after
	}
	return j
}

// happened is the whole history of tables as an import has it.
func happened(t rapid.TB, tables projections.Dumper) (steps []journal.ImportedStep) {
	moment, err := tables.Moment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range moment.History() {
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, projections.ImportOf(s))
	}
	if err := moment.Close(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func events(t rapid.TB, j journal.Journal) (all []journal.Event) {
	for e, err := range j.Warehouse(warehouse).Scan(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// sameHistory: steps and names are those that were lost, but for how things came back.
func sameHistory(t rapid.TB, w projections.Warehouse, lost *projections.State) {
	ctx := context.Background()
	held := dump(t, lost)
	for _, o := range held.Objects {
		want, err := lost.Steps(ctx, o.UUID)
		got, gotErr := w.Steps(ctx, o.UUID)
		if err != nil || gotErr != nil || len(got) < len(want) {
			t.Fatal(err, gotErr, len(got), len(want))
		}
		equal(t, "old steps", got[:len(want)], want)
		if back := len(got) - len(want); back > 1 || o.Dropped && back > 0 {
			t.Fatalf("%s came back in %d steps", o.UUID, back)
		}
		names, err := lost.Holders(ctx, o.Identifier)
		gotNames, gotErr := w.Holders(ctx, o.Identifier)
		if err != nil || gotErr != nil {
			t.Fatal(err, gotErr)
		}
		equal(t, "holders", gotNames, names)
		for _, s := range want {
			if made, err := w.Created(ctx, o.UUID, s.Made()); s.Made() != "" && !made || err != nil {
				t.Fatalf("created %s: %v, %v", s.Made(), made, err)
			}
		}
	}
	original, imported := happened(t, lost), happened(t, w)
	equal(t, "the order of what happened", imported[:len(original)], original)
}

// testImportRules: history is imported of what is not there, as one chain of moves
// that is older than its event. What is not leaves nothing.
func testImportRules(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one, two := birth(journal.Table, ident("a", "t"), "/w/1/"), birth(journal.Table, ident("a", "u"), "/w/2/")
	two.UUID = idOf("two")
	s.tell(created(ns("a")), creates(one))
	imported := func(seq journal.Seq, kind journal.Kind, m journal.Move) journal.ImportedStep {
		if m.To != nil {
			to := *m.To
			to.Places = nil
			m.To = &to
		}
		m.Updates = nil
		return journal.ImportedStep{Actor: "token:old", At: 1, Event: idOf("old"), Kind: kind, Move: m, Seq: seq}
	}
	later := commit(two, 1)
	elsewhere := commit(commit(two, 5), 6)
	first, second := imported(1, journal.KindTableCreated, two), imported(2, journal.KindTablesCommitted, later)
	before := dump(s, s.w)
	for _, wrong := range []struct {
		name  string
		kind  projections.ConflictKind // empty: it is no conflict
		steps []journal.ImportedStep
	}{
		{"of what is there", projections.UUIDTaken, []journal.ImportedStep{first, imported(3, journal.KindTableRenamed, rename(one, ident("a", "v")))}},
		{"from nowhere", projections.ObjectMissing, []journal.ImportedStep{second}},
		{"from elsewhere", projections.PointerMoved, []journal.ImportedStep{first, imported(2, journal.KindTablesCommitted, elsewhere)}},
		{"after its event", "", []journal.ImportedStep{imported(1000, journal.KindTableCreated, two)}},
		{"twice at once", "", []journal.ImportedStep{first, imported(1, journal.KindTablesCommitted, later)}},
	} {
		err := s.w.Apply(context.Background(), s.event(journal.HistoryImported{Steps: wrong.steps}))
		var conflict *projections.Conflict
		if is := errors.As(err, &conflict); err == nil || is != (wrong.kind != "") || is && conflict.Kind != wrong.kind {
			t.Errorf("%s: %v", wrong.name, err)
		}
		equal(t, wrong.name, dump(s, s.w), before)
	}
	s.tell(journal.HistoryImported{Steps: []journal.ImportedStep{first}}, journal.HistoryImported{Steps: []journal.ImportedStep{second}})
	s.none(ident("a", "u"))
	if holders, err := s.w.Holders(context.Background(), ident("a", "u")); err != nil || len(holders) != 1 {
		t.Errorf("holders of an imported name: %v, %v", holders, err)
	}
}
