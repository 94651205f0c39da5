package catalog

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
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

	// Where it was found or staged, and as what.
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
// journal recorded. FileMissing otherwise. Of a document that was proven before, it
// only looks whether the file is still there as it was, and that no more often than
// its root says. Where looking is dear, many who need one file look once; who has the turn
// waits for nobody, since the one who looks may be waiting for that.
func (c *Catalog) read(ctx context.Context, pointer journal.Pointer) (*document, error) {
	known, _ := c.documents.find(pointer.SHA256)
	l, due := known.due(pointer.MetadataLocation, c.Now)
	if !due {
		return known, nil
	}
	at, err := c.spotOf(pointer.MetadataLocation)
	if err != nil || at.revalidate <= 0 || l.alone() || hasTurn(ctx) {
		return c.look(ctx, pointer, known, l)
	}
	return c.documents.flights.join(ctx, flightKey{pointer.SHA256, at.location}, func() (*document, error) {
		return c.look(ctx, pointer, known, l)
	})
}

// standing is read of what a commit builds on. Where looking is dear, it does without: the
// next version holds all of this one, and a file that went away since harms no more.
func (c *Catalog) standing(ctx context.Context, object projections.Object) (*document, error) {
	if known, _ := c.documents.find(object.Pointer.SHA256); known.standsAt(object.Pointer.MetadataLocation) {
		return known, nil
	}
	return c.read(ctx, object.Pointer)
}

// reread is read that always looks.
func (c *Catalog) reread(ctx context.Context, pointer journal.Pointer) (*document, error) {
	known, _ := c.documents.find(pointer.SHA256)
	return c.look(ctx, pointer, known, known.lookNow(pointer.MetadataLocation, c.Now))
}

// look asks the store about the file of a pointer. What is known of it is proven again
// when the file is not as it was then.
func (c *Catalog) look(ctx context.Context, pointer journal.Pointer, known *document, l look) (*document, error) {
	if known != nil {
		if info, err := c.stat(ctx, pointer.MetadataLocation, known); err == nil && known.info.Same(info) {
			l.found()
			return known, nil
		}
	}
	f, err := c.prove(ctx, pointer)
	if err != nil {
		l.failed(err)
		return nil, err
	}
	return c.take(f), nil
}

// take keeps a version that was just proven, or made.
func (c *Catalog) take(f file) *document {
	d := f.document(c.Now)
	c.documents.keep(f.pointer.SHA256, d)
	return d
}

// spot is where a file is.
type spot struct {
	location   string
	store      warehouse.Store
	key        string
	revalidate time.Duration
}

// spotOf finds where a location is.
func (c *Catalog) spotOf(location string) (spot, error) {
	root, key, err := c.source(location)
	return spot{location, root.Store, key, root.Revalidate}, err
}

// stat asks the store about a file without reading it. A document of it tells where
// that is.
func (c *Catalog) stat(ctx context.Context, location string, known *document) (warehouse.Info, error) {
	at := known.at
	if at.location != location {
		var err error
		if at, err = c.spotOf(location); err != nil {
			return warehouse.Info{}, err
		}
	}
	return at.store.Stat(ctx, at.key)
}

// prove reads the file of a pointer and compares it with the digests recorded:
// FileMissing. A large one waits for its turn: Unavailable.
func (c *Catalog) prove(ctx context.Context, pointer journal.Pointer) (file, error) {
	ctx, end := c.inTurn(ctx)
	defer end()
	if pointer.Size > metadata.LargeFile(pointer.Encoding == journal.EncodingGzip) {
		if err := takeTurn(ctx, pointer.MetadataLocation); err != nil {
			return file{}, err
		}
	}
	f, err := c.fetch(ctx, pointer.MetadataLocation, pointer.Size)
	if errors.Is(err, warehouse.ErrTooLarge) || err == nil && journal.Sum(f.data) != pointer.SHA256 {
		return file{}, missing(pointer.MetadataLocation, err, " (its bytes are not those that were committed)")
	}
	f.pointer, f.text = pointer, f.data
	if err != nil || pointer.Encoding != journal.EncodingGzip {
		return f, err
	}
	f.text, err = inflateInTurn(ctx, pointer.MetadataLocation, f.data)
	if refused := (*Error)(nil); errors.As(err, &refused) {
		return file{}, err
	}
	if err != nil || journal.Sum(f.text) != pointer.DocumentSHA256 {
		return file{}, missing(pointer.MetadataLocation, err, " (what it inflates to is not what was committed)")
	}
	return f, nil
}

// remember keeps the version that a commit made, which the next request will most
// likely ask for, in place of the one before.
func (c *Catalog) remember(f file, table *metadata.Document, before journal.Pointer) {
	c.documents.forget(before.SHA256)
	d := c.take(f)
	if table != nil {
		d.table.Store(table)
	}
}

// get reads a file of the warehouse: FileMissing, Unavailable, or
// warehouse.ErrTooLarge as it is.
func (c *Catalog) get(ctx context.Context, at string, limit int64) ([]byte, error) {
	where, err := c.spotOf(at)
	if err != nil {
		return nil, outside(at, err)
	}
	data, err := where.store.Get(ctx, where.key, limit)
	return data, unread(at, err)
}

// fetch is get, with where and as what the bytes were found.
func (c *Catalog) fetch(ctx context.Context, at string, limit int64) (f file, err error) {
	if f.at, err = c.spotOf(at); err != nil {
		return f, outside(at, err)
	}
	f.data, f.info, err = warehouse.Fetch(ctx, f.at.store, f.at.key, limit)
	return f, unread(at, err)
}

// unread words why a file was not read; warehouse.ErrTooLarge stays as it is.
func unread(at string, err error) error {
	switch {
	case err == nil, errors.Is(err, warehouse.ErrTooLarge):
		return err
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrInvalidKey):
		return missing(at, err, "")
	case errors.Is(err, warehouse.ErrLink):
		return missing(at, err, " (a symbolic link is on the way to it)")
	}
	return because(Unavailable, err, "The metadata file %s cannot be read at the moment", at)
}

func outside(at string, err error) error {
	return missing(at, err, " (it is outside of the warehouse)")
}

// missing words a file that is not there, or not what it was, as engines expect
// (interface §5.1).
func missing(at string, err error, reason string) *Error {
	return because(FileMissing, err, "Failed to open input stream for file: %s%s", at, reason)
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
