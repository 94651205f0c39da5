package projectiontest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"puddle/journal"
	"puddle/projections"
)

// testTx is the contract of projections.Tx.
func testTx(t *testing.T, open func(testing.TB) Opened) {
	ctx := context.Background()
	store := open(t).Store
	s, other := newTale(t, store), newTale(t, store)
	table := birth(journal.Table, ident("a", "t"))
	s.tell(created(ns("a")))
	before, beforeOther := dump(s, s.w), dump(s, other.w)

	tx := begin(t, store)
	use := func(s *tale, body journal.Body) error {
		e := s.event(body)
		err := tx.Apply(ctx, e)
		if err == nil {
			s.chain = journal.ChainAt(e)
		}
		return err
	}
	start, startOther := s.chain, other.chain
	accept := func(s *tale, body journal.Body) {
		t.Helper()
		if err := use(s, body); err != nil {
			t.Fatal(err)
		}
	}
	refuse := func(s *tale, kind projections.ConflictKind, body journal.Body) {
		t.Helper()
		if got := ruleOf(t, use(s, body)); got != string(kind) {
			t.Fatalf("got %q, want %s", got, kind)
		}
	}
	namesake := birth(journal.View, ident("a", "t"))
	namesake.UUID = idOf("namesake")
	story := func() {
		t.Helper()
		accept(s, creates(table))
		refuse(s, projections.NameTaken, creates(namesake))
		accept(other, created(ns("z")))
		refuse(s, projections.PointerMoved, commits(birth(journal.Table, ident("a", "u")), commit(commit(table, 1), 2)))
		accept(s, commits(commit(table, 1)))
		refuse(s, projections.NamespaceNotEmpty, dropped(ns("a")))
		accept(s, created(ns("b")))
	}
	story()
	equal(s, "what readers see of an open transaction", dump(s, s.w), before)
	equal(s, "what readers of the other see", dump(s, other.w), beforeOther)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	equal(s, "after a rollback", dump(s, s.w), before)
	equal(s, "the other after a rollback", dump(s, other.w), beforeOther)

	s.chain, other.chain = start, startOther
	tx = begin(t, store)
	story()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	s.at(s.chain.Head)
	other.at(other.chain.Head)
	equal(s, "committed", s.object(ident("a", "t")).Pointer, pointer(table.UUID, 1))
	s.none(ident("a", "u"))
	testTxOver(s, tx)
	testTxError(s)
	testTurns(s)
}

// testTxOver: a transaction ends once.
func testTxOver(s *tale, tx projections.Tx) {
	if err := tx.Rollback(); err != nil {
		s.Errorf("rollback after commit: %v", err)
	}
	if err := tx.Commit(); !errors.Is(err, projections.ErrTxOver) {
		s.Errorf("commit after commit: %v", err)
	}
	if err := tx.Apply(context.Background(), s.event(created(ns("x")))); !errors.Is(err, projections.ErrTxOver) {
		s.Errorf("apply after commit: %v", err)
	}
	s.at(s.chain.Head)
}

// testTxError: after any error but a conflict nothing can be committed.
func testTxError(s *tale) {
	before := dump(s, s.w)
	tx := begin(s, s.store)
	good := s.event(created(ns("x")))
	if err := tx.Apply(context.Background(), good); err != nil {
		s.Fatal(err)
	}
	gap := good
	gap.Seq += 2
	if err := tx.Apply(context.Background(), gap); !errors.Is(err, projections.ErrGap) {
		s.Errorf("got %v, want %v", err, projections.ErrGap)
	}
	if err := tx.Commit(); !errors.Is(err, projections.ErrTxOver) {
		s.Errorf("commit after an error: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		s.Errorf("rollback after an error: %v", err)
	}
	equal(s, "after an error", dump(s, s.w), before)
	s.tell(created(ns("x")))
}

// testTurns: one writes at a time; who waits can give up.
func testTurns(s *tale) {
	tx := begin(s, s.store)
	ctx, cancel := context.WithCancel(context.Background())
	next := s.event(created(ns("y")))
	var waiting sync.WaitGroup
	for _, wait := range []func() error{
		func() error { _, err := s.store.Begin(ctx); return err },
		func() error { return s.w.Apply(ctx, next) },
		func() error { return s.w.Reset(ctx) },
	} {
		waiting.Go(func() {
			if err := wait(); !errors.Is(err, context.Canceled) {
				s.Errorf("while a transaction is open: %v", err)
			}
		})
	}
	cancel()
	waiting.Wait()
	if err := tx.Rollback(); err != nil {
		s.Fatal(err)
	}
	s.tell(created(ns("y")))
}
