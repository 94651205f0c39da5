package recover_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/anchor"
	"puddle/recover"
)

var clock = fixed{journal.At(journaltest.Start)}

type fixed struct{ journal.Instant }

func (f fixed) Read() journal.Instant { return f.Instant }

// world is one machine: a journal, pointer tables and one warehouse's storage.
type world struct {
	t       *testing.T
	journal *kept
	tables  *projections.Memory
	store   *memory.Store
}

// kept is a journal that can be rolled back.
type kept struct {
	*journal.Memory
	entries []journal.Entry
}

func newKept() *kept { return &kept{Memory: journal.NewMemory()} }

// Append remembers what it appends.
func (k *kept) Append(ctx context.Context, entries ...journal.Entry) error {
	k.entries = append(k.entries, entries...)
	return k.Memory.Append(ctx, entries...)
}

// rollBack replaces the journal by one that has its first n events only.
func (w *world) rollBack(n int) {
	w.t.Helper()
	entries := w.journal.entries[:n:n]
	w.journal = newKept()
	w.must(w.journal.Append(w.t.Context(), entries...))
}

func newWorld(t *testing.T) *world {
	return &world{t, newKept(), projections.NewMemory(), memory.New()}
}

func (w *world) binder() recover.Binder {
	return recover.Binder{Journal: w.journal, Tables: w.tables, Clock: clock, Build: "test", Births: true}
}

func (w *world) bind(name, location string) (recover.Bound, error) {
	return w.binder().Bind(w.t.Context(), recover.Warehouse{Name: name, Location: location, Store: w.store})
}

// born is a world with a newborn warehouse "a" at file:///w/a.
func born(t *testing.T) (*world, uuid.UUID) {
	w := newWorld(t)
	bound, err := w.bind("a", "file:///w/a")
	if err != nil || !bound.Born {
		t.Fatalf("birth: %+v, %v", bound, err)
	}
	return w, bound.ID
}

// happen appends n events to the history of a warehouse.
func (w *world) happen(id uuid.UUID, n int) {
	w.t.Helper()
	var last journal.Event
	for e, err := range w.journal.Warehouse(id).ScanBack(w.t.Context(), 0) {
		w.must(err)
		last = e
		break
	}
	chain := journal.ChainAt(last)
	for range n {
		entry, next, err := chain.Next(journal.Draft{
			Warehouse: id, ID: uuid.Must(uuid.NewV7()),
			Cause: journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST},
			Body: journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{uuid.NewString()},
				Properties: map[string]string{}},
		}, clock.Read())
		w.must(err)
		w.must(w.journal.Append(w.t.Context(), entry))
		chain = next
	}
}

// anchored writes head.json as a server that stops does.
func (w *world) anchored(id uuid.UUID) {
	w.t.Helper()
	f := anchor.Follow(w.store, w.journal, id, func(err error) { w.t.Error(err) })
	w.must(f.Close(context.Background()))
}

func (w *world) remove(keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		w.must(w.store.Delete(w.t.Context(), key))
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// refusedWith checks that err refuses and names the command.
func refusedWith(t *testing.T, err error, command string) {
	t.Helper()
	var refusal *recover.Refusal
	if !errors.As(err, &refusal) || refusal.Command != command || refusal.Reason == "" {
		t.Errorf("error is %v; want a refusal that names %q", err, command)
	}
}
