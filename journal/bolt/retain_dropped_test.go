package bolt

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// Of what was dropped, the document that it would come back with is retained; of a
// table whose purge is closed, none.
func TestRetentionOfWhatIsGone(t *testing.T) {
	s := journaltest.NewStory(lake)
	ns := journal.Namespace{"sales"}
	s.CreateNamespace(ns, nil)
	named := func(name string) journal.Identifier { return journal.Identifier{Namespace: ns, Name: name} }
	gone := []string{"dropped", "pending", "purged", "back", "unregistered"}
	for range 3 { // of some drafts no document is kept
		for _, name := range gone {
			s.Commit(named(name))
		}
	}
	tables := map[string]journaltest.Object{}
	for _, name := range gone {
		tables[name] = s.Objects[named(name).Key()]
	}
	s.Drop(named("dropped"), false)
	s.Drop(named("pending"), true)
	s.Drop(named("purged"), true)
	s.Drop(named("back"), true)
	s.Unregister(named("unregistered"))
	s.Purge(tables["purged"].UUID)
	s.Undrop(tables["back"].UUID, named("again"))
	s.CreateNamespace(journal.Namespace{"later"}, nil)
	entries := journaltest.Entries(t, s.Drafts, journaltest.Start)
	path := filepath.Join(t.TempDir(), "journal.db")
	hasten(t, path, entries)
	before := documented(t, path)
	if _, err := Compact(t.Context(), path, CompactOptions{Retain: time.Millisecond, Now: journaltest.Start.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]bool{}, map[string]bool{}
	after := documented(t, path)
	for _, e := range entries {
		for i, m := range e.Event.Moves() {
			at := journaltest.Made{Seq: e.Event.Seq, Move: i}
			if before[at] == "" || m.To == nil {
				continue
			}
			name := m.To.Identifier.Name
			got[name+" "+e.Event.Seq.String()] = after[at] != journaltest.Erased
			want[name+" "+e.Event.Seq.String()] = name == "again" || name != "purged" && m.To.Pointer == tables[name].To.Pointer
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("retained (-want +got):\n%s", diff)
	}
}
