package manifest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"puddle/rest/metadata/manifest"
)

// warehouses holds warehouses that real engines wrote, as if each lay at
// corpus/<folder>.
const (
	warehouses = "../../../fixtures/warehouses"
	corpus     = "/tmp/puddle-corpus/"
)

// onDisk is where a file of the corpus is in fixtures.
func onDisk(t *testing.T, location string) string {
	t.Helper()
	_, inside, found := strings.Cut(location, corpus)
	folder, rest, _ := strings.Cut(inside, "/")
	if !found {
		t.Fatalf("%q is not in the corpus", location)
	}
	return filepath.Join(warehouses, folder, "warehouse", rest)
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// all are the values of a sequence that ends without an error.
func all[T any](t testing.TB, values iter.Seq2[T, error]) []T {
	t.Helper()
	var found []T
	for value, err := range values {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, value)
	}
	return found
}

// snapshot is what a metadata file says of one.
type snapshot struct {
	ID           int64             `json:"snapshot-id"`
	ManifestList string            `json:"manifest-list"`
	Summary      map[string]string `json:"summary"`
}

// current are the snapshots of the tables that were there at the end, with their
// format versions.
func current(t *testing.T, visit func(table string, version int, s snapshot)) {
	t.Helper()
	truths, err := filepath.Glob(filepath.Join(warehouses, "*", "truth.json"))
	if err != nil || len(truths) == 0 {
		t.Fatalf("no warehouses: %v", err)
	}
	for _, truth := range truths {
		var told struct {
			Tables map[string]struct {
				At      string `json:"metadata-location"`
				Version int    `json:"format-version"`
			}
		}
		if err := json.Unmarshal(read(t, truth), &told); err != nil {
			t.Fatal(err)
		}
		for table, of := range told.Tables {
			var document struct{ Snapshots []snapshot }
			if err := json.Unmarshal(inflated(t, read(t, onDisk(t, of.At))), &document); err != nil {
				t.Fatal(err)
			}
			for _, s := range document.Snapshots {
				visit(table, of.Version, s)
			}
		}
	}
}

func inflated(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWarehouses reads what PyIceberg, Spark and Trino wrote, in every format
// version: every manifest is as long as its list says, and the live files are
// those that the snapshot's summary counts.
func TestWarehouses(t *testing.T) {
	snapshots, deletes, vectors := map[int]int{}, 0, 0
	current(t, func(table string, version int, s snapshot) {
		live := map[manifest.FileContent]int{}
		for _, m := range all(t, manifest.List(bytes.NewReader(read(t, onDisk(t, s.ManifestList))))) {
			data := read(t, onDisk(t, m.Path))
			if int64(len(data)) != m.Length || m.Encrypted || m.AddedSnapshot == 0 {
				t.Errorf("%s: %+v has %d bytes", table, m, len(data))
			}
			for _, e := range all(t, manifest.Entries(bytes.NewReader(data))) {
				if (e.Content == manifest.Rows) != (m.Content == manifest.Data) {
					t.Errorf("%s: %+v in a manifest of %s", table, e, m.Content)
				}
				if e.Status != manifest.Deleted {
					live[e.Content]++
					checkFile(t, table, e)
				}
				if e.Format == "puffin" || e.Format == "PUFFIN" {
					vectors++
				}
			}
		}
		deleted := live[manifest.PositionDeletes] + live[manifest.EqualityDeletes]
		checkTotal(t, table, s, "total-data-files", live[manifest.Rows])
		checkTotal(t, table, s, "total-delete-files", deleted)
		snapshots[version]++
		deletes += deleted
	})
	if snapshots[1] == 0 || snapshots[2] == 0 || snapshots[3] == 0 || deletes == 0 {
		t.Errorf("snapshots by format version: %v, with %d delete files and %d deletion vectors", snapshots, deletes, vectors)
	}
}

// checkFile: a file that is still there is as large as its entry says.
func checkFile(t *testing.T, table string, e manifest.Entry) {
	t.Helper()
	info, err := os.Stat(onDisk(t, e.Path))
	if err == nil && info.Size() != e.Size {
		t.Errorf("%s: %+v has %d bytes", table, e, info.Size())
	}
}

func checkTotal(t *testing.T, table string, s snapshot, total string, live int) {
	t.Helper()
	want, told := s.Summary[total]
	if told && want != strconv.Itoa(live) {
		t.Errorf("%s, snapshot %d: %d live files, the summary says %s of %s", table, s.ID, live, total, want)
	}
}
