package purge_test

import (
	"bytes"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
	"pgregory.net/rapid"
)

var (
	listSchema = avro.MustParse(`{"type":"record","name":"manifest_file","fields":[
		{"name":"manifest_path","type":"string","field-id":500},
		{"name":"manifest_length","type":"long","field-id":501}]}`)
	entrySchema = avro.MustParse(`{"type":"record","name":"manifest_entry","fields":[
		{"name":"status","type":"int","field-id":0},
		{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
			{"name":"file_path","type":"string","field-id":100},
			{"name":"file_size_in_bytes","type":"long","field-id":104}]}}]}`)
)

type object = map[string]any

// listOf is a manifest list that names these manifests.
func listOf(tb rapid.TB, paths ...string) []byte {
	tb.Helper()
	records := make([]object, len(paths))
	for i, path := range paths {
		records[i] = object{"manifest_path": path, "manifest_length": 1}
	}
	return container(tb, listSchema, records)
}

// manifestOf is a manifest that names these files, in every status.
func manifestOf(tb rapid.TB, paths ...string) []byte {
	tb.Helper()
	records := make([]object, len(paths))
	for i, path := range paths {
		records[i] = object{"status": i % 3, "data_file": object{"file_path": path, "file_size_in_bytes": 1}}
	}
	return container(tb, entrySchema, records)
}

func container(tb rapid.TB, schema *avro.Schema, records []object) []byte {
	tb.Helper()
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, schema, ocf.WithSyncMarker([16]byte{7}))
	must(tb, err)
	for _, r := range records {
		must(tb, w.Encode(r))
	}
	must(tb, w.Close())
	return file.Bytes()
}
