package bolt

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// A recovery brings tables back, and keeps no copies of its own. What they have is
// retained where it was made, in the incarnation before; of one whose purge is closed
// since, nothing is.
func TestRetentionThroughARecovery(t *testing.T) {
	s := journaltest.NewStory(lake)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	named := func(name string) journal.Identifier { return journal.Identifier{Namespace: ns, Name: name} }
	for range 4 { // of some drafts no document is kept
		s.Commit(named("rewound"))
		s.Commit(named("purged"))
	}
	first := journaltest.Entries(t, s.Drafts, journaltest.Start)
	parent := first[len(first)-1].Event
	at := map[string][]journal.Move{} // the moves whose documents are kept
	for _, e := range first {
		for i, m := range e.Event.Moves() {
			if len(e.Documents) > i {
				at[m.To.Identifier.Name] = append(at[m.To.Identifier.Name], m)
			}
		}
	}
	if len(at["rewound"]) < 2 || len(at["purged"]) < 1 {
		t.Fatalf("documents are kept of %d and %d moves", len(at["rewound"]), len(at["purged"]))
	}
	rewound, purged := at["rewound"][0], at["purged"][len(at["purged"])-1]
	registered := func(m journal.Move) journal.Body {
		m.From = nil
		return journal.TableRegistered{Moves: [1]journal.Move{m}}
	}
	dropped := journal.Move{Kind: purged.Kind, UUID: purged.UUID, From: &journal.From{Identifier: purged.To.Identifier, Pointer: purged.To.Pointer}}
	second := incarnated(t, parent, registered(rewound), registered(purged),
		journal.TableDropped{Moves: [1]journal.Move{dropped}, Purge: true}, journal.TablePurged{Table: purged.UUID, Drop: uuid.New(), Report: []journal.PurgeFinding{}},
		journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"later"}, Properties: map[string]string{}})
	path := filepath.Join(t.TempDir(), "journal.db")
	hasten(t, path, append(first, second...))
	if _, err := Compact(t.Context(), path, CompactOptions{Retain: time.Millisecond, Now: journaltest.Start.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	j, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	old := j.Incarnation(lake, parent.Incarnation)
	for _, e := range first {
		for i, m := range e.Event.Moves() {
			if len(e.Documents) <= i {
				continue
			}
			_, err := old.Document(t.Context(), e.Event.Seq, i)
			last := at["rewound"][len(at["rewound"])-1].To.Pointer // of its incarnation
			want := m.To.Pointer == rewound.To.Pointer || m.To.Pointer == last
			if kept := !journal.NotKept(err); kept != want {
				t.Errorf("event %d of %s: retained %t, want %t: %v", e.Event.Seq, m.To.Identifier.Name, kept, want, err)
			}
		}
	}
}

// incarnated is an incarnation after an event.
func incarnated(t *testing.T, parent journal.Event, bodies ...journal.Body) (all []journal.Entry) {
	t.Helper()
	chain := journal.NewChain(lake, uuid.New(), 1_000_000)
	start := journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &parent.Position, Reason: "recovery"}
	for i, body := range append([]journal.Body{start}, bodies...) {
		e, next, err := chain.Next(journal.Draft{Warehouse: lake, ID: uuid.New(), Cause: parent.Cause, Body: body},
			journal.At(parent.At.Add(time.Duration(i+1)*time.Hour)))
		if err != nil {
			t.Fatal(err)
		}
		all, chain = append(all, e), next
	}
	return all
}
