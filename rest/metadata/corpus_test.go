package metadata_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"puddle/rest/metadata"
)

// warehouses holds warehouses that real engines wrote.
const warehouses = "../../fixtures/warehouses"

// eachFile visits every uncompressed table metadata file of the warehouses.
func eachFile(t *testing.T, visit func(path string, file []byte)) {
	t.Helper()
	err := filepath.WalkDir(warehouses, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || !strings.HasSuffix(name, ".metadata.json") || strings.HasSuffix(name, ".gz.metadata.json") {
			return err
		}
		file, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(file), `"view-uuid"`) {
			visit(path, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestParseWarehouses reads what PyIceberg, Spark and Trino wrote: every file of
// format version 2 loads, files of other versions are told apart.
func TestParseWarehouses(t *testing.T) {
	read, others := 0, 0
	eachFile(t, func(path string, file []byte) {
		d, err := metadata.Parse(file, "file://"+path)
		var unsupported *metadata.Unsupported
		switch {
		case errors.As(err, &unsupported):
			others++
		case err != nil:
			t.Errorf("%s: %v", path, err)
		default:
			read++
			if d.FormatVersion() != 2 || d.Location() == "" || len(d.Properties()) == 0 && d.LastUpdated().IsZero() {
				t.Errorf("%s: read as %d %q", path, d.FormatVersion(), d.Location())
			}
		}
	})
	if read < 100 || others == 0 {
		t.Errorf("read %d files of format version 2 and saw %d of others", read, others)
	}
}
