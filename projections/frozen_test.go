package projections_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// What an earlier build recorded of drops, undrops, repoints and purges folds to
// the same for ever.
func TestFrozenPurgesFold(t *testing.T) {
	bay := uuid.MustParse("91c7e2f4-5b38-4d0a-a6e1-3f8c2b7d9054")
	events := frozenEvents(t, bay)
	state := projections.NewState(bay)
	pending := map[int]int{} // by the number of events: how many
	for i, e := range events {
		if err := state.Apply(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		purges, err := state.Purges(t.Context(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		pending[i+1] = len(purges)
	}
	for n, want := range map[int]int{3: 0, 4: 1, 5: 0, 11: 1, 12: 0, 13: 1, 14: 0} {
		if pending[n] != want {
			t.Errorf("%d purges are pending after %d events, want %d", pending[n], n, want)
		}
	}
	held, err := state.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, p := range held.Purges {
		files = append(files, p.Pointer.MetadataLocation)
		if !p.Done || len(p.Places) != 1 {
			t.Errorf("purge %+v", p)
		}
	}
	for _, o := range held.Objects {
		if o.Kind == journal.View {
			files = append(files, o.Pointer.MetadataLocation)
		}
	}
	want := []string{"orders/metadata/00001", "items/metadata/00000", "top/metadata/00001"}
	if !slices.EqualFunc(files, want, strings.Contains) {
		t.Errorf("the pointers are %q, want %q", files, want)
	}
}

// frozenEvents are the frozen records of a warehouse in their order.
func frozenEvents(t *testing.T, warehouse uuid.UUID) (events []journal.Event) {
	t.Helper()
	paths, err := filepath.Glob("../fixtures/formats/v1/record-*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		record, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		links, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		prev, err := journal.ParseDigest(strings.Fields(string(links))[1])
		if err != nil {
			t.Fatal(err)
		}
		e, err := journal.Decode(prev, record)
		if err != nil {
			t.Fatal(err)
		}
		if e.Warehouse == warehouse {
			events = append(events, e)
		}
	}
	slices.SortFunc(events, func(a, b journal.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return events
}
