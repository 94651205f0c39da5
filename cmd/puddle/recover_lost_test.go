package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"puddle/journal"
	"puddle/projections"
)

// loss is what is lost of a catalog, and what recovers it then.
type loss struct {
	what    string
	archive string // the mode
	happens func(kept)
	recover []string // what stands after the command
}

// before is what was kept at seq 7.
const before = "before"

// losses are those that each source of a recovery is for.
func losses() []loss {
	nothing, older := func(kept) {}, func(k kept) { k.put(before) }
	return []loss{
		{"archive", "async", kept.loseAll, nil},
		{"sidecars", "off", kept.loseAll, nil},
		{"metastore", "off", kept.loseJournal, []string{"--from", "metastore"}},
		{"torn journal and archive", "async", kept.tear, nil},
		{"torn journal and sidecars", "off", kept.tear, nil},
		{"older journal and archive", "async", older, nil},
		{"older journal and sidecars", "off", older, nil},
		{"older journal alone", "async", older, []string{"--from", "journal"}},
		{"moment of the journal", "async", nothing, []string{"--at", "seq:7"}},
		{"moment of the archive", "async", kept.loseAll, []string{"--at", "seq:7"}},
		{"sidecars beside a catalog", "off", func(k kept) {
			k.put(before)
			k.recovered("--from", "journal")
		}, []string{"--allow-nonempty"}},
		{"pointer tables", "async", kept.loseTables, nil},
	}
}

// lived makes a catalog, a data folder d and a warehouse w; at seq 7 it is stopped for a
// while.
func lived(t *testing.T, dir, more string, stopped func()) {
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
	stopped()
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
func heldIn(t *testing.T, j journal.Journal) (catalog, recorded []string) {
	t.Helper()
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
