package purge_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// table is a table as its metadata is to be.
type table struct {
	id         uuid.UUID
	name       string
	location   string
	version    int                 // format version; 0 is 2
	properties map[string]string   //
	snapshots  [][]string          // the manifest lists of each, or none and then manifests
	inline     []string            // manifests of a snapshot without a list
	lists      map[string][]string // of manifests, by list
	manifests  map[string][]string // of files, by manifest
	statistics []string
	partitions []string // partition statistics
	log        []string // of metadata files
	places     []string // beside the location
	current    string   // the metadata file
	own        []string // the files that it writes
	list       string   // one of its lists
	manifest   string   // one of its manifests
	pointer    journal.Pointer
}

// plain is a table of two snapshots that share a manifest, with everything that a
// table may have.
func plain(name, location string) *table { return marked(name, location, "") }

// marked is a plain table whose files have a mark in their names.
func marked(name, location, mark string) *table {
	meta := func(file string) string { return location + "/metadata/" + mark + file }
	data := func(file string) string { return location + "/data/" + mark + file }
	t := &table{
		id: uuid.New(), name: name, location: location,
		snapshots: [][]string{{meta("snap-1.avro")}, {meta("snap-2.avro")}},
		lists: map[string][]string{
			meta("snap-1.avro"): {meta("m1.avro")},
			meta("snap-2.avro"): {meta("m1.avro"), meta("m2.avro"), meta("m3.avro")},
		},
		manifests:  map[string][]string{meta("m3.avro"): {data("d9-deletes.parquet"), data("d1.parquet")}},
		statistics: []string{meta("s.stats")}, partitions: []string{meta("p.parquet")},
		log: []string{meta("00000-a.metadata.json"), meta("00001-b.metadata.json")}, current: meta("00002-c.metadata.json"),
		list: meta("snap-2.avro"), manifest: meta("m1.avro"),
	}
	for i := range 5 {
		m := meta(fmt.Sprintf("m%d.avro", 1+i%2))
		t.manifests[m] = append(t.manifests[m], data(fmt.Sprintf("d%d.parquet", i)))
	}
	t.own = t.names()
	return t
}

// names are all files that the metadata of the table leads to.
func (t *table) names() []string {
	all := map[string]bool{t.current: true}
	for _, list := range slices.Concat(t.snapshots...) {
		all[list] = true
		for _, m := range t.lists[list] {
			all[m] = true
		}
	}
	for _, location := range slices.Concat(t.inline, t.statistics, t.partitions, t.log) {
		all[location] = true
	}
	for m, files := range t.manifests {
		if all[m] {
			for _, f := range files {
				all[f] = true
			}
		}
	}
	return slices.Collect(maps.Keys(all))
}

// document is the text of the current metadata file.
func (t *table) document(tb rapid.TB) []byte {
	tb.Helper()
	var snapshots, statistics, partitions, log []object
	for i, lists := range t.snapshots {
		for _, list := range lists {
			snapshots = append(snapshots, object{
				"snapshot-id": i + 1, "timestamp-ms": 1767225600000, "manifest-list": list, "summary": object{"operation": "append"},
			})
		}
	}
	if t.inline != nil {
		snapshots = append(snapshots, object{"snapshot-id": 99, "timestamp-ms": 1767225600000, "manifests": t.inline})
	}
	for i, path := range t.statistics {
		statistics = append(statistics, object{
			"snapshot-id": i, "statistics-path": path, "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1, "blob-metadata": []object{},
		})
	}
	for i, path := range t.partitions {
		partitions = append(partitions, object{"snapshot-id": i, "statistics-path": path, "file-size-in-bytes": 1})
	}
	for _, path := range t.log {
		log = append(log, object{"timestamp-ms": 1767225600000, "metadata-file": path})
	}
	schema := object{"type": "struct", "schema-id": 0, "fields": []object{}}
	text, err := json.Marshal(object{
		"format-version": cmp.Or(t.version, 2), "table-uuid": t.id, "location": t.location,
		"last-sequence-number": 9, "last-updated-ms": 1767225600000, "last-column-id": 0,
		"schema": schema, "schemas": []object{schema}, "current-schema-id": 0,
		"partition-spec": []object{}, "partition-specs": []object{{"spec-id": 0, "fields": []object{}}}, "default-spec-id": 0, "last-partition-id": 999,
		"sort-orders": []object{{"order-id": 0, "fields": []object{}}}, "default-sort-order-id": 0,
		"properties": t.properties, "current-snapshot-id": -1, "next-row-id": 0,
		"snapshots": orEmpty(snapshots), "statistics": orEmpty(statistics), "partition-statistics": orEmpty(partitions), "metadata-log": orEmpty(log),
	}, json.Deterministic(true))
	must(tb, err)
	return text
}

func orEmpty(list []object) []object {
	if list == nil {
		return []object{}
	}
	return list
}

// store writes the files of the table.
func (w *world) store(tb rapid.TB, t *table) {
	tb.Helper()
	for _, location := range t.own {
		data := []byte(location)
		switch {
		case location == t.current:
			data = t.document(tb)
		case t.lists[location] != nil:
			data = listOf(tb, t.lists[location]...)
		case t.manifests[location] != nil:
			data = manifestOf(tb, t.manifests[location]...)
		}
		w.put(tb, location, data)
	}
}

// create makes a table true, with all its files.
func (w *world) create(tb rapid.TB, t *table) {
	tb.Helper()
	w.store(tb, t)
	w.born(tb, t)
}

// born records the birth of a table whose files are there.
func (w *world) born(tb rapid.TB, t *table) {
	tb.Helper()
	text := t.document(tb)
	t.pointer = journal.Pointer{
		MetadataLocation: t.current, Size: int64(len(text)), SHA256: journal.Sum(text), DocumentSHA256: journal.Sum(text), Encoding: journal.EncodingNone,
	}
	kept, ok := journal.KeepDocument(0, text, journal.MaxDocumentBytes)
	if !ok {
		tb.Fatal("the document is too large")
	}
	w.record(tb, journal.TableCreated{Moves: [1]journal.Move{{Kind: journal.Table, UUID: t.id, To: t.to(tb)}}}, kept)
}

func (t *table) identifier() journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{"n"}, Name: t.name}
}

func (t *table) to(tb rapid.TB) *journal.To {
	tb.Helper()
	to := &journal.To{Identifier: t.identifier(), Pointer: t.pointer, Location: t.location}
	for _, location := range append([]string{t.location}, t.places...) {
		parsed, err := warehouse.ParseLocation(location)
		must(tb, err)
		to.Places = append(to.Places, journal.Place{Path: parsed.Path(), Role: "location"})
	}
	return to
}

// drop ends a table.
func (w *world) drop(tb rapid.TB, t *table, purge bool) journal.Event {
	tb.Helper()
	return w.record(tb, journal.TableDropped{Purge: purge, Moves: [1]journal.Move{{
		Kind: journal.Table, UUID: t.id, From: &journal.From{Identifier: t.identifier(), Pointer: t.pointer},
	}}})
}

// dropped makes a table and drops it with a purge.
func (w *world) dropped(tb rapid.TB, t *table) {
	tb.Helper()
	w.create(tb, t)
	w.drop(tb, t, true)
}

// purgeStored is dropped of a table whose files are there.
func (w *world) purgeStored(tb rapid.TB, t *table) {
	tb.Helper()
	w.born(tb, t)
	w.drop(tb, t, true)
}

// register brings a dropped table back.
func (w *world) register(tb rapid.TB, t *table) {
	tb.Helper()
	w.record(tb, journal.TableRegistered{Moves: [1]journal.Move{{Kind: journal.Table, UUID: t.id, To: t.to(tb)}}})
}
