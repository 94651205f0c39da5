package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// MaxMetadataBytes bounds a metadata file, as it lies in storage and inflated
// (formats §1).
const MaxMetadataBytes = 512 << 20

// version is one version of a table or view: its metadata file, and what it says
// of itself.
type version interface {
	UUID() uuid.UUID
	Bytes() []byte
	MetadataLocation() string
	Location() string
	Property(key string) (string, bool)
	Properties() map[string]string
}

// file is a metadata file in storage.
type file struct {
	pointer journal.Pointer
	data    []byte // its bytes
	text    []byte // the document: the same, or inflated
	base    base   // the version before, where the journal may keep this one as a patch

	// Of a file that was staged: where, and as what.
	at   spot
	info warehouse.Info
}

func fileAt(at string, data, text []byte) file {
	f := file{data: data, text: text, pointer: journal.Pointer{
		MetadataLocation: at, Size: int64(len(data)), SHA256: journal.Sum(data), Encoding: journal.EncodingNone,
	}}
	f.pointer.DocumentSHA256 = f.pointer.SHA256
	if metadata.IsCompressedName(at) {
		f.pointer.Encoding, f.pointer.DocumentSHA256 = journal.EncodingGzip, journal.Sum(text)
	}
	return f
}

// read gives the document of the current metadata file, proven to be what the
// journal recorded. FileMissing otherwise. Of a document that was proven before,
// it only looks whether the file is still there as it was.
func (c *Catalog) read(ctx context.Context, pointer journal.Pointer) (*document, error) {
	known, _ := c.documents.find(pointer.SHA256)
	at, info, unseen := c.look(ctx, pointer.MetadataLocation, known)
	if known != nil && unseen == nil && known.info.Same(info) {
		return known, nil
	}
	f, err := c.prove(ctx, pointer)
	if err != nil {
		return nil, err
	}
	d := &document{text: f.text, at: at, info: info}
	if unseen == nil {
		c.documents.keep(pointer.SHA256, d)
	}
	return d, nil
}

// spot is where a file is.
type spot struct {
	location string
	store    warehouse.Store
	key      string
}

// look asks the store about a file without reading it. A document of it, where one
// is known, tells where that is.
func (c *Catalog) look(ctx context.Context, location string, known *document) (at spot, info warehouse.Info, err error) {
	if known != nil && known.at.location == location {
		at = known.at
	} else {
		root, key, err := c.Roots.Resolve(location)
		if err != nil {
			return at, info, err
		}
		at = spot{location, root.Store, key}
	}
	info, err = at.store.Stat(ctx, at.key)
	return at, info, err
}

// prove reads the file of a pointer and compares it with the digests recorded:
// FileMissing.
func (c *Catalog) prove(ctx context.Context, pointer journal.Pointer) (file, error) {
	data, err := c.get(ctx, pointer.MetadataLocation, pointer.Size)
	if errors.Is(err, warehouse.ErrTooLarge) || err == nil && journal.Sum(data) != pointer.SHA256 {
		return file{}, missing(pointer.MetadataLocation, err, " (its bytes are not those that were committed)")
	}
	if err != nil || pointer.Encoding != journal.EncodingGzip {
		return file{pointer: pointer, data: data, text: data}, err
	}
	text, err := inflate(data, MaxMetadataBytes)
	if err != nil || journal.Sum(text) != pointer.DocumentSHA256 {
		return file{}, missing(pointer.MetadataLocation, err, " (what it inflates to is not what was committed)")
	}
	return file{pointer: pointer, data: data, text: text}, nil
}

// remember keeps the version that a commit made, which the next request will most
// likely ask for, in place of the one before.
func (c *Catalog) remember(f file, table *metadata.Document, before journal.Pointer) {
	c.documents.forget(before.SHA256)
	d := &document{text: f.text, at: f.at, info: f.info}
	d.table.Store(table)
	c.documents.keep(f.pointer.SHA256, d)
}

// get reads a file of the warehouse: FileMissing, Unavailable, or
// warehouse.ErrTooLarge as it is.
func (c *Catalog) get(ctx context.Context, at string, limit int64) ([]byte, error) {
	root, key, err := c.Roots.Resolve(at)
	if err != nil {
		return nil, missing(at, err, " (it is outside of the warehouse)")
	}
	data, err := root.Store.Get(ctx, key, limit)
	switch {
	case err == nil, errors.Is(err, warehouse.ErrTooLarge):
		return data, err
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrInvalidKey):
		return nil, missing(at, err, "")
	case errors.Is(err, warehouse.ErrLink):
		return nil, missing(at, err, " (a symbolic link is on the way to it)")
	}
	return nil, because(Unavailable, err, "The metadata file %s cannot be read at the moment", at)
}

// missing words a file that is not there, or not what it was, as engines expect
// (interface §5.1).
func missing(at string, err error, reason string) *Error {
	return because(FileMissing, err, "Failed to open input stream for file: %s%s", at, reason)
}

// stage writes a new version's file under its fresh name, gzipped when that says
// so. It is durable on return, and nobody names it yet: a crash until it is recorded
// leaves a file, perhaps a part of one, that verify lists. Invalid when it can never
// be written there.
func (c *Catalog) stage(ctx context.Context, doc version) (file, error) {
	at, data := doc.MetadataLocation(), doc.Bytes()
	if metadata.IsCompressedName(at) {
		data = deflate(data)
	}
	f := fileAt(at, data, doc.Bytes())
	root, key, err := c.Roots.Resolve(at)
	if err == nil {
		f.at = spot{at, root.Store, key}
		f.info, err = root.Store.Stage(ctx, key, data)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, warehouse.ErrInvalidLocation), errors.Is(err, warehouse.ErrInvalidKey),
		errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrExists):
		return file{}, because(Invalid, err, "The metadata file %s cannot be written: %v", at, err)
	}
	c.discard(ctx, at) // it may be there all the same
	return file{}, unwritten(err, "The change was not made: its metadata file %s cannot be written", at)
}

// unstage removes staged files after the change that they were for was refused,
// unless the outcome is unknown: they may be the current ones then (case 33).
func (c *Catalog) unstage(ctx context.Context, refused error, staged ...file) {
	if errors.Is(refused, journal.ErrUnknownOutcome) {
		return
	}
	for _, f := range staged {
		c.discard(ctx, f.pointer.MetadataLocation)
	}
}

// discard removes a file that no event names or ever will. Best effort: what
// stays harms nobody.
func (c *Catalog) discard(ctx context.Context, at string) { c.remove(context.WithoutCancel(ctx), at) }

// remove deletes a file of the warehouse, or not.
func (c *Catalog) remove(ctx context.Context, at string) {
	if root, key, err := c.Roots.Resolve(at); err == nil {
		_ = root.Store.Delete(ctx, key)
	}
}

// keep is what goes into the journal beside the moves, in their order: a gzip
// file as it is, so that it can be written again byte for byte; of another what it
// changes in the version before, or all of it.
func (c *Catalog) keep(of ...file) []journal.Document {
	documents := make([]journal.Document, 0, len(of))
	for move, f := range of {
		var d journal.Document
		var ok bool
		switch {
		case f.pointer.Encoding == journal.EncodingGzip:
			d, ok = journal.KeepFile(move, f.data, c.MaxDocument)
		case f.base.text != nil:
			d, ok = journal.KeepPatch(move, f.text, f.base.at, f.base.text, c.MaxDocument)
		}
		if !ok && f.pointer.Encoding != journal.EncodingGzip {
			d, ok = journal.KeepDocument(move, f.text, c.MaxDocument)
		}
		if ok {
			documents = append(documents, d)
		}
	}
	return documents
}
