package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
)

// loss is what is lost of a catalog, and what recovers it then.
type loss struct {
	what    string
	archive string // the mode
	happens func(t *testing.T, dir string)
	recover []string // what stands after the command
}

// losses are those that each source of a recovery is for.
func losses() []loss {
	nothing := func(*testing.T, string) {}
	folder := func(t *testing.T, dir string) { remove(t, dir, "d") }
	return []loss{
		{"archive", "async", folder, nil},
		{"sidecars", "off", folder, nil},
		{"metastore", "off", func(t *testing.T, dir string) { remove(t, dir, "d/journal.db") }, []string{"--from", "metastore"}},
		{"torn journal and archive", "async", tear, nil},
		{"torn journal and sidecars", "off", tear, nil},
		{"older journal and archive", "async", putBack, nil},
		{"older journal and sidecars", "off", putBack, nil},
		{"older journal alone", "async", putBack, []string{"--from", "journal"}},
		{"moment of the journal", "async", nothing, []string{"--at", "seq:7"}},
		{"moment of the archive", "async", folder, []string{"--at", "seq:7"}},
		{"sidecars beside a catalog", "off", func(t *testing.T, dir string) {
			putBack(t, dir)
			report(t, filepath.Join(dir, "puddle.yaml"), codeDone, "recover", "--from", "journal")
		}, []string{"--allow-nonempty"}},
		{"pointer tables", "async", func(t *testing.T, dir string) { remove(t, dir, "d/puddle.db") }, nil},
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// putBack is the data folder as it was at seq 7.
func putBack(t *testing.T, dir string) {
	t.Helper()
	remove(t, dir, "d")
	if err := os.Rename(filepath.Join(dir, "before"), filepath.Join(dir, "d")); err != nil {
		t.Fatal(err)
	}
}

// tear damages the event at seq 8.
func tear(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "d/journal.db")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(`"seq":8,`)) {
		t.Fatalf("it is not to be found: %v", err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"seq":8,`), []byte(`"seq":9,`)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lived makes a catalog, a data folder d and a warehouse w, and beside them before, which
// is d at seq 7.
func lived(t *testing.T, dir, more string) {
	t.Helper()
	c := configured(t, dir, more)
	r := started(t, c)
	r.make("", `{"namespace":["n"],"properties":{"owner":"ana"}}`)
	r.make("", `{"namespace":["n","deep"]}`)
	r.make("/n/tables", `{"name":"a","schema":{"type":"struct","fields":[]}}`)
	r.make("/n/tables", `{"name":"b","schema":{"type":"struct","fields":[]}}`)
	const change = `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"%d"}}]}`
	for i := range 2 {
		r.make("/n/tables/a", fmt.Sprintf(change, i))
	}
	r.stopped()
	if err := os.CopyFS(filepath.Join(dir, "before"), os.DirFS(c.DataDir)); err != nil {
		t.Fatal(err)
	}
	r = started(t, c)
	r.make("/n/tables/b", fmt.Sprintf(change, 3))
	r.make("/n/tables", `{"name":"c","schema":{"type":"struct","fields":[]}}`)
	r.make("/n/views", `{"name":"v","schema":{"type":"struct","schema-id":0,"fields":[]},"properties":{},"view-version":{"version-id":1,"schema-id":0,`+
		`"timestamp-ms":1,"summary":{},"default-namespace":["n"],"representations":[{"type":"sql","sql":"SELECT 1","dialect":"spark"}]}}`)
	r.ask(http.MethodDelete, "/api/catalog/v1/namespaces/n/tables/a", http.StatusNoContent)
	r.stopped()
}

// make posts a document below the namespaces.
func (r *running) make(path, body string) {
	r.t.Helper()
	if status := r.post("/api/catalog/v1/namespaces"+path, body); status != http.StatusOK {
		r.t.Fatalf("%s is answered with %d", path, status)
	}
}

// ask sends a request without a body.
func (r *running) ask(method, path string, want int) {
	r.t.Helper()
	request, err := http.NewRequest(method, r.url(path), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want {
		r.t.Fatalf("%s %s is answered with %s", method, path, answer.Status)
	}
}

// heldIn is what a journal says: the catalog, and what was recorded in the current
// incarnation. No event is there twice.
func heldIn(t *testing.T, dir string) (catalog, recorded []string) {
	t.Helper()
	j, err := bolt.Open(filepath.Join(dir, "d/journal.db"), bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ids, err := j.Warehouses(t.Context())
	if err != nil || len(ids) != 1 {
		t.Fatalf("warehouses %v, %v", ids, err)
	}
	state := projections.NewState(ids[0])
	if err := projections.CatchUp(t.Context(), journal.Lineage(j, ids[0]), 0, state); err != nil {
		t.Fatal(err)
	}
	dump, err := state.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range dump.Namespaces {
		catalog = append(catalog, fmt.Sprint(n.Name, " ", n.Properties))
	}
	for _, o := range dump.Objects {
		if !o.Dropped {
			catalog = append(catalog, fmt.Sprint(o.Kind, " ", o.UUID, " ", o.Identifier, " ", o.Pointer, o.Places))
		}
	}
	seen := map[string]bool{}
	for e, err := range journal.Lineage(j, ids[0]).Scan(t.Context(), 0) {
		if err != nil || seen[e.ID.String()] {
			t.Fatalf("%s is there again: %v", e.ID, err)
		}
		seen[e.ID.String()] = true
		if e.Incarnation == dump.Cursor.Incarnation {
			recorded = append(recorded, fmt.Sprint(e.Kind(), " ", nameOf(e)))
		}
	}
	slices.Sort(recorded)
	return catalog, recorded
}

// nameOf is what an event is about.
func nameOf(e journal.Event) string {
	if n, ok := e.Body.(journal.NamespaceCreated); ok {
		return n.Namespace.String()
	}
	for _, m := range e.Moves() {
		return m.UUID.String()
	}
	return ""
}
