package anchor_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/anchor"
)

var ctx = context.Background()

var incarnation = uuid.MustParse("0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33")

var identity = anchor.Identity{
	ID:          uuid.MustParse("0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47"),
	Name:        "sales-eu",
	Location:    "s3://lake/sales é",
	Incarnation: incarnation,
	CreatedAt:   time.Date(2026, 9, 24, 10, 0, 0, 123e6, time.UTC),
}

// frozen returns the bytes of a file of format version 1.
func frozen(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../fixtures/formats/v1/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// holding is a warehouse that holds one file.
func holding(t *testing.T, key, data string) warehouse.Store {
	t.Helper()
	store := memory.New()
	if err := store.Create(ctx, key, []byte(data)); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestIdentityBytes(t *testing.T) {
	store := memory.New()
	local := identity
	local.CreatedAt = identity.CreatedAt.Add(456 * time.Microsecond).In(time.FixedZone("", 7200))
	if err := anchor.CreateIdentity(ctx, store, local); err != nil {
		t.Fatal(err)
	}
	data, err := store.Get(ctx, "_puddle/warehouse.json", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(frozen(t, "warehouse.json"), string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestLaw9_FrozenBytesDecode(t *testing.T) {
	id, found, err := anchor.ReadIdentity(ctx, holding(t, anchor.IdentityKey, frozen(t, "warehouse.json")))
	if diff := cmp.Diff(identity, id); !found || err != nil || diff != "" {
		t.Errorf("%v, %v\n%s", found, err, diff)
	}
	head, found, err := anchor.ReadHead(ctx, holding(t, anchor.HeadKey, frozen(t, "head.json")))
	hash, parseErr := journal.ParseDigest("a3f1c09b5d7e42608c1f9e3b7a5d0246813579bdf02468ace13579bdf0246801")
	want := anchor.Head{
		Position:  journal.Position{Incarnation: incarnation, Seq: 1<<53 + 1, Hash: hash},
		At:        time.Date(2026, 9, 24, 10, 0, 0, 120e6, time.UTC),
		WrittenAt: time.Date(2026, 9, 24, 10, 0, 1, 0, time.UTC),
	}
	if diff := cmp.Diff(want, head); !found || err != nil || parseErr != nil || diff != "" {
		t.Errorf("%v, %v\n%s", found, err, diff)
	}
}

func TestIdentityIsCreatedOnce(t *testing.T) {
	store := memory.New()
	if _, found, err := anchor.ReadIdentity(ctx, store); found || err != nil {
		t.Fatalf("in an empty warehouse: %v, %v", found, err)
	}
	if err := anchor.CreateIdentity(ctx, store, identity); err != nil {
		t.Fatal(err)
	}
	other := identity
	other.ID = uuid.New()
	if err := anchor.CreateIdentity(ctx, store, other); !errors.Is(err, warehouse.ErrExists) {
		t.Errorf("second: %v", err)
	}
	if got, _, err := anchor.ReadIdentity(ctx, store); got.ID != identity.ID || err != nil {
		t.Errorf("%v, %v", got.ID, err)
	}
}

func TestIncompleteIdentityIsNotWritten(t *testing.T) {
	store := memory.New()
	for name, spoil := range map[string]func(*anchor.Identity){
		"id":          func(id *anchor.Identity) { id.ID = uuid.Nil },
		"name":        func(id *anchor.Identity) { id.Name = "" },
		"location":    func(id *anchor.Identity) { id.Location = "" },
		"incarnation": func(id *anchor.Identity) { id.Incarnation = uuid.Nil },
		"created-at":  func(id *anchor.Identity) { id.CreatedAt = time.Time{} },
	} {
		id := identity
		spoil(&id)
		if err := anchor.CreateIdentity(ctx, store, id); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if _, found, err := anchor.ReadIdentity(ctx, store); found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// TestStrictReading changes the frozen files: what is unknown is ignored, what
// is wrong is refused.
func TestStrictReading(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           error
	}{
		{"unknown member", `"name"`, `"later": {"x": [1]}, "name"`, nil},
		{"upper-case uuid", "0199a3c2-7f4e", "0199A3C2-7F4E", nil},
		{"newer version", `"format-version": 1`, `"format-version": 2`, anchor.ErrNewer},
		{"no version", `"format-version": 1,`, ``, anchor.ErrDamaged},
		{"version as text", `"format-version": 1`, `"format-version": "1"`, anchor.ErrDamaged},
		{"id as number", `"id": "0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47"`, `"id": 7`, anchor.ErrDamaged},
		{"no id", `"id"`, `"ID"`, anchor.ErrDamaged},
		{"null name", `"sales-eu"`, `null`, anchor.ErrDamaged},
		{"name twice", `"name"`, `"name": "x", "name"`, anchor.ErrDamaged},
		{"time as number", `"2026-09-24T10:00:00.123Z"`, `1790000000000`, anchor.ErrDamaged},
		{"time without zone", `123Z`, `123`, anchor.ErrDamaged},
		{"invalid UTF-8", "é", "\xe9", anchor.ErrDamaged},
		{"text after it", "}\n", "}\n{}", anchor.ErrDamaged},
		{"cut off", "Z\"\n}\n", "", anchor.ErrDamaged},
		{"too large", "}\n", "}" + strings.Repeat("\n", 64<<10), anchor.ErrDamaged},
	} {
		data := strings.Replace(frozen(t, "warehouse.json"), test.old, test.new, 1)
		_, found, err := anchor.ReadIdentity(ctx, holding(t, anchor.IdentityKey, data))
		if !errors.Is(err, test.want) || found != (test.want == nil) {
			t.Errorf("%s: %v, %v; want %v", test.name, found, err, test.want)
		}
	}
	for _, member := range []string{"incarnation", "seq", "hash", "at", "written-at"} {
		data := strings.Replace(frozen(t, "head.json"), `"`+member+`"`, `"x"`, 1)
		if _, _, err := anchor.ReadHead(ctx, holding(t, anchor.HeadKey, data)); !errors.Is(err, anchor.ErrDamaged) {
			t.Errorf("head without %s: %v", member, err)
		}
	}
}

func TestStoreErrorsPassThrough(t *testing.T) {
	broken := errors.New("broken")
	store := faulty.New(memory.New(), func(faulty.Op, string) faulty.Fault { return faulty.Before(broken) })
	if _, found, err := anchor.ReadIdentity(ctx, store); found || !errors.Is(err, broken) {
		t.Errorf("ReadIdentity: %v, %v", found, err)
	}
	if _, found, err := anchor.ReadHead(ctx, store); found || !errors.Is(err, broken) {
		t.Errorf("ReadHead: %v, %v", found, err)
	}
	if err := anchor.CreateIdentity(ctx, store, identity); !errors.Is(err, broken) {
		t.Errorf("CreateIdentity: %v", err)
	}
}
