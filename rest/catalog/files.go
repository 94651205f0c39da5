package catalog

import (
	"context"
	"errors"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// MaxMetadataBytes bounds a metadata file that is written, inflated (formats §1).
const MaxMetadataBytes = 512 << 20

// version is one version of a table or view: its metadata file, and what it says
// of itself.
type version interface {
	Bytes() []byte
	MetadataLocation() string
	Location() string
	Property(key string) (string, bool)
	Properties() map[string]string
}

// read gives the bytes of the current metadata file, proven to be those that the
// journal recorded. FileMissing otherwise, worded as engines expect (interface
// §5.1).
func (c *Catalog) read(ctx context.Context, pointer journal.Pointer) ([]byte, error) {
	at := pointer.MetadataLocation
	root, key, err := c.Roots.Resolve(at)
	if err != nil {
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s (it is outside of the warehouse)", at)
	}
	file, err := root.Store.Get(ctx, key, pointer.Size)
	switch {
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrInvalidKey):
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s", at)
	case errors.Is(err, warehouse.ErrLink):
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s (a symbolic link is on the way to it)", at)
	case errors.Is(err, warehouse.ErrTooLarge), err == nil && journal.Sum(file) != pointer.SHA256:
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s (its bytes are not those that were committed)", at)
	case err != nil:
		return nil, because(Unavailable, err, "The metadata file %s cannot be read at the moment", at)
	}
	return file, nil
}

// stage writes a new version's file under its fresh name. It is durable on
// return, and nobody names it yet: a crash from here to the record leaves a file
// that verify lists. Invalid when it can never be written there.
func (c *Catalog) stage(ctx context.Context, doc version) (journal.Pointer, error) {
	at, file := doc.MetadataLocation(), doc.Bytes()
	root, key, err := c.Roots.Resolve(at)
	if err == nil {
		err = root.Store.Create(ctx, key, file)
	}
	switch {
	case err == nil:
	case errors.Is(err, warehouse.ErrInvalidLocation), errors.Is(err, warehouse.ErrInvalidKey),
		errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrExists):
		return journal.Pointer{}, because(Invalid, err, "The metadata file %s cannot be written: %v", at, err)
	default:
		c.discard(ctx, at) // it may be there all the same
		return journal.Pointer{}, because(Unavailable, err, "The change was not made: its metadata file %s cannot be written", at)
	}
	digest := journal.Sum(file)
	return journal.Pointer{
		MetadataLocation: at, Size: int64(len(file)),
		SHA256: digest, DocumentSHA256: digest, Encoding: journal.EncodingNone,
	}, nil
}

// unstage removes a staged file after the change that it was for was refused,
// unless the outcome is unknown: it may be the current file then (case 33).
func (c *Catalog) unstage(ctx context.Context, pointer journal.Pointer, refused error) {
	if !errors.Is(refused, journal.ErrUnknownOutcome) {
		c.discard(ctx, pointer.MetadataLocation)
	}
}

// discard removes a file that no event names or ever will. Best effort: what
// stays harms nobody.
func (c *Catalog) discard(ctx context.Context, at string) {
	if root, key, err := c.Roots.Resolve(at); err == nil {
		_ = root.Store.Delete(context.WithoutCancel(ctx), key)
	}
}

// keep is the document that goes into the journal beside a move.
func (c *Catalog) keep(move int, doc version) []journal.Document {
	d, ok := journal.KeepDocument(move, doc.Bytes(), c.MaxDocument)
	if !ok {
		return nil
	}
	return []journal.Document{d}
}
