package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
)

// rootsAt are roots without stores.
func rootsAt(t testing.TB, urls ...string) (roots warehouse.Roots) {
	t.Helper()
	for _, url := range urls {
		l, err := warehouse.ParseLocation(url)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, warehouse.Root{URL: url, Location: l})
	}
	return roots
}

// draftAt is a new table at a location, with its data elsewhere.
func draftAt(location, data string) (*metadata.Document, error) {
	return metadata.Create(metadata.NewTable{
		UUID: uuid.New(), Location: location, Properties: map[string]string{"write.data.path": data},
		Schema: []byte(`{"type":"struct","fields":[]}`),
	}, time.Unix(0, 0), uuid.New())
}

// Cases 141 and 142: wherever a table may be, none of the folders that credentials reach
// holds a root, a reserved folder or a part of one, in any case of letters, also to who
// decodes percent signs.
func TestLawReachIsNeverReserved(t *testing.T) {
	c := New(Options{Roots: rootsAt(t, "s3://lake/wh", "s3://lake/wh/more", "s3://other")})
	segment := rapid.OneOf(rapid.SampledFrom([]string{"wh", "more", "t", "_puddle", "_PUDDLE", "%5Fpuddle", "%2F_puddle", "..", ".", "", "_puddle2", "a#b", "a?b", "*"}), rapid.StringMatching(`[a-c]{1,2}`))
	path := rapid.OneOf(rapid.SliceOfN(segment, 0, 4), rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,2}`), 0, 4)) // half of them without a trap
	tables := rapid.Custom(func(t *rapid.T) (folders [2]string) {                                                // location and data
		for i := range folders {
			base := rapid.SampledFrom([]string{"s3://lake/wh/t", "s3a://lake/wh/t", "s3://other/t", "s3n://other/u", "s3://lake", "s3://foreign/t"}).Draw(t, "base")
			folders[i] = base + "/" + strings.Join(path.Draw(t, "path"), "/")
		}
		return folders
	})
	reached := func(folders [2]string) []Ground {
		doc, err := draftAt(folders[0], folders[1])
		if err != nil {
			return nil
		}
		reach, err := c.reach(doc)
		if err != nil {
			return nil
		}
		return reach.Grounds
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, g := range reached(tables.Draw(t, "table")) {
			if g.Prefix == "" || !strings.HasSuffix(g.Prefix, "/") || !strings.HasSuffix(g.URL, "/") {
				t.Fatalf("%+v is no folder", g)
			}
			ground, plain := g.Bucket+"/"+g.Prefix, strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(g.Bucket+"/"+g.Prefix), "%5f", "_"), "%2f", "/")
			for _, root := range []string{"lake/wh/", "lake/wh/more/", "other/"} {
				reserved := root + "_puddle/"
				if strings.HasPrefix(root, ground) || strings.HasPrefix(reserved, ground) || strings.HasPrefix(strings.ReplaceAll(plain, "//", "/"), reserved) {
					t.Fatalf("%+v reaches %s", g, reserved)
				}
			}
			if !strings.HasPrefix(ground, "lake/wh/") && !strings.HasPrefix(ground, "other/") {
				t.Fatalf("%+v is outside", g)
			}
		}
	})
	some := 0
	for seed := range 100 { // the same in every run
		some += len(reached(tables.Example(seed)))
	}
	if some == 0 {
		t.Error("nothing is reached")
	}
}

// What lies within another of the table's folders needs no words of its own; folders need
// no credentials.
func TestReach(t *testing.T) {
	c := New(Options{Roots: rootsAt(t, "s3://lake/wh", "file:///wh")})
	for _, test := range []struct {
		location, data string
		want           []Ground
	}{
		{"s3://lake/wh/t", "s3://lake/wh/t/data", []Ground{{"s3://lake/wh/t/", "lake", "wh/t/"}}},
		{"s3a://lake/wh/t/x/", "s3://lake/wh/t", []Ground{{"s3://lake/wh/t/", "lake", "wh/t/"}}},
		{"s3://lake/wh/t", "s3n://lake/wh/t2", []Ground{{"s3://lake/wh/t/", "lake", "wh/t/"}, {"s3n://lake/wh/t2/", "lake", "wh/t2/"}}},
		{"s3://lake/wh/t#x", "s3://lake/wh/t#x", []Ground{{"s3://lake/wh/t#x/", "lake", "wh/t#x/"}}},
		{"file:///wh/t", "s3://lake/wh/t", []Ground{{"s3://lake/wh/t/", "lake", "wh/t/"}}},
		{"/wh/t", "/wh/d", nil},
	} {
		doc, err := draftAt(test.location, test.data)
		if err != nil {
			t.Fatal(err)
		}
		reach, err := c.reach(doc)
		if err != nil || reach.UUID != doc.UUID() || reach.ReadOnly || len(reach.Grounds) != len(test.want) {
			t.Errorf("%s: %+v, %v", test.location, reach, err)
			continue
		}
		for i, want := range test.want {
			if reach.Grounds[i] != want {
				t.Errorf("%s: %+v, want %+v", test.location, reach.Grounds[i], want)
			}
		}
	}
}
