package purge

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
	"puddle/rest/metadata/manifest"
)

// MaxManifestBytes bounds a manifest and a manifest list as they lie in storage.
// Larger ones are not read.
const MaxManifestBytes = 128 << 20

// sort tells what was reached.
type sort int

const (
	aFile  sort = iota // a file of the kind that is looked for
	stuck              // a manifest or list that will never be readable; text says why
	failed             // one that cannot be read now; err says why
	absent             // one that is not there
	note               // text is to be told
)

// reached is a file that the metadata leads to.
type reached struct {
	sort     sort
	location string
	text     string
	err      error
	target   target // of failed
}

// walk follows the metadata of one table to its files. It holds one list and one
// manifest in memory.
type walk struct {
	roots warehouse.Roots
	doc   *metadata.Document
}

// reach yields the files of a kind, each once as long as memory serves, and what
// is in the way. It ends early when ctx does.
func (w walk) reach(ctx context.Context, kind Kind) iter.Seq[reached] {
	return func(yield func(reached) bool) {
		once := seen{}
		for r := range w.files(ctx, kind) {
			if ctx.Err() != nil || (r.sort != aFile || once.add(r.location)) && !yield(r) {
				return
			}
		}
	}
}

func (w walk) files(ctx context.Context, kind Kind) iter.Seq[reached] {
	switch kind {
	case DataFile:
		return w.dataFiles(ctx)
	case Manifest:
		return w.manifests(ctx)
	case ManifestList:
		return w.lists()
	case Statistics:
		return locations(w.doc.StatisticsFiles()...)
	case OldMetadata:
		var old []string
		for _, entry := range w.doc.MetadataLog() {
			old = append(old, entry.Location)
		}
		return locations(old...)
	}
	return locations(w.doc.MetadataLocation())
}

func locations(of ...string) iter.Seq[reached] {
	return func(yield func(reached) bool) {
		for _, location := range of {
			if !yield(reached{location: location}) {
				return
			}
		}
	}
}

func (w walk) lists() iter.Seq[reached] {
	return func(yield func(reached) bool) {
		for s := range w.doc.SnapshotFiles() {
			if s.ManifestList != "" && !yield(reached{location: s.ManifestList}) {
				return
			}
		}
	}
}

// manifests are those of all snapshots, over and over where snapshots share them.
func (w walk) manifests(ctx context.Context) iter.Seq[reached] {
	return func(yield func(reached) bool) {
		for s := range w.doc.SnapshotFiles() {
			for r := range locations(s.Manifests...) {
				if !yield(r) {
					return
				}
			}
			if s.ManifestList != "" && !w.listed(ctx, s.ManifestList, yield) {
				return
			}
		}
	}
}

func (w walk) listed(ctx context.Context, list string, yield func(reached) bool) bool {
	file, obstacle := w.open(ctx, list)
	if obstacle != nil {
		return yield(*obstacle)
	}
	for m, err := range manifest.List(file) {
		if err != nil {
			return yield(unreadableFile(list, err))
		}
		if !yield(reached{location: m.Path}) {
			return false
		}
	}
	return true
}

// dataFiles are those that all manifests name, deleted ones too: they were the
// table's, and older snapshots may need them.
func (w walk) dataFiles(ctx context.Context) iter.Seq[reached] {
	return func(yield func(reached) bool) {
		if !w.collects() {
			yield(reached{sort: note, location: w.doc.Location(), text: propertyGC + " is false: its data and delete files stay"})
			return
		}
		once := seen{}
		for r := range w.manifests(ctx) {
			switch {
			case r.sort != aFile:
				if !yield(r) {
					return
				}
			case once.add(r.location):
				if !w.named(ctx, r.location, yield) {
					return
				}
			}
		}
	}
}

func (w walk) named(ctx context.Context, at string, yield func(reached) bool) bool {
	file, obstacle := w.open(ctx, at)
	if obstacle != nil {
		return yield(*obstacle)
	}
	for e, err := range manifest.Entries(file) {
		if err != nil {
			return yield(unreadableFile(at, err))
		}
		if !yield(reached{location: e.Path}) {
			return false
		}
	}
	return true
}

// propertyGC forbids to delete data, as it does to Iceberg's own drop of a table
// (CatalogUtil.dropTableData): others may use the files.
const propertyGC = "gc.enabled"

// collects tells whether data files may go.
func (w walk) collects() bool {
	enabled, set := w.doc.Property(propertyGC)
	return !set || !strings.EqualFold(strings.TrimSpace(enabled), "false")
}

// open reads a manifest or a list, or says what is in the way.
func (w walk) open(ctx context.Context, location string) (*bytes.Reader, *reached) {
	t, reason := find(w.roots, location)
	if reason != "" {
		return nil, &reached{sort: stuck, location: location, text: "it is not read: " + reason}
	}
	data, err := t.root.Store.Get(ctx, t.key, MaxManifestBytes)
	switch {
	case err == nil:
		return bytes.NewReader(data), nil
	case errors.Is(err, warehouse.ErrNotFound):
		return nil, &reached{sort: absent, location: location}
	case never(err) != "":
		return nil, &reached{sort: stuck, location: location, text: never(err)}
	}
	return nil, &reached{sort: failed, location: location, err: err, target: t}
}

func unreadableFile(location string, err error) reached {
	return reached{sort: stuck, location: location, text: err.Error()}
}
