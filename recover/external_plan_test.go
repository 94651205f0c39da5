package recover_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// externalTables is a warehouse with the sidecars of tables in an external one, by name, with the
// files that they name.
func externalTables(t *testing.T, files map[string]string) (own, old *memory.Store) {
	t.Helper()
	own, old = memory.New(), memory.New()
	for name, log := range files {
		id := uuid.NewSHA1(uuid.Nil, []byte(name))
		at := "s3://old/lake/" + name + "/metadata/v1.metadata.json"
		data, err := sidecars.Encode(sidecars.Object{
			Kind: journal.Table, Warehouse: "a", Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: name}, UUID: id,
			Location: "s3://old/lake/" + name, MetadataLocation: at, State: sidecars.Active, UpdatedAt: time.Unix(1_790_000_000, 0),
		})
		if err == nil {
			err = own.Put(t.Context(), sidecars.Key(id), data)
		}
		text := fmt.Sprintf(`{"format-version":2,"table-uuid":%q,"location":"s3://old/lake/%s","last-updated-ms":1%s}`, id, name, log)
		if err == nil {
			err = old.Put(t.Context(), name+"/metadata/v1.metadata.json", []byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return own, old
}

// withExternal are the roots with an external one, whose reads are told to a hook, and to
// which nothing is written.
func withExternal(t *testing.T, own, old warehouse.Store, read func(op faulty.Op, key string) error) warehouse.Roots {
	t.Helper()
	l, err := warehouse.ParseLocation("s3://old/lake")
	if err != nil {
		t.Fatal(err)
	}
	return append(rootsOf(own), warehouse.Root{URL: "s3://old/lake", Location: l, External: "old", Store: faulty.New(old, func(op faulty.Op, key string) faulty.Fault {
		if op != faulty.Get && op != faulty.Stat {
			t.Errorf("%s %s", op, key)
		}
		return faulty.Before(read(op, key))
	})})
}

func planned(t *testing.T, roots warehouse.Roots) map[string]recover.PlannedObject {
	t.Helper()
	plan, err := recover.PlanSidecars(context.Background(), recover.Evidences{Roots: roots, Name: "a"})
	if err != nil || plan.Unseen != nil {
		t.Fatalf("%v, not seen %v", err, plan.Unseen)
	}
	all := map[string]recover.PlannedObject{}
	for _, o := range plan.Objects {
		all[o.Identifier.Name] = o
	}
	return all
}

// A table in an external warehouse gets the file that its sidecar names: what its owner
// has written since is no commit of this catalog. Nothing is listed there.
func TestPlanExternal(t *testing.T) {
	own, old := externalTables(t, map[string]string{"t": "", "gone": "", "other": ""})
	ctx := t.Context()
	err := errors.Join(
		old.Put(ctx, "t/metadata/v2.metadata.json", []byte(`{"format-version":2,"metadata-log":[{"metadata-file":"s3://old/lake/t/metadata/v1.metadata.json"}]}`)),
		old.Delete(ctx, "gone/metadata/v1.metadata.json"), old.Put(ctx, "other/metadata/v1.metadata.json", []byte("{")))
	if err != nil {
		t.Fatal(err)
	}
	all := planned(t, withExternal(t, own, old, func(faulty.Op, string) error { return nil }))
	if o := all["t"]; o.Outcome != recover.Recovered || !strings.HasSuffix(o.MetadataLocation, "/v1.metadata.json") || o.Evidence != recover.BySidecar || len(o.Warnings) > 0 {
		t.Errorf("t is %+v", o)
	}
	for _, name := range []string{"gone", "other"} {
		if o := all[name]; o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), "s3://old/lake/"+name) {
			t.Errorf("%s is %+v", name, o)
		}
	}
}

// What cannot be looked at is one line, and holds up nothing else.
func TestPlanExternalIsAway(t *testing.T) {
	own, old := externalTables(t, map[string]string{"t": "", "away": ""})
	roots := withExternal(t, own, old, func(_ faulty.Op, key string) error {
		if strings.HasPrefix(key, "away/") {
			return warehouse.ErrDenied
		}
		return nil
	})
	all := planned(t, roots)
	if o := all["away"]; o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), "the external warehouse old cannot be read") || !strings.Contains(o.Err.Error(), "--allow-nonempty") {
		t.Errorf("away is %+v", o)
	}
	if o := all["t"]; o.Outcome != recover.Recovered {
		t.Errorf("t is %+v", o)
	}
	for _, o := range planned(t, roots[:1]) {
		if o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), "external-warehouses missing?") {
			t.Errorf("not configured: %+v", o)
		}
	}
}

// A table that went on in the warehouse, of which the sidecar knows nothing yet, is found
// there (case 39).
func TestPlanExternalMovedIn(t *testing.T) {
	own, old := externalTables(t, map[string]string{"t": ""})
	id := uuid.NewSHA1(uuid.Nil, []byte("t"))
	text := fmt.Sprintf(`{"format-version":2,"table-uuid":%q,"location":"%s/t","last-updated-ms":1790000001000,"metadata-log":[{"metadata-file":"s3://old/lake/t/metadata/v1.metadata.json","timestamp-ms":1}]}`, id, storage)
	if err := own.Put(t.Context(), "t/metadata/00002-x.metadata.json", []byte(text)); err != nil {
		t.Fatal(err)
	}
	o := planned(t, withExternal(t, own, old, func(faulty.Op, string) error { return nil }))["t"]
	if o.Outcome != recover.Recovered || !strings.HasSuffix(o.MetadataLocation, "/t/metadata/00002-x.metadata.json") || o.CommitsBehind != 1 {
		t.Errorf("t is %+v", o)
	}
}
