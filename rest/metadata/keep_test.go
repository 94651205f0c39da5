package metadata_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"puddle/rest/metadata"
)

// keepFolder gets every document that the tests make, under its digest: what
// fixtures/javacheck has the Java library load. None is kept by default.
var keepFolder = os.Getenv("PUDDLE_TEST_KEEP_METADATA")

func keep(document []byte) {
	if keepFolder == "" {
		return
	}
	name := fmt.Sprintf("%x.metadata.json", sha256.Sum256(document))
	if err := os.WriteFile(filepath.Join(keepFolder, name), document, 0o600); err != nil {
		panic(err)
	}
}

// The tests make documents through these four, so that all are kept.

func create(table metadata.NewTable, at time.Time, fresh uuid.UUID) (*metadata.Document, error) {
	d, err := metadata.Create(table, at, fresh)
	if err == nil {
		keep(d.Bytes())
	}
	return d, err
}

func commit(base *metadata.Document, reqs []metadata.Requirement, updates []metadata.Update, at time.Time, fresh uuid.UUID) (*metadata.Document, error) {
	d, err := metadata.Commit(base, reqs, updates, at, fresh)
	if err == nil && d != base {
		keep(d.Bytes())
	}
	return d, err
}

func makeView(view metadata.NewView, at time.Time, fresh uuid.UUID) (*metadata.View, error) {
	v, err := metadata.CreateView(view, at, fresh)
	if err == nil {
		keep(v.Bytes())
	}
	return v, err
}

func commitView(base *metadata.View, reqs []metadata.ViewRequirement, updates []metadata.ViewUpdate, at time.Time, fresh uuid.UUID) (*metadata.View, error) {
	v, err := metadata.CommitView(base, reqs, updates, at, fresh)
	if err == nil && v != base {
		keep(v.Bytes())
	}
	return v, err
}
