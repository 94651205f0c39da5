package metadata_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/rest/metadata"
)

// warehouses holds warehouses that real engines wrote.
const warehouses = "../../fixtures/warehouses"

// eachFile visits every table metadata file of the warehouses, inflated.
func eachFile(t *testing.T, visit func(path string, file []byte)) {
	t.Helper()
	eachOf(t, false, visit)
}

// eachViewFile visits every view metadata file of the warehouses, inflated.
func eachViewFile(t *testing.T, visit func(path string, file []byte)) {
	t.Helper()
	eachOf(t, true, visit)
}

func eachOf(t *testing.T, views bool, visit func(path string, file []byte)) {
	t.Helper()
	err := filepath.WalkDir(warehouses, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(entry.Name(), ".metadata.json") {
			return err
		}
		file, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, ".gz.metadata.json") {
			file, err = inflated(file)
		}
		if err == nil && bytes.Contains(file, []byte(`"view-uuid"`)) == views {
			visit(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func inflated(file []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// TestParseWarehouses reads what PyIceberg, Spark and Trino wrote, in every
// format version.
func TestParseWarehouses(t *testing.T) {
	read, compressed := map[int]int{}, 0
	eachFile(t, func(path string, file []byte) {
		d, err := metadata.Parse(file, "file://"+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		read[d.FormatVersion()]++
		if metadata.IsCompressedName(d.MetadataLocation()) {
			compressed++
		}
		if !d.HasUUID() || d.Location() == "" || d.LastUpdated().IsZero() || at(t, file, "format-version") != itoa(d.FormatVersion()) {
			t.Errorf("%s: read as %d %s %q", path, d.FormatVersion(), d.UUID(), d.Location())
		}
	})
	if diff := cmp.Diff(map[int]int{1: 19, 2: 252, 3: 5}, read); diff != "" || compressed != 17 {
		t.Errorf("files by format version: %s, %d compressed", diff, compressed)
	}
}
