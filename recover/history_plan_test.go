package recover_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/recover"
)

// TestLawPlanHistory: the plan of a history is what the history says, exactly and
// proven; that up to an event is the plan of a history that ends there.
func TestLawPlanHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		story := journaltest.DrawStory(t, lake)
		entries := journaltest.Entries(t, story.Drafts, journaltest.Start)
		plan := planOf(t, entries, 0)
		ever := map[uuid.UUID]bool{}
		for _, e := range entries {
			for _, m := range e.Event.Moves() {
				ever[m.UUID] = true
			}
		}
		totals, dropped := recover.ReportOf(plan).Totals(), len(ever)-len(story.Objects)
		if plan.EventsReplayed != len(entries) || len(plan.Namespaces) != len(story.Namespaces) || totals.Recovered != len(story.Objects) || totals.Dropped != dropped {
			t.Fatalf("%d events, %d namespaces, %+v; want %d, %d, %d, %d", plan.EventsReplayed, len(plan.Namespaces), totals,
				len(entries), len(story.Namespaces), len(story.Objects), dropped)
		}
		for _, n := range plan.Namespaces {
			want := story.Namespaces[n.Name.Key()]
			if n.ID != want.ID || n.From != "archive" || len(n.Properties) != len(want.Properties) {
				t.Errorf("%+v, want %+v", n, want)
			}
		}
		for _, o := range plan.Objects {
			if o.Outcome == recover.Dropped {
				continue
			}
			want := story.Objects[o.Identifier.Key()]
			if o.UUID != want.UUID || o.Pointer != want.To.Pointer || o.MetadataLocation != want.To.Pointer.MetadataLocation ||
				o.Evidence != recover.ByArchive || o.Confidence != recover.Proven || o.Outcome != recover.Recovered {
				t.Errorf("%+v, want %+v", o, want)
			}
		}
		until := rapid.IntRange(1, len(entries)).Draw(t, "until")
		if diff := cmp.Diff(planOf(t, entries[:until], 0), planOf(t, entries, journal.Seq(until))); diff != "" {
			t.Error(diff)
		}
	})
}

func planOf(t rapid.TB, entries []journal.Entry, until journal.Seq) recover.Plan {
	j := journal.NewMemory()
	journaltest.Append(t, j, entries)
	plan, err := recover.PlanHistory(context.Background(), "a", j.Warehouse(lake), until, recover.FromArchive)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPlanHistoryRefuses(t *testing.T) {
	j := journal.NewMemory()
	if _, err := recover.PlanHistory(t.Context(), "a", j.Warehouse(lake), 0, recover.FromJournal); !errors.Is(err, journal.ErrNoEvent) {
		t.Errorf("an empty history: %v", err)
	}
	journaltest.Append(t, j, journaltest.Entries(t, journaltest.NewStory(lake).Drafts, journaltest.Start))
	if _, err := recover.PlanHistory(t.Context(), "a", j.Warehouse(lake), 2, recover.FromJournal); !errors.Is(err, journal.ErrNoEvent) {
		t.Errorf("after its end: %v", err)
	}
}

// TestCase55_MissingFiles: a plan tells which of its files are not there.
func TestCase55_MissingFiles(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), "12345")
	pointed := func(at string, size int64) recover.PlannedObject {
		return recover.PlannedObject{Outcome: recover.Recovered, Pointer: journal.Pointer{MetadataLocation: at, Size: size}}
	}
	plan := recover.Plan{Warehouse: "w", Objects: []recover.PlannedObject{
		pointed(file("v1"), 5), pointed(file("v1"), 6), pointed(file("v2"), 5), pointed("s3://elsewhere/v1.metadata.json", 5),
		{Outcome: recover.Failed, UUID: uuid.UUID{1}},
	}}
	if err := plan.WriteMissing(t.Context(), rootsOf(s.own), nil, false); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range plan.Objects {
		got = append(got, strings.TrimSuffix(strings.Join(o.Warnings, "; "), "; next: puddle verify w --repair"))
	}
	want := []string{"", "its metadata file has 5 bytes, 6 were committed", "its metadata file is missing, and no copy of it is known", "", ""}
	if got[3] == "" || !slices.Equal(append(got[:3:3], got[4]), append(want[:3:3], want[4])) {
		t.Errorf("%q", got)
	}
}
