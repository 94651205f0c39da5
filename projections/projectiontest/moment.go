package projectiontest

import (
	"context"
	"errors"
	"testing"

	"puddle/journal"
	"puddle/projections"
)

// testMoment: what a moment shows does not change while events are applied, a part
// of it can be read alone, two at a time too, and one that is closed is in nobody's way.
func testMoment(t *testing.T, open func(testing.TB) Opened) {
	s := newTale(t, open(t).Store)
	one, two := birth(journal.Table, ident("a", "one"), "/w/one/"), birth(journal.Table, ident("a", "two"), "/w/two/")
	s.tell(created(ns("a")), creates(one), creates(two), dropsAndPurges(two))
	before := dump(s, s.w)
	m, other := moment(s), moment(s)
	s.tell(created(ns("b")), commits(commit(one, 1)))
	for _, err := range m.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	for _, err := range m.Objects() {
		for _, err := range other.Steps() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	for _, m := range []projections.Moment{m, other} {
		got, err := projections.Gather(m)
		if err != nil {
			t.Fatal(err)
		}
		equal(s, "a moment from before", got, before)
	}
	for range 20 {
		m := moment(s)
		equal(s, "a later moment", m.Cursor(), s.chain.Head)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	m, err := s.w.Moment(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := projections.Gather(m); !errors.Is(err, context.Canceled) {
		t.Errorf("of a context that has ended: %v", err)
	}
}

func moment(s *tale) projections.Moment {
	s.Helper()
	m, err := s.w.Moment(context.Background())
	if err != nil {
		s.Fatal(err)
	}
	return m
}
