package descent_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/recover/descent"
)

// TestLawChoose: whatever files say of each other, circles among them, a choice is S
// or comes from it, is not what the sidecar warns of, says why where it is none, and
// does not depend on the order of the files.
func TestLawChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, files := drawFiles(t)
		c := descent.Choose(o, files, descent.Proof{})
		if (c.Err == nil) == c.Location.IsZero() {
			t.Fatalf("%+v", c)
		}
		if c.Err == nil && c.Location != o.Current.Location {
			if !leads(files, o.Current.Location, c.Location) {
				t.Errorf("%s does not come from S", c.Spelled)
			}
			if slices.Contains(o.Unconfirmed, c.Location) || slices.Contains(o.Abandoned, c.Location) || c.Behind < 1 {
				t.Errorf("%s is chosen, %d behind", c.Spelled, c.Behind)
			}
		}
		shuffled := rapid.Permutation(files).Draw(t, "order")
		if diff := cmp.Diff(c, descent.Choose(o, shuffled, descent.Proof{}), cmp.Comparer(sameText),
			cmp.Comparer(func(a, b warehouse.Location) bool { return a == b }), cmpopts.SortSlices(func(a, b descent.NotUsed) bool { return a.Location < b.Location })); diff != "" {
			t.Error(diff)
		}
	})
}

func sameText(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func drawFiles(t *rapid.T) (descent.Object, []descent.File) {
	names := []string{"S", "A", "B", "C", "D", "E", "F", "G"}
	some := func(label string) (all []warehouse.Location) {
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, label) {
			all = append(all, at(name))
		}
		return all
	}
	o := sidecar()
	if rapid.Bool().Draw(t, "listed") {
		o.Unconfirmed, o.Abandoned = some("unconfirmed"), some("abandoned")
	}
	o.Exact = rapid.Bool().Draw(t, "exact")
	if rapid.Bool().Draw(t, "written") {
		o.Written = start.Add(time.Hour)
	}
	var files []descent.File
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 8, rapid.ID[string]).Draw(t, "files") {
		files = append(files, descent.File{
			Name: named(name), UUID: rapid.SampledFrom([]uuid.UUID{table, table, table, table, other, uuid.Nil}).Draw(t, "uuid"),
			Log: some("log"), LastUpdated: start.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "hour")) * time.Hour),
		})
	}
	return o, files
}

// leads tells whether a file comes from another by the logs.
func leads(files []descent.File, from, to warehouse.Location) bool {
	reached := map[warehouse.Location]bool{from: true}
	for range files {
		for _, f := range files {
			if slices.ContainsFunc(f.Log, func(l warehouse.Location) bool { return reached[l] }) {
				reached[f.Location] = true
			}
		}
	}
	return reached[to]
}

// BenchmarkChoose finds the end of 5,000 versions with logs of 100.
func BenchmarkChoose(b *testing.B) {
	var files []descent.File
	for i := range 5_000 {
		f := descent.File{Name: named(fmt.Sprint("v", i)), UUID: table, LastUpdated: start.Add(time.Duration(i) * time.Minute)}
		for before := max(0, i-100); before < i; before++ {
			f.Log = append(f.Log, files[before].Location)
		}
		files = append(files, f)
	}
	o := descent.Object{UUID: table, Current: named("v10")}
	for b.Loop() {
		if c := descent.Choose(o, files, descent.Proof{}); c.Behind != 4989 {
			b.Fatal(c.Behind, c.Warnings)
		}
	}
}
