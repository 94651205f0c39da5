package recover_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// What an archive lacks comes from sidecars that are later, and from nothing else.
func TestWithLater(t *testing.T) {
	store, end := memory.New(), journal.Position{Seq: 100}
	ids := map[string]uuid.UUID{}
	planned := func(name, file string, by recover.Evidence) recover.PlannedObject {
		if _, ok := ids[name]; !ok {
			ids[name] = uuid.New()
		}
		return recover.PlannedObject{
			Kind: journal.Table, UUID: ids[name], Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: name},
			Outcome: recover.Recovered, MetadataLocation: file, Evidence: by,
		}
	}
	sidecar := func(name string, seq journal.Seq) {
		t.Helper()
		data, err := sidecars.Encode(sidecars.Object{
			Kind: journal.Table, Warehouse: "w", Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: name}, UUID: ids[name],
			Location: "s3://lake/wh/" + name, MetadataLocation: "s3://lake/wh/" + name + "/metadata/v1.metadata.json", State: sidecars.Active,
			UpdatedAt: clock.Trusted, Extras: sidecars.Extras{WarehouseID: uuid.New(), Incarnation: uuid.New(), Seq: seq, EventID: uuid.New()},
		})
		if err == nil {
			err = store.Put(t.Context(), sidecars.Key(ids[name]), data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	base := recover.Plan{From: recover.FromArchive, Objects: []recover.PlannedObject{
		planned("same", "1", recover.ByArchive), planned("late", "2", recover.ByArchive), planned("committed", "1", recover.ByArchive),
		planned("descends", "1", recover.ByArchive), planned("dropped", "1", recover.ByArchive), planned("robbed", "1", recover.ByArchive),
		planned("stays dropped", "1", recover.ByArchive), planned("renamed", "1", recover.ByArchive),
	}}
	base.Objects[6].Outcome = recover.Dropped
	undead := planned("undead", "1", recover.ByArchive)
	undead.Outcome = recover.Dropped // and its sidecar, which says active, was late
	base.Objects = append(base.Objects, undead)
	dropped, thief, renamed := planned("dropped", "1", recover.BySidecar), planned("thief", "1", recover.BySidecar), planned("renamed", "2", recover.ByDescendants)
	renamed.Identifier.Name = "same" // as it was called before it was renamed, and another is since
	dropped.Outcome, thief.Identifier.Name = recover.Dropped, "robbed"
	beside := recover.Plan{From: recover.FromSidecars, Namespaces: []recover.PlannedNamespace{{Name: journal.Namespace{"n"}}}, Objects: []recover.PlannedObject{
		planned("same", "1", recover.BySidecar), planned("late", "1", recover.BySidecar), planned("committed", "2", recover.BySidecar),
		planned("descends", "2", recover.ByDescendants), dropped, renamed, planned("gone", "1", recover.BySidecar), thief,
		planned("stays dropped", "2", recover.ByDescendants), // its sidecar is late, and a file lies beside its own
		planned("undead", "2", recover.ByDescendants),
	}}
	for name, seq := range map[string]journal.Seq{
		"same": 90, "late": 90, "committed": 101, "descends": 90, "dropped": 102, "gone": 80, "robbed": 90, "stays dropped": 90, "renamed": 70, "thief": 103, "undead": 90,
	} {
		sidecar(name, seq)
	}
	plan, err := recover.WithLater(t.Context(), base, beside, store, end)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{
		"same": "recovered 1", "late": "recovered 2", "committed": "recovered 2", "descends": "recovered 2",
		"dropped": "dropped 1", "robbed": "failed 1", "stays dropped": "dropped 1", "renamed": "recovered 2 renamed", "thief": "recovered 1", "undead": "dropped 1",
	}, become(plan, ids)); diff != "" {
		t.Error(diff)
	}
	if len(plan.Namespaces) != 1 || plan.From != recover.FromArchive {
		t.Errorf("namespaces %v, from %s", plan.Namespaces, plan.From)
	}
}

// become is what becomes of objects: their outcomes and files, and how the renamed one is
// called.
func become(plan recover.Plan, ids map[string]uuid.UUID) map[string]string {
	got := map[string]string{}
	for name, id := range ids {
		for _, o := range plan.Objects {
			if o.UUID != id {
				continue
			}
			got[name] = string(o.Outcome) + " " + o.MetadataLocation
			if name == "renamed" {
				got[name] += " " + o.Identifier.Name
			}
		}
	}
	return got
}

// What a server that was killed before its first sidecars has left is known by the archive.
// Only of a file that is later than the archive's it is told.
func TestWithLaterStrangers(t *testing.T) {
	known, ahead, gone, stranger := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	planned := func(id uuid.UUID, as recover.ObjectOutcome) recover.PlannedObject {
		return recover.PlannedObject{UUID: id, Outcome: as, MetadataLocation: "s3://lake/wh/" + id.String() + "/1"}
	}
	left := func(id uuid.UUID, file string) recover.Unregistered {
		return recover.Unregistered{UUID: id, Newest: "s3a://lake/wh/" + id.String() + file}
	}
	got, err := recover.WithLater(t.Context(),
		recover.Plan{From: recover.FromArchive, Objects: []recover.PlannedObject{
			planned(known, recover.Recovered), planned(ahead, recover.Recovered), planned(gone, recover.Dropped),
		}},
		recover.Plan{From: recover.FromSidecars, Unregistered: []recover.Unregistered{left(known, "/1"), left(ahead, "/2"), left(gone, "/2"), left(stranger, "/1")}},
		memory.New(), journal.Position{Seq: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Unregistered) != 1 || got.Unregistered[0].UUID != stranger {
		t.Errorf("unregistered: %v", got.Unregistered)
	}
	for _, o := range got.Objects {
		if warned := len(o.Warnings) > 0; warned != (o.UUID == ahead) {
			t.Errorf("%s: warnings %q", o.UUID, o.Warnings)
		}
	}
}
