package verify_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"

	"puddle/projections"
	"puddle/recover/verify"
)

// listed are tables for a fold in which something happens once all events are in
// them, and before their objects are listed.
type listed struct {
	projections.Store
	before func()
}

func (l listed) Warehouse(id uuid.UUID) projections.Warehouse {
	return listedWarehouse{l.Store.Warehouse(id), l.before}
}

type listedWarehouse struct {
	projections.Warehouse
	before func()
}

func (l listedWarehouse) Moment(ctx context.Context) (projections.Moment, error) {
	l.before()
	return l.Warehouse.Moment(ctx)
}

// TestResumeAfterTheFold: what moves, or is born, between the fold and the first look
// at an object was looked at as of the fold, or not at all: the run that goes on looks
// at it.
func TestResumeAfterTheFold(t *testing.T) {
	w := newWorld(t)
	for _, s := range []string{"a", "b", "c"} {
		w.table(s)
	}
	w.anchored()
	subject := w.subject()
	subject.Tables = nil
	subject.Fold = listed{projections.NewMemory(), sync.OnceFunc(func() {
		for _, o := range []projections.Object{w.commit("a"), w.commit("b"), w.commit("c"), w.table("new")} {
			w.must(w.files.Delete(t.Context(), w.key(o.Pointer.MetadataLocation)))
		}
	})}
	lines, _, stops := report(t, subject, verify.Options{Level: 3})
	if len(lines) != 1 || len(stops) == 0 {
		t.Fatalf("as of the fold all is well, told was %q", lines)
	}
	subject.Fold = nil
	lines, _, _ = report(t, subject, verify.Options{Level: 3, From: &stops[len(stops)-1]})
	if len(lines) != 4+4+1 { // a finding and a broken object each
		t.Errorf("of four files that are missing it told %q", lines)
	}
}
