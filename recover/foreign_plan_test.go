package recover_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// littered is a bucket in which somebody put an object below a sidecar.
type littered struct{ warehouse.Store }

func (l littered) List(ctx context.Context, prefix string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		for entry, err := range l.Store.List(ctx, prefix) {
			if !yield(entry, err) {
				return
			}
			if entry.Key == sidecars.Key(numbered(1)) && !yield(warehouse.Entry{Key: entry.Key + "/x.json"}, nil) {
				return
			}
		}
	}
}

// What lies below a sidecar, as it can in a bucket, says nothing against it.
func TestCase52_BelowASidecar(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"))
	p, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(littered{s.own}, s.other), Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Objects) != 1 || p.Objects[0].Outcome != recover.Recovered {
		t.Errorf("planned %+v", p.Objects)
	}
	if len(p.NotUsed) != 1 || p.NotUsed[0].MetadataLocation != sidecars.Key(numbered(1))+"/" || !strings.Contains(p.NotUsed[0].Reason, "name of a sidecar") {
		t.Errorf("not used: %+v", p.NotUsed)
	}
}

// An archive that is there and cannot be used is not said to be missing.
func TestChooseTellsWhyNoArchive(t *testing.T) {
	_, err := recover.Choose("w", recover.Wanted{From: recover.FromArchive}, recover.Seen{Unusable: "a segment is too large"})
	if err == nil || !strings.Contains(err.Error(), "a segment is too large") || strings.Contains(err.Error(), "there is no archive") {
		t.Error(err)
	}
}
