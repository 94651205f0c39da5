package sidecars

import (
	"context"
	"errors"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"puddle/internal/quicktest"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(quicktest.Tests(m)) }

var ctx = context.Background()

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// frozen returns the bytes of a file of format version 1.
func frozen(tb rapid.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile("../../fixtures/formats/v1/" + name)
	must(tb, err)
	return string(data)
}

func digest(tb rapid.TB, first string) journal.Digest {
	tb.Helper()
	d, err := journal.ParseDigest(first + "3f1c09b5d7e42608c1f9e3b7a5d0246813579bdf02468ace13579bdf0246801")
	must(tb, err)
	return d
}

var goldenExtras = Extras{
	WarehouseID: uuid.MustParse("0199a3c2-7f4e-7c11-9d52-3b8f6a1e0c47"), Incarnation: uuid.MustParse("0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33"),
	Seq: 1<<53 + 1, EventID: uuid.MustParse("0199a3c2-7fff-7a05-8e21-5d9c4b7f1a33"),
}

// goldenObjects are what the frozen files of objects say.
func goldenObjects(tb rapid.TB) map[string]Object {
	const folder = "s3://my-warehouse/4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12"
	seed := Object{
		Kind: journal.Table, Warehouse: "analytics", Identifier: journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "orders"},
		UUID: uuid.MustParse("4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12"), Location: folder,
		MetadataLocation: folder + "/metadata/00007-1b9e0c2d-3f4a-4b5c-8d6e-7f8091a2b3c4.metadata.json",
		State:            Active, UpdatedAt: time.UnixMilli(1790000000000).UTC(),
	}
	table := seed
	table.Identifier = journal.Identifier{Namespace: journal.Namespace{"sales", "é.north"}, Name: `orders <"x">`}
	table.UpdatedAt = time.UnixMilli(1790000000123).UTC()
	table.Unconfirmed = []Unconfirmed{{
		folder + "/metadata/00008-2c0f1d3e-4a5b-4c6d-9e7f-8091a2b3c4d5.metadata.json", uuid.MustParse("0199a3c2-8000-7a05-8e21-5d9c4b7f1a34"),
	}}
	table.Abandoned = []string{folder + "/metadata/00008-3d102e4f-5b6c-4d7e-af80-91a2b3c4d5e6.metadata.json"}
	table.SHA256, table.Size, table.Extras = digest(tb, "a"), 2345, goldenExtras
	view := Object{
		Kind: journal.View, Warehouse: "analytics", Identifier: journal.Identifier{Namespace: journal.Namespace{"sales"}, Name: "totals"},
		UUID: uuid.MustParse("5a2d4f1b-0e3c-4d66-9b62-1f704c8e0b23"), Location: "s3://my-warehouse/5a2d4f1b-0e3c-4d66-9b62-1f704c8e0b23",
		MetadataLocation: "s3://my-warehouse/5a2d4f1b-0e3c-4d66-9b62-1f704c8e0b23/metadata/00000-4e213f50-6c7d-4e8f-b091-a2b3c4d5e6f7.metadata.json",
		State:            Dropped, UpdatedAt: time.UnixMilli(1790000000456).UTC(), SHA256: digest(tb, "b"), Size: 1234, Extras: goldenExtras,
	}
	view.Seq, view.EventID = 42, uuid.MustParse("0199a3c2-7fff-7a05-8e21-5d9c4b7f1a35")
	return map[string]Object{"sidecar-seed.json": seed, "sidecar-table.json": table, "sidecar-view.json": view}
}

func goldenNamespace() Namespace {
	n := Namespace{
		ID: uuid.MustParse("6b3e502c-1f4d-4e77-8c73-20815d9f1c34"), Warehouse: "analytics", Name: journal.Namespace{"sales", "north"},
		Properties: map[string]string{"owner": "<&> \u2028 é", "location": "s3://my-warehouse/north"},
		State:      Active, UpdatedAt: time.UnixMilli(1790000000789).UTC(), Extras: goldenExtras,
	}
	n.Seq, n.EventID = 2, uuid.MustParse("0199a3c2-7fff-7a05-8e21-5d9c4b7f1a36")
	return n
}

func TestBytes(t *testing.T) {
	for name, o := range goldenObjects(t) {
		data, err := Encode(o)
		must(t, err)
		if diff := cmp.Diff(frozen(t, name), string(data)); diff != "" && name != "sidecar-seed.json" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	data, err := EncodeNamespace(goldenNamespace())
	must(t, err)
	if diff := cmp.Diff(frozen(t, "sidecar-namespace.json"), string(data)); diff != "" {
		t.Errorf("namespace (-want +got):\n%s", diff)
	}
	store := memory.New()
	at := journal.Position{Incarnation: goldenExtras.Incarnation, Seq: goldenExtras.Seq, Hash: digest(t, "a")}
	must(t, writeCursor(ctx, store, at))
	data, err = store.Get(ctx, "_puddle/catalog/cursor.json", 1<<20)
	must(t, err)
	if diff := cmp.Diff(frozen(t, "sidecar-cursor.json"), string(data)); diff != "" {
		t.Errorf("cursor (-want +got):\n%s", diff)
	}
}

func TestLaw9_FrozenBytesDecode(t *testing.T) {
	for name, want := range goldenObjects(t) {
		got, err := Decode(Key(want.UUID), []byte(frozen(t, name)))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	want := goldenNamespace()
	got, err := DecodeNamespace(NamespaceKey(want.ID), []byte(frozen(t, "sidecar-namespace.json")))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("namespace: %v\n%s", err, diff)
	}
	store := memory.New()
	must(t, store.Put(ctx, cursorKey, []byte(frozen(t, "sidecar-cursor.json"))))
	at, found, err := ReadCursor(ctx, store)
	if at != (journal.Position{Incarnation: goldenExtras.Incarnation, Seq: goldenExtras.Seq, Hash: digest(t, "a")}) || !found || err != nil {
		t.Errorf("cursor: %s, %v, %v", at, found, err)
	}
}

// hostile are changes of the frozen table's file, and what is wrong then.
var hostile = []struct {
	name, old, new string
	want           error
	says           string
}{
	{"unknown members", `"state"`, `"later": {"x": [1]}, "state"`, nil, ""},
	{"upper-case uuid", "4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12\",\n  \"location", "4F1C3E0A-9D2B-4C55-8A51-0E6F3B7D9A12\",\n  \"location", nil, ""},
	{"no ids of unconfirmed", `"unconfirmed-event-ids"`, `"x"`, nil, ""},
	{"newer version", "1,\n  \"kind\": \"table\"", "2,\n  \"kind\": 7", ErrNewer, "format-version 2"},
	{"no version", `"format-version": 1,`, ``, ErrDamaged, "format-version is missing"},
	{"version as text", `"format-version": 1`, `"format-version": "1"`, ErrDamaged, "format-version"},
	{"another's uuid", `"4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12",`, `"5f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12",`, ErrMisplaced, "it says the uuid 5f1c3e0a"},
	{"no uuid", `"uuid"`, `"id"`, ErrDamaged, "uuid is missing"},
	{"uuid as number", `"uuid": "4f1c3e0a-9d2b-4c55-8a51-0e6f3b7d9a12"`, `"uuid": 7`, ErrDamaged, "uuid"},
	{"unknown state", `"active"`, `"purged"`, ErrDamaged, `state "purged" is not known`},
	{"unknown kind", `"table"`, `"index"`, ErrDamaged, `kind "index"`},
	{"kind of a namespace", `"table"`, `"namespace"`, ErrDamaged, `kind "namespace"`},
	{"no namespace", "[\n      \"sales\",\n      \"é.north\"\n    ]", `[]`, journal.ErrName, "at least one level"},
	{"empty level", `"é.north"`, `""`, journal.ErrName, "level is empty"},
	{"empty name", `"orders <\"x\">"`, `""`, journal.ErrName, "name is empty"},
	{"dots", `"é.north"`, `".."`, journal.ErrName, `".." is reserved`},
	{"long name", `orders`, strings.Repeat("n", 10<<10), journal.ErrName, "the limit is 1024"},
	{"name as list", `"orders <\"x\">"`, `["orders"]`, ErrDamaged, "name"},
	{"no identifier", `"identifier"`, `"x"`, ErrDamaged, "at least one level"},
	{"no warehouse", `"analytics"`, `""`, ErrDamaged, "warehouse is missing"},
	{"no location", `"location":`, `"x":`, ErrDamaged, "location is missing"},
	{"null location", `"metadata-location": "`, `"metadata-location": null, "x": "`, ErrDamaged, "metadata-location is missing"},
	{"long location", "s3://my-warehouse/", "s3://my-warehouse/" + strings.Repeat("x", 2048), ErrDamaged, "the limit is 2048"},
	{"no time", `"updated-at-ms"`, `"x"`, ErrDamaged, "updated-at-ms is 0"},
	{"time before time", `1790000000123`, `-1`, ErrDamaged, "updated-at-ms is -1"},
	{"time after time", `1790000000123`, `253402300800000`, ErrDamaged, "updated-at-ms is 253402300800000"},
	{"time as float", `1790000000123`, `1.5e12`, ErrDamaged, "updated-at-ms"},
	{"negative size", `2345`, `-1`, ErrDamaged, "size is -1"},
	{"digest", `"a3f1c0`, `"A3f1c0`, ErrDamaged, "sha256"},
	{"ids of others", "\"0199a3c2-8000-7a05-8e21-5d9c4b7f1a34\"\n", "\"0199a3c2-8000-7a05-8e21-5d9c4b7f1a34\", \"0199a3c2-8000-7a05-8e21-5d9c4b7f1a34\"\n", ErrDamaged, "unconfirmed-event-ids are 2, of 1"},
	{"unconfirmed as text", "\"unconfirmed-metadata-locations\": [", "\"unconfirmed-metadata-locations\": \"x\", \"y\": [", ErrDamaged, "unconfirmed"},
	{"empty abandoned", `"abandoned-metadata-locations": [`, `"abandoned-metadata-locations": ["",`, ErrDamaged, "abandoned-metadata-locations is missing"},
	{"member twice", `"state": "active"`, `"state": "active", "state": "active"`, ErrDamaged, "state"},
	{"invalid UTF-8", "é", "\xe9", ErrDamaged, "UTF-8"},
	{"control characters", `"analytics"`, `"` + strings.Repeat("\x1b[2J\n", 200) + `"`, ErrDamaged, ""},
	{"text after it", "}\n", "}\n{}", ErrDamaged, ""},
	{"cut off", "\"0199a3c2-7fff-7a05-8e21-5d9c4b7f1a33\"\n}\n", "", ErrDamaged, ""},
	{"too large", `"state"`, `"x": "` + strings.Repeat("x", 1<<20) + `", "state"`, ErrDamaged, "the limit is 1048576"},
	{"a long unknown state", `"active"`, `"` + strings.Repeat("é", 1000) + `"`, ErrDamaged, "…"},
}

// Case 52: what is unknown is ignored, what is wrong is refused, in one short line.
func TestCase52_HostileSidecars(t *testing.T) {
	golden := frozen(t, "sidecar-table.json")
	want := goldenObjects(t)["sidecar-table.json"]
	for _, test := range hostile {
		o, err := Decode(Key(want.UUID), []byte(strings.ReplaceAll(golden, test.old, test.new)))
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if err == nil {
			o.Unconfirmed = want.Unconfirmed
			if diff := cmp.Diff(want, o); diff != "" {
				t.Errorf("%s: %s", test.name, diff)
			}
			continue
		}
		var unusable *Unusable
		if line := err.Error(); !errors.As(err, &unusable) || unusable.Key != Key(want.UUID) || !strings.Contains(line, test.says) ||
			strings.ContainsAny(line, "\n\x1b") || len(line) > 500 {
			t.Errorf("%s: says %q", test.name, line)
		}
	}
	for _, data := range []string{"", " ", "null", "[]", "1", "{", "{}"} {
		if _, err := Decode(Key(want.UUID), []byte(data)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// Case 32: a file whose name is in upper case is of the same object; other names
// are none.
func TestNamesOfFiles(t *testing.T) {
	id := goldenObjects(t)["sidecar-table.json"].UUID.String()
	for key, want := range map[string]error{
		"_puddle/catalog/" + id + ".json":                              nil,
		"_puddle/catalog/" + strings.ToUpper(id) + ".json":             nil,
		"_puddle/catalog/" + id:                                        ErrMisplaced,
		"_puddle/catalog/" + id + ".JSON":                              ErrMisplaced,
		"_puddle/catalog/namespaces/" + id + ".json":                   ErrMisplaced,
		"_puddle/catalog/{" + id + "}.json":                            ErrMisplaced,
		"_puddle/catalog/urn:uuid:" + id + ".json":                     ErrMisplaced,
		"_puddle/catalog/" + strings.ReplaceAll(id, "-", "") + ".json": ErrMisplaced,
		id + ".json": ErrMisplaced,
		"":           ErrMisplaced,
	} {
		if _, err := Decode(key, []byte(frozen(t, "sidecar-table.json"))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", key, err, want)
		}
	}
	n := goldenNamespace()
	for key, want := range map[string]error{
		NamespaceKey(n.ID): nil, NamespaceKey(uuid.New()): ErrMisplaced, Key(n.ID): ErrMisplaced,
	} {
		if _, err := DecodeNamespace(key, []byte(frozen(t, "sidecar-namespace.json"))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", key, err, want)
		}
	}
	for _, member := range []string{"format-version", "kind", "warehouse", "namespace", "uuid", "properties", "state", "updated-at-ms"} {
		data := strings.Replace(frozen(t, "sidecar-namespace.json"), `"`+member+`":`, `"x":`, 1)
		if _, err := DecodeNamespace(NamespaceKey(n.ID), []byte(data)); !errors.Is(err, ErrDamaged) {
			t.Errorf("without %s: %v", member, err)
		}
	}
}

// What cannot be read back is not written.
func TestIncompleteSidecarsAreNotWritten(t *testing.T) {
	golden := goldenObjects(t)["sidecar-table.json"]
	for name, spoil := range map[string]func(*Object){
		"uuid": func(o *Object) { o.UUID = uuid.Nil }, "kind": func(o *Object) { o.Kind = "" }, "state": func(o *Object) { o.State = "" },
		"location": func(o *Object) { o.Location = "" }, "metadata-location": func(o *Object) { o.MetadataLocation = "" },
		"updated-at-ms": func(o *Object) { o.UpdatedAt = time.Time{} }, "warehouse": func(o *Object) { o.Warehouse = "" },
		"name": func(o *Object) { o.Identifier.Name = "" },
	} {
		o := golden
		spoil(&o)
		if _, err := Encode(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if _, err := EncodeNamespace(Namespace{}); err == nil {
		t.Error("an empty namespace was written")
	}
}

// What is written is read back as it was.
func TestLawRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := goldenObjects(t)["sidecar-table.json"]
		o.Identifier = journal.Identifier{Namespace: rapid.SliceOfN(journaltest.Name(), 1, 4).Draw(t, "namespace"), Name: journaltest.Name().Draw(t, "name")}
		o.State = rapid.SampledFrom([]State{Active, Dropped}).Draw(t, "state")
		o.Abandoned = rapid.SliceOfN(rapid.StringN(1, 20, 100), 0, 3).Draw(t, "abandoned")
		if len(o.Abandoned) == 0 {
			o.Abandoned = nil
		}
		o.Unconfirmed = nil
		for range rapid.IntRange(0, 2).Draw(t, "unconfirmed") {
			o.Unconfirmed = append(o.Unconfirmed, Unconfirmed{"s3://x/y", rapid.SampledFrom([]uuid.UUID{{}, goldenExtras.EventID}).Draw(t, "id")})
		}
		data, err := Encode(o)
		must(t, err)
		back, err := Decode(Key(o.UUID), data)
		if diff := cmp.Diff(o, back); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
		n := goldenNamespace()
		n.Name, n.Properties = o.Identifier.Namespace, rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "properties")
		data, err = EncodeNamespace(n)
		must(t, err)
		again, err := DecodeNamespace(NamespaceKey(n.ID), data)
		if diff := cmp.Diff(n, again); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

func TestCursorIsRead(t *testing.T) {
	store := memory.New()
	if _, found, err := ReadCursor(ctx, store); found || err != nil {
		t.Errorf("none: %v, %v", found, err)
	}
	golden := frozen(t, "sidecar-cursor.json")
	for old, want := range map[string]error{
		`"format-version": 1`: ErrDamaged, `"format-version"`: ErrDamaged, `"seq"`: ErrDamaged, `"hash"`: ErrDamaged, "}": ErrDamaged,
	} {
		must(t, store.Put(ctx, cursorKey, []byte(strings.Replace(golden, old, `"x"`, 1))))
		if _, found, err := ReadCursor(ctx, store); found || !errors.Is(err, want) {
			t.Errorf("without %s: %v, %v", old, found, err)
		}
	}
	must(t, store.Put(ctx, cursorKey, []byte(strings.Replace(golden, ": 1", ": 2", 1))))
	if _, _, err := ReadCursor(ctx, store); !errors.Is(err, ErrNewer) {
		t.Errorf("newer: %v", err)
	}
	must(t, store.Put(ctx, cursorKey, make([]byte, maxCursor+1)))
	if _, _, err := ReadCursor(ctx, store); !errors.Is(err, ErrDamaged) || path.Base(cursorKey) != "cursor.json" {
		t.Errorf("too large: %v", err)
	}
}
