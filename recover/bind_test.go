package recover_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/anchor"
	"puddle/recover"
)

const sidecar = "_puddle/catalog/0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47.json"

func TestBirth(t *testing.T) {
	w, id := born(t)
	identity, found, err := anchor.ReadIdentity(t.Context(), w.store)
	if err != nil || !found || identity.ID != id || identity.Name != "a" || identity.Location != "file:///w/a" {
		t.Errorf("identity %+v, %v, %v", identity, found, err)
	}
	events := journaltest.Events(t, w.journal.Warehouse(id), 0)
	want := journal.IncarnationStarted{Build: "test", Location: "file:///w/a", Name: "a", Reason: "birth"}
	if len(events) != 1 || events[0].Body != want || events[0].Incarnation != identity.Incarnation ||
		events[0].Cause.Actor != "system:start" || !events[0].At.Equal(identity.CreatedAt) {
		t.Errorf("journal holds %+v", events)
	}
}

// A start reads two small files of a warehouse that has its identity, however
// much else lies below _puddle.
func TestStartListsNothing(t *testing.T) {
	w, id := born(t)
	w.happen(id, 1)
	store := faulty.New(w.store, func(op faulty.Op, key string) faulty.Fault {
		if op != faulty.Get || key != anchor.IdentityKey && key != anchor.HeadKey {
			return faulty.Before(errors.New(string(op) + " " + key))
		}
		return faulty.Fault{}
	})
	bound, err := w.binder().Bind(t.Context(), recover.Warehouse{Name: "a", Location: "file:///w/a", Store: store})
	if err != nil || bound.ID != id {
		t.Errorf("bound %+v, %v", bound, err)
	}
}

// startRule is a change to a warehouse, and how it is then started.
type startRule struct {
	name    string
	change  func(w *world, id uuid.UUID)
	as, at  string // how it is configured now; default a at file:///w/a
	command string // refused, naming it; default: accepted
	says    string // refused without a command, with this advice
}

// The start rules of formats §1, one state of the world a line.
func TestStartRules(t *testing.T) {
	try(t, []startRule{
		{name: "newborn", change: func(*world, uuid.UUID) {}},
		{name: "with history", change: func(w *world, id uuid.UUID) { w.happen(id, 3) }},
		{name: "another spelling of the location", change: func(w *world, id uuid.UUID) { w.happen(id, 1) }, at: "/w/a/"},
		{name: "sidecars beside history", change: func(w *world, id uuid.UUID) {
			w.happen(id, 1)
			w.must(w.store.Create(w.t.Context(), sidecar, []byte("{}")))
		}},
		{name: "newborn without a file", change: func(w *world, _ uuid.UUID) { w.remove(anchor.IdentityKey) }},
		{name: "anchor in the middle", change: func(w *world, id uuid.UUID) {
			w.happen(id, 2)
			w.anchored(id)
			w.happen(id, 2)
		}},
	})
}

func TestStartRulesOfWhatIsGone(t *testing.T) {
	try(t, []startRule{
		{name: "newborn without a file, but sidecars", change: func(w *world, _ uuid.UUID) {
			w.remove(anchor.IdentityKey)
			w.must(w.store.Create(w.t.Context(), sidecar, []byte("{}")))
		}, command: "puddle recover --warehouse a"},
		{name: "history without a file", change: func(w *world, id uuid.UUID) {
			w.happen(id, 1)
			w.remove(anchor.IdentityKey)
		}, says: "put _puddle/warehouse.json back from a backup"},
		{name: "no journal, a file", change: func(w *world, _ uuid.UUID) { w.journal = newKept() },
			command: "puddle recover --warehouse a"},
		{name: "no journal, only sidecars", change: func(w *world, _ uuid.UUID) {
			w.journal = newKept()
			w.remove(anchor.IdentityKey)
			w.must(w.store.Create(w.t.Context(), sidecar, []byte("{}")))
		}, command: "puddle recover --warehouse a"},
		{name: "no journal, only an anchor", change: func(w *world, id uuid.UUID) {
			w.anchored(id)
			w.journal = newKept()
			w.remove(anchor.IdentityKey)
		}, command: "puddle recover --warehouse a"},
		{name: "no journal, a file and pointer tables", change: func(w *world, id uuid.UUID) {
			w.must(w.tables.Warehouse(id).Apply(w.t.Context(), journaltest.Events(w.t, w.journal.Warehouse(id), 0)...))
			w.journal = newKept()
		}, command: "puddle recover --warehouse a --from metastore"},
		{name: "no journal, pointer tables behind the anchor", change: func(w *world, id uuid.UUID) {
			w.must(w.tables.Warehouse(id).Apply(w.t.Context(), journaltest.Events(w.t, w.journal.Warehouse(id), 0)...))
			w.happen(id, 3)
			w.anchored(id)
			w.journal = newKept()
		}, command: "puddle recover --warehouse a"},
	})
}

func TestStartRulesOfWhatIsAnother(t *testing.T) {
	try(t, []startRule{
		{name: "another journal", change: func(w *world, _ uuid.UUID) {
			other, _ := born(w.t)
			w.journal = other.journal
		}, command: "puddle recover --warehouse a"},
		{name: "another name", change: func(w *world, id uuid.UUID) { w.happen(id, 1) }, as: "b", says: " a: give it that name again in the configuration"},
		{name: "another name, no file", change: func(w *world, _ uuid.UUID) { w.remove(anchor.IdentityKey) }, as: "b", says: " a: give it that name again in the configuration"},
		{name: "another location, empty", change: func(w *world, id uuid.UUID) {
			w.happen(id, 1)
			w.store = memory.New()
		}, at: "file:///w/b", says: "at file:///w/a, not at file:///w/b: give it that location again in the configuration"},
		{name: "another location, files moved", change: func(w *world, id uuid.UUID) { w.happen(id, 1) },
			at: "file:///w/b", says: "at file:///w/a, not at file:///w/b: give it that location again in the configuration"},
		{name: "journal rolled back", change: func(w *world, id uuid.UUID) {
			w.happen(id, 3)
			w.anchored(id)
			w.rollBack(1)
		}, command: "puddle recover --warehouse a"},
		{name: "another history of the same length", change: func(w *world, id uuid.UUID) {
			w.happen(id, 3)
			w.anchored(id)
			w.rollBack(1)
			w.happen(id, 4)
		}, command: "puddle recover --warehouse a"},
		{name: "damaged file", change: func(w *world, _ uuid.UUID) {
			w.must(w.store.Put(w.t.Context(), anchor.IdentityKey, []byte("{")))
		}, says: "see docs/operations.md"},
		{name: "file of a newer build", change: func(w *world, _ uuid.UUID) {
			w.must(w.store.Put(w.t.Context(), anchor.IdentityKey, []byte(`{"format-version": 2}`)))
		}},
	})
}

// try starts warehouses that were changed. A refusal changes nothing.
func try(t *testing.T, rules []startRule) {
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			w, id := born(t)
			rule.change(w, id)
			name, location := or(rule.as, "a"), or(rule.at, "file:///w/a")
			before := snapshot(t, w)
			bound, err := w.bind(name, location)
			switch {
			case rule.name == "file of a newer build":
				refusedWith(t, err, "")
			case rule.says != "":
				refusedWith(t, err, "")
				if !strings.Contains(err.Error(), rule.says) {
					t.Errorf("%v does not say %q", err, rule.says)
				}
			case rule.command != "":
				refusedWith(t, err, rule.command)
			case err != nil || bound != (recover.Bound{ID: id}):
				t.Errorf("bound %+v, %v; want %s", bound, err, id)
			}
			if err != nil && !slices.Equal(before, snapshot(t, w)) {
				t.Error("a refusal changed something")
			}
			if _, found, _ := anchor.ReadIdentity(t.Context(), w.store); err == nil && !found {
				t.Error("there is no identity file after the start")
			}
		})
	}
}

// Two configured warehouses whose locations were swapped are not renames.
func TestSwappedLocations(t *testing.T) {
	w, _ := born(t)
	a := w.store
	w.store = memory.New()
	if _, err := w.bind("b", "file:///w/b"); err != nil {
		t.Fatal(err)
	}
	_, err := w.bind("a", "file:///w/b")
	refusedWith(t, err, "puddle config check")
	w.store = a
	_, err = w.bind("b", "file:///w/a")
	refusedWith(t, err, "puddle config check")
}

// Every write of a birth fails, before and after taking effect: the next start
// finishes it, as the same warehouse where the journal has it.
func TestBirthFaults(t *testing.T) {
	broken := errors.New("broken")
	for name, fault := range map[string]faulty.Fault{"before": faulty.Before(broken), "after": faulty.After(broken)} {
		t.Run("identity "+name, func(t *testing.T) {
			w := newWorld(t)
			failing := faulty.New(w.store, func(op faulty.Op, _ string) faulty.Fault {
				if op == faulty.Create {
					return fault
				}
				return faulty.Fault{}
			})
			_, err := w.binder().Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: failing})
			if !errors.Is(err, broken) {
				t.Fatalf("error is %v", err)
			}
			ids, _ := w.journal.Warehouses(t.Context())
			bound, err := w.bind("a", "/w/a")
			if err != nil || len(ids) != 1 || bound != (recover.Bound{ID: ids[0]}) {
				t.Errorf("bound %+v, %v; the journal knew %v", bound, err, ids)
			}
		})
	}
	for name, fault := range map[string]journaltest.Fault{
		"refused": journaltest.Refused, "unknown, lost": journaltest.UnknownLost, "unknown, done": journaltest.UnknownDone,
	} {
		t.Run("journal "+name, func(t *testing.T) {
			w := newWorld(t)
			b := w.binder()
			b.Journal = journaltest.Faulty(w.journal, func(int) journaltest.Fault { return fault })
			_, err := b.Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: w.store})
			if err == nil || errors.Is(err, journal.ErrUnknownOutcome) != (fault != journaltest.Refused) {
				t.Fatalf("error is %v", err)
			}
			bound, err := w.bind("a", "/w/a")
			if err != nil || bound.Born != (fault != journaltest.UnknownDone) {
				t.Errorf("bound %+v, %v", bound, err)
			}
		})
	}
}

// Two catalogs that are born over one storage at the same moment: one wins.
func TestTwoBirthsOverOneStorage(t *testing.T) {
	w := newWorld(t)
	racing := faulty.New(w.store, func(op faulty.Op, _ string) faulty.Fault {
		if op == faulty.Create {
			other := newWorld(t)
			other.store = w.store
			if _, err := other.bind("a", "/w/a"); err != nil {
				t.Error(err)
			}
		}
		return faulty.Fault{}
	})
	_, err := w.binder().Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: racing})
	refusedWith(t, err, "puddle recover --warehouse a")
	_, err = w.bind("a", "/w/a")
	refusedWith(t, err, "puddle recover --warehouse a")
}

func TestUnborn(t *testing.T) {
	w := newWorld(t)
	b := w.binder()
	b.Births = false
	if _, err := b.Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: w.store}); !errors.Is(err, recover.ErrUnborn) {
		t.Errorf("error is %v", err)
	}
	if got := snapshot(t, w); len(got) != 0 {
		t.Errorf("looking left %v", got)
	}
}

// A journal that ends with the process leaves no identity, and never runs over a
// catalog that has one.
func TestEphemeral(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		b := w.binder()
		b.Journal, b.Ephemeral = journal.NewMemory(), true
		if bound, err := b.Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: w.store}); err != nil || !bound.Born {
			t.Fatalf("bound %+v, %v", bound, err)
		}
	}
	kept, _ := born(t)
	b := kept.binder()
	b.Journal, b.Ephemeral = journal.NewMemory(), true
	_, err := b.Bind(t.Context(), recover.Warehouse{Name: "a", Location: "file:///w/a", Store: kept.store})
	refusedWith(t, err, "puddle recover --warehouse a")
}

// snapshot is every key in the storage and every head in the journal.
func snapshot(t *testing.T, w *world) []string {
	t.Helper()
	var all []string
	for e, err := range w.store.List(t.Context(), "") {
		w.must(err)
		all = append(all, e.Key)
	}
	ids, err := w.journal.Warehouses(t.Context())
	w.must(err)
	for _, id := range ids {
		head, err := w.journal.Warehouse(id).Head(t.Context())
		w.must(err)
		all = append(all, id.String()+" "+head.String())
	}
	return all
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Servers that start together on one journal bear a warehouse once, wherever one is
// when another does it.
func TestStartersOnOneJournal(t *testing.T) {
	for _, at := range []faulty.Op{faulty.Get, faulty.List, faulty.Create} {
		t.Run(string(at), func(t *testing.T) {
			w := newWorld(t)
			var other recover.Bound
			racing := faulty.New(w.store, func(op faulty.Op, _ string) faulty.Fault {
				if op == at && other.ID == uuid.Nil {
					var err error
					if other, err = w.bind("a", "/w/a"); err != nil {
						t.Error(err)
					}
					if at == faulty.List {
						w.happen(other.ID, 2)
						w.must(w.store.Create(t.Context(), sidecar, []byte("{}")))
					}
				}
				return faulty.Fault{}
			})
			bound, err := w.binder().Bind(t.Context(), recover.Warehouse{Name: "a", Location: "/w/a", Store: racing})
			ids, _ := w.journal.Warehouses(t.Context())
			if err != nil || bound.ID != other.ID || len(ids) != 1 {
				t.Errorf("bound %+v, %v; the other one %+v, the journal knows %v", bound, err, other, ids)
			}
		})
	}
}
