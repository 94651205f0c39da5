package manifest_test

import (
	"bytes"
	"compress/flate"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// A schema of a manifest with names and fields of no spec, and a list of format 1.
const (
	entrySchema = `{"type":"record","name":"manifest_entry","fields":[
		{"name":"newer","type":["null",{"type":"map","values":"bytes"}],"field-id":9999},
		{"name":"status","type":"int","field-id":0},
		{"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[
			{"name":"file_path","type":"string","field-id":100},
			{"name":"partition","type":{"type":"record","name":"r102","fields":[{"name":"a b-c","type":["null","int"],"field-id":1000}]},"field-id":102},
			{"name":"file_size_in_bytes","type":"long","field-id":104},
			{"name":"content","type":["null","int"],"field-id":134},
			{"name":"referenced_data_file","type":["null","string"],"field-id":143},
			{"name":"tags","type":{"type":"array","items":"string"}}]}}]}`
	listSchema = `{"type":"record","name":"manifest_file","fields":[
		{"name":"manifest_path","type":"string"},
		{"name":"manifest_length","type":"long"},
		{"name":"key_metadata","type":["null","bytes"]}]}`
)

type object = map[string]any

// entryOf is a record of entrySchema.
func entryOf(status int, path string, content any, referenced any) object {
	return object{
		"newer": object{"k": []byte("v")}, "status": status,
		"data_file": object{
			"file_path": path, "partition": object{"a b-c": 7}, "file_size_in_bytes": int64(len(path)),
			"content": content, "referenced_data_file": referenced, "tags": []string{"x", "y"},
		},
	}
}

// written is an Avro file.
func written(t testing.TB, schema string, codec ocf.Codec, records ...object) []byte {
	t.Helper()
	parsed, err := avro.Parse(schema, avro.WithLaxNames(nil))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	options := []ocf.WriterOpt{ocf.WithBlockCount(2), ocf.WithSyncMarker([16]byte{1})}
	if codec != nil {
		options = append(options, ocf.WithCodec(codec))
	}
	w, err := ocf.NewWriter(&file, parsed, options...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// codecs are those that writers of manifests use.
func codecs() map[string]ocf.Codec {
	return map[string]ocf.Codec{
		"null": nil, "deflate": ocf.DeflateCodec(flate.DefaultCompression), "snappy": ocf.SnappyCodec(),
		"zstandard": ocf.MustZstdCodec(nil, nil),
	}
}
