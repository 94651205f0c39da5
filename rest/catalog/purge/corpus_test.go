package purge_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
)

// warehouses holds warehouses that real engines wrote, as if each lay at
// corpus/<folder>.
const (
	warehouses = "../../../fixtures/warehouses"
	corpus     = "file:///tmp/puddle-corpus/"
)

// real is a table of the corpus.
type real struct {
	At   string    `json:"metadata-location"`
	UUID uuid.UUID `json:"table-uuid"`
	text []byte    // of the metadata file
	file []byte
}

// corpusWorld is a warehouse of the corpus in memory, with those of its tables that
// can live side by side.
func corpusWorld(t *testing.T, folder string) (w *world, tables map[string]*table, reals map[string]*real) {
	t.Helper()
	w = newWorld(t)
	w.url = corpus + folder
	top := filepath.Join(warehouses, folder, "warehouse")
	must(t, filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		key, err := filepath.Rel(top, path)
		must(t, err)
		data, err := os.ReadFile(path)
		must(t, err)
		return w.files.Put(ctx, filepath.ToSlash(key), data)
	}))
	var truth struct{ Tables map[string]*real }
	data, err := os.ReadFile(filepath.Join(warehouses, folder, "truth.json"))
	must(t, err)
	must(t, json.Unmarshal(data, &truth))
	tables, reals = map[string]*table{}, truth.Tables
	for _, name := range slices.Sorted(maps.Keys(reals)) {
		if of := w.adopt(t, name, reals[name]); of != nil {
			tables[name] = of
		}
	}
	return w, tables, reals
}

// adopt registers a table of the corpus; nil when another has its place or uuid.
func (w *world) adopt(t *testing.T, name string, r *real) *table {
	t.Helper()
	r.file = w.get(t, r.At)
	r.text = inflated(t, r.file)
	var said struct {
		Location   string
		Properties map[string]string
	}
	must(t, json.Unmarshal(r.text, &said))
	of := &table{id: r.UUID, name: name, location: said.Location}
	if of.id == uuid.Nil {
		of.id = uuid.New()
	}
	for _, property := range []string{"write.data.path", "write.metadata.path"} {
		if place, ok := said.Properties[property]; ok && !strings.HasPrefix(place, said.Location) {
			of.places = append(of.places, place)
		}
	}
	of.pointer = journal.Pointer{
		MetadataLocation: r.At, Size: int64(len(r.file)), SHA256: journal.Sum(r.file), DocumentSHA256: journal.Sum(r.text), Encoding: journal.EncodingNone,
	}
	if len(r.file) != len(r.text) {
		of.pointer.Encoding = journal.EncodingGzip
	}
	_, err := w.recorder.Record(ctx, journal.Draft{Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: journal.TableRegistered{
		Moves: [1]journal.Move{{Kind: journal.Table, UUID: of.id, To: of.to(t)}},
	}})
	var conflict *projections.Conflict
	if errors.As(err, &conflict) {
		return nil
	}
	must(t, err)
	return of
}

// get reads a file of the corpus by its location, in any spelling.
func (w *world) get(t *testing.T, location string) []byte {
	t.Helper()
	data, err := w.files.Get(ctx, w.inside(t, location), 1<<30)
	if errors.Is(err, warehouse.ErrNotFound) {
		return nil
	}
	must(t, err)
	return data
}

// inside is a location's key.
func (w *world) inside(t *testing.T, location string) string {
	t.Helper()
	_, path, _ := strings.Cut(location, ":")
	key, ok := strings.CutPrefix("/"+strings.TrimLeft(path, "/"), strings.TrimPrefix(w.url, "file://")+"/")
	if !ok {
		t.Fatalf("%s is not in %s", location, w.url)
	}
	return key
}

func inflated(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return data
	}
	text, err := io.ReadAll(z)
	must(t, err)
	return text
}

// leadsTo are the keys of all files that a metadata file leads to, found with
// nothing of puddle's.
func (w *world) leadsTo(t *testing.T, r *real) map[string]bool {
	t.Helper()
	var said struct {
		Snapshots []struct {
			List      string `json:"manifest-list"`
			Manifests []string
		}
		Log []struct {
			File string `json:"metadata-file"`
		} `json:"metadata-log"`
		Statistics []struct {
			Path string `json:"statistics-path"`
		}
		Partitions []struct {
			Path string `json:"statistics-path"`
		} `json:"partition-statistics"`
	}
	must(t, json.Unmarshal(r.text, &said))
	keys := map[string]bool{w.inside(t, r.At): true}
	for _, e := range said.Log {
		keys[w.inside(t, e.File)] = true
	}
	for _, e := range append(said.Statistics, said.Partitions...) {
		keys[w.inside(t, e.Path)] = true
	}
	for _, s := range said.Snapshots {
		manifests := s.Manifests
		if s.List != "" {
			keys[w.inside(t, s.List)] = true
			for _, m := range generic(t, w.get(t, s.List)) {
				manifests = append(manifests, m["manifest_path"].(string))
			}
		}
		for _, m := range manifests {
			keys[w.inside(t, m)] = true
			for _, e := range generic(t, w.get(t, m)) {
				keys[w.inside(t, e["data_file"].(map[string]any)["file_path"].(string))] = true
			}
		}
	}
	return keys
}

// generic are the records of an Avro file, whatever they are.
func generic(t *testing.T, file []byte) (records []map[string]any) {
	t.Helper()
	if file == nil {
		return nil
	}
	r, err := ocf.NewReader(bytes.NewReader(file), ocf.WithSchemaOpts(avro.WithLaxNames(nil)))
	must(t, err)
	defer r.Close()
	for {
		var record map[string]any
		if err := r.Decode(&record); errors.Is(err, io.EOF) {
			return records
		} else if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
}

// Of what real engines wrote, a purge of one table removes exactly the files that
// its metadata leads to, and all others' stay.
func TestPurgeOfRealTables(t *testing.T) {
	emptied, purged := 0, 0
	folders, err := filepath.Glob(filepath.Join(warehouses, "*", "truth.json"))
	must(t, err)
	for _, folder := range folders {
		folder = filepath.Base(filepath.Dir(folder))
		some, names, _ := corpusWorld(t, folder)
		some.stop(t)
		for name := range names {
			t.Run(folder+"/"+name, func(t *testing.T) {
				w, tables, reals := corpusWorld(t, folder)
				defer w.stop(t)
				dead := tables[name]
				var want []string
				reached := w.leadsTo(t, reals[name])
				for _, location := range w.left(t) {
					if key := w.inside(t, location); !reached[key] {
						want = append(want, location)
					}
				}
				before := len(w.left(t))
				w.drop(t, dead, true)
				report := w.purged(t)
				w.wantLeft(t, want...)
				if report.Kept != 0 || report.Failed != 0 || report.Removed != int64(before-len(want)) || report.Removed == 0 {
					t.Errorf("report %+v of %d files", report, len(reached))
				}
				purged++
				if !slices.ContainsFunc(want, func(f string) bool { return strings.HasPrefix(w.inside(t, f), w.inside(t, dead.location)+"/") }) {
					emptied++
				}
			})
		}
	}
	if purged < 40 || emptied < purged/2 {
		t.Errorf("%d tables were purged, and %d folders are empty", purged, emptied)
	}
}
