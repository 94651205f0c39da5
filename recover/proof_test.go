package recover_test

import (
	"context"
	"iter"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/recover"
)

// scans counts how often a history is read from its beginning to its end.
type scans struct {
	journal.Reader
	whole int
}

func (s *scans) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range s.Reader.Scan(ctx, after) {
			if !yield(e, err) {
				return
			}
		}
		s.whole++
	}
}

// TestLawProof: a proof names the files that events made current, in any spelling, of
// their own objects; and where a plan has read all of the history, it does not read it
// again.
func TestLawProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := journaltest.Entries(t, journaltest.DrawStory(t, lake).Drafts, journaltest.Start)
		j := journal.NewMemory()
		journaltest.Append(t, j, entries)
		from := &scans{Reader: journal.Lineage(j, lake)}
		proof := recover.NewProof(from)
		until := journal.Seq(rapid.IntRange(0, len(entries)-1).Draw(t, "until"))
		if _, err := recover.PlanHistory(t.Context(), "lake", proof.Reader(), until, recover.FromArchive); err != nil {
			t.Fatal(err)
		}
		named := map[uuid.UUID]map[string]bool{}
		for _, e := range entries {
			for _, m := range e.Event.Moves() {
				if m.To != nil {
					if named[m.UUID] == nil {
						named[m.UUID] = map[string]bool{}
					}
					named[m.UUID][m.To.Pointer.MetadataLocation] = true
				}
			}
		}
		sameProof(t, proof, named)
		if from.whole != 1 {
			t.Errorf("the history was read %d times", from.whole)
		}
	})
}

func sameProof(t *rapid.T, proof *recover.Proof, named map[uuid.UUID]map[string]bool) {
	if _, known, err := proof.Committed(t.Context(), numbered(1)); known || err != nil {
		t.Errorf("an object that nobody knows: %v, %v", known, err)
	}
	for object, files := range named {
		committed, known, err := proof.Committed(t.Context(), object)
		if !known || err != nil {
			t.Fatal(object, known, err)
		}
		for other, all := range named {
			for at := range all {
				l, err := warehouse.ParseLocation(at + "/")
				if err == nil && committed(l) != files[at] {
					t.Errorf("%s of %s is committed to %s: %v", at, other, object, committed(l))
				}
			}
		}
	}
}
