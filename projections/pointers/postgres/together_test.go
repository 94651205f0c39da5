package postgres_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
)

// said is what came of a question for an object.
type said struct {
	object projections.Object
	err    error
}

// crowd asks for all names in all warehouses at once, and calls meanwhile when everybody
// waits. The answers are in the order of the questions.
func crowd(t *testing.T, r replica, warehouses []uuid.UUID, names []journal.Identifier, meanwhile func()) []said {
	t.Helper()
	all := make([]said, len(warehouses)*len(names))
	waiting, release := r.store.Crowd()
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			w := r.store.Warehouse(warehouses[i/len(names)])
			all[i].object, all[i].err = w.Object(context.Background(), names[i%len(names)])
		})
	}
	for waiting() < len(all) {
		runtime.Gosched()
	}
	meanwhile()
	release()
	wg.Wait()
	return all
}

// TestACrowdAsksTogether: many who ask at once have what each would have had alone, as it was when the
// query was sent: what was committed while they waited is seen.
func TestACrowdAsksTogether(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	full, empty := journaltest.NewStory(uuid.New()), journaltest.NewStory(uuid.New())
	r.bear(t, full)
	r.bear(t, empty)
	full.CreateNamespace(tableName(0).Namespace, nil)
	names := []journal.Identifier{{Namespace: journal.Namespace{"nowhere"}, Name: "t"}}
	for i := range 300 {
		names = append(names, tableName(i))
		full.CreateTable(tableName(i))
	}
	r.tell(t, full, 512)
	full.Commit(tableName(7))
	full.Drop(tableName(8), false)
	moved := full.Objects[tableName(7).Key()].To.Pointer

	warehouses := []uuid.UUID{full.Warehouse, empty.Warehouse, uuid.New()}
	got := crowd(t, r, warehouses, names, func() { r.tell(t, full, 1) })

	if got[1+7].object.Pointer != moved {
		t.Errorf("an older version than was committed: %v, want %v", got[1+7].object.Pointer, moved)
	}
	for i, answer := range got {
		var want said
		want.object, want.err = r.store.Warehouse(warehouses[i/len(names)]).Object(t.Context(), names[i%len(names)])
		if diff := cmp.Diff(want.object, answer.object); diff != "" || !errors.Is(answer.err, want.err) {
			t.Errorf("%s: %v, want %v\n%s", names[i%len(names)], answer.err, want.err, diff)
		}
	}
}

// TestWhoLeavesACrowd is answered at once, and the others as if it had not been there.
func TestWhoLeavesACrowd(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	got := crowd(t, r, []uuid.UUID{story.Warehouse}, []journal.Identifier{tableName(0)}, func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.store.Warehouse(story.Warehouse).Object(ctx, tableName(0)); !errors.Is(err, context.Canceled) {
			t.Errorf("who does not wait: %v", err)
		}
	})
	if !errors.Is(got[0].err, projections.ErrNoObject) {
		t.Errorf("who waits: %v", got[0].err)
	}
	got = crowd(t, r, []uuid.UUID{story.Warehouse}, []journal.Identifier{tableName(0), tableName(1)}, func() {
		if err := r.store.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, answer := range got {
		if !errors.Is(answer.err, pointers.ErrClosed) {
			t.Errorf("after the store was closed: %v", answer.err)
		}
	}
}

// TestWhoAskedFirstHangs: questions that a network swallows end, whatever time their
// callers have, so that those behind them are asked.
func TestWhoAskedFirstHangs(t *testing.T) {
	server := postgrestest.Shared(t)
	p, err := server.Through()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	url, err := p.URL(server.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, url)
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	w := r.store.Warehouse(story.Warehouse)
	r.store.SetAnswerLimit(100 * time.Millisecond)
	p.Hold()
	if _, err := w.Object(context.Background(), tableName(0)); !errors.Is(err, journalpg.ErrAway) {
		t.Errorf("nobody answers: %v", err)
	}
	p.Release()
	r.store.SetAnswerLimit(time.Minute)
	if _, err := w.Object(context.Background(), tableName(0)); !errors.Is(err, projections.ErrNoObject) {
		t.Errorf("afterwards: %v", err)
	}
}
