package sqlite_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/uuid"

	"puddle/journal/journaltest"
)

// The store knows whose rows it holds, until they are reset.
func TestWarehousesAreListed(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "puddle.db"))
	var want []uuid.UUID
	for range 3 {
		id := uuid.New()
		first := journaltest.Entries(t, journaltest.NewStory(id).Drafts, journaltest.Start)[0]
		if err := db.Warehouse(id).Apply(t.Context(), first.Event); err != nil {
			t.Fatal(err)
		}
		want = append(want, id)
	}
	if err := db.Warehouse(want[1]).Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	want = slices.Delete(want, 1, 2)
	slices.SortFunc(want, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	if got, err := db.Held(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("warehouses %v, %v; want %v", got, err, want)
	}
}
