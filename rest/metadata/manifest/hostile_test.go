package manifest_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/twmb/avro/ocf"

	"puddle/internal/fuzztest"
	"puddle/rest/metadata/manifest"
)

// entries reads to the end of a manifest.
func entries(file io.Reader) (good int, last error) {
	for _, err := range manifest.Entries(file) {
		if last = err; err == nil {
			good++
		}
	}
	return good, last
}

// A file that ends too early is an error wherever it is cut but between blocks,
// and never one entry too many.
func TestCutFiles(t *testing.T) {
	for name, codec := range codecs() {
		file := written(t, entrySchema, codec,
			entryOf(1, "a", nil, nil), entryOf(1, "b", nil, nil), entryOf(1, "c", nil, nil))
		whole := 0
		for n := range file {
			good, err := entries(bytes.NewReader(file[:n]))
			if err == nil {
				whole++
			} else if !errors.Is(err, manifest.ErrInvalid) {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
			if good > 3 {
				t.Fatalf("%s cut at %d has %d entries", name, n, good)
			}
		}
		if whole != 2 {
			t.Errorf("%s: %d cuts leave a whole file, want those behind the header and the first block", name, whole)
		}
	}
}

// Every flipped byte is an error or another file, and never a panic.
func TestFlippedBytes(t *testing.T) {
	for _, codec := range codecs() {
		file := written(t, entrySchema, codec, entryOf(1, "a", nil, nil), entryOf(2, "b", 1, "a"))
		for i := range file {
			for _, bit := range []byte{1, 0x80, 0xff} {
				changed := bytes.Clone(file)
				changed[i] ^= bit
				if _, err := entries(bytes.NewReader(changed)); err != nil && !errors.Is(err, manifest.ErrInvalid) {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
	}
}

// header is the part of a written file before its blocks.
func header(t *testing.T, schema string, codec ocf.Codec) []byte {
	return written(t, schema, codec)
}

// block is what follows a header of written: so many records in these bytes.
func block(count, size int64, data []byte) []byte {
	b := binary.AppendVarint(nil, count)
	b = binary.AppendVarint(b, size)
	b = append(b, data...)
	return append(b, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

func TestHugeCounts(t *testing.T) {
	start := header(t, entrySchema, nil)
	empty := header(t, `{"type":"record","name":"e","fields":[{"name":"status","type":"null"},{"name":"data_file","type":{"type":"record","name":"d","fields":[{"name":"file_path","type":"null"}]}}]}`, nil)
	for name, file := range map[string][]byte{
		"a block of 2^62 bytes":   append(bytes.Clone(start), block(1, 1<<62, nil)...),
		"a block below zero":      append(bytes.Clone(start), block(1, -1, nil)...),
		"records below zero":      append(bytes.Clone(start), block(-7, 0, nil)...),
		"2^62 records of nothing": append(bytes.Clone(start), block(1<<62, 0, nil)...),
		"2^62 empty records":      append(bytes.Clone(empty), block(1<<62, 0, nil)...),
		"a string of 2^60 bytes":  append(bytes.Clone(start), block(1, 12, append([]byte{0, 2}, binary.AppendVarint(nil, 1<<60)...))...),
		"a huge header":           append([]byte("Obj\x01"), binary.AppendVarint(nil, 1<<62)...),
		"a huge key":              append([]byte("Obj\x01\x02"), binary.AppendVarint(nil, 1<<40)...),
		"no file":                 nil,
		"another file":            []byte("PAR1PAR1PAR1PAR1"),
	} {
		if _, err := entries(bytes.NewReader(file)); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A small file never becomes a large block in memory.
func TestBombs(t *testing.T) {
	const limit = 4 << 20
	var bomb bytes.Buffer
	w, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range limit/len(zeros) + 1 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	snappy := binary.AppendUvarint(nil, 1<<32-1)
	for name, file := range map[string][]byte{
		"deflate": append(header(t, entrySchema, ocf.DeflateCodec(1)), block(1, int64(bomb.Len()), bomb.Bytes())...),
		"snappy":  append(header(t, entrySchema, ocf.SnappyCodec()), block(1, int64(len(snappy)+4), append(snappy, 0, 0, 0, 0))...),
	} {
		before := allocated()
		var last error
		for _, err := range manifest.EntriesWithin(bytes.NewReader(file), limit) {
			last = err
		}
		if !errors.Is(last, manifest.ErrInvalid) {
			t.Errorf("%s: %v", name, last)
		}
		if took := allocated() - before; took > 8*limit {
			t.Errorf("%s took %d MiB", name, took>>20)
		}
	}
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// Schemas that go deep, or round in a circle.
func TestHostileSchemas(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 100_000) + `"int"` + strings.Repeat(`}`, 100_000)
	circle := `{"type":"record","name":"e","fields":[{"name":"status","type":"int"},{"name":"data_file","type":"e"}]}`
	chain := `{"type":"record","name":"e","fields":[{"name":"next","type":["null","e"]},{"name":"status","type":"int"},
		{"name":"data_file","type":{"type":"record","name":"d","fields":[{"name":"file_path","type":"string"}]}}]}`
	for name, schema := range map[string]string{"deep": deep, "a circle": circle, "no JSON": "{", "a string": `"string"`, "twice": strings.Replace(entrySchema, `"newer"`, `"status"`, 1)} {
		file := []byte("Obj\x01\x02\x16avro.schema")
		file = append(binary.AppendVarint(file, int64(len(schema))), schema...)
		file = append(file, 0)
		file = append(file, make([]byte, 16)...)
		if _, err := entries(bytes.NewReader(file)); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := header(t, chain, nil)
	file = append(file, block(1, 1<<20, bytes.Repeat([]byte{2}, 1<<20))...)
	if _, err := entries(bytes.NewReader(file)); !errors.Is(err, manifest.ErrInvalid) {
		t.Errorf("a chain of a million: %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(warehouses, "*", "warehouse", "*", "*", "metadata", "*.avro"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for i := 0; i < len(paths); i += 1 + len(paths)/16 {
		f.Add(read(f, paths[i]))
	}
	for _, codec := range codecs() {
		f.Add(written(f, entrySchema, codec, entryOf(1, "a", 1, "b")))
		f.Add(written(f, listSchema, codec, object{"manifest_path": "a", "manifest_length": 1, "key_metadata": nil}))
	}
	const inflates = 8 << 10 // to so many times its bytes, with strings made of them
	f.Fuzz(func(t *testing.T, file []byte) {
		fuzztest.Bounded(t, len(file), inflates, manifest.MaxBlockBytes, func() {
			for e, err := range manifest.Entries(bytes.NewReader(file)) {
				checkError(t, err)
				if err == nil && (e.Path == "" || e.Status == "" || e.Content == "") {
					t.Fatalf("entry %+v", e)
				}
			}
		})
		fuzztest.Bounded(t, len(file), inflates, manifest.MaxBlockBytes, func() {
			for m, err := range manifest.List(bytes.NewReader(file)) {
				checkError(t, err)
				if err == nil && (m.Path == "" || m.Content == "") {
					t.Fatalf("manifest %+v", m)
				}
			}
		})
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, manifest.ErrInvalid) && !errors.Is(err, manifest.ErrEncrypted) {
		t.Fatal(err)
	}
}
