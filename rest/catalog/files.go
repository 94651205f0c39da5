package catalog

import (
	"context"
	"errors"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// MaxMetadataBytes bounds a metadata file, inflated (formats §1).
const MaxMetadataBytes = 512 << 20

// read gives the bytes of the current metadata file, proven to be those that the
// journal recorded. FileMissing otherwise, worded as engines expect (interface
// §5.1).
func (c *Catalog) read(ctx context.Context, pointer journal.Pointer) ([]byte, error) {
	at := pointer.MetadataLocation
	root, key, err := c.Roots.Resolve(at)
	if err != nil {
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s (it is outside of the warehouse)", at)
	}
	file, err := root.Store.Get(ctx, key, MaxMetadataBytes)
	switch {
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrInvalidKey):
		return nil, because(FileMissing, err, "Failed to open input stream for file: %s", at)
	case err != nil:
		return nil, because(Unavailable, err, "The metadata file %s cannot be read at the moment", at)
	case int64(len(file)) != pointer.Size || journal.Sum(file) != pointer.SHA256:
		return nil, refuse(FileMissing, "Failed to open input stream for file: %s (its bytes are not those that were committed)", at)
	}
	return file, nil
}

// stage writes a new version's file under its fresh name. It is durable on
// return, and nobody names it yet: a crash from here to the record leaves a file
// that verify lists.
func (c *Catalog) stage(ctx context.Context, doc *metadata.Document) (journal.Pointer, error) {
	root, key, err := c.Roots.Resolve(doc.MetadataLocation())
	if err != nil {
		return journal.Pointer{}, because(Invalid, err, "The metadata file cannot be written: %v", err)
	}
	if err := root.Store.Create(ctx, key, doc.Bytes()); err != nil {
		return journal.Pointer{}, because(Unavailable, err, "The change was not made: its metadata file %s cannot be written", doc.MetadataLocation())
	}
	digest := journal.Sum(doc.Bytes())
	return journal.Pointer{
		MetadataLocation: doc.MetadataLocation(), Size: int64(len(doc.Bytes())),
		SHA256: digest, DocumentSHA256: digest, Encoding: journal.EncodingNone,
	}, nil
}

// discard removes a staged file after the change that it was for was surely
// refused. Best effort: what stays is named by nobody.
func (c *Catalog) discard(ctx context.Context, pointer journal.Pointer, refused error) {
	if errors.Is(refused, journal.ErrUnknownOutcome) {
		return // it may be the current file (case 33)
	}
	if root, key, err := c.Roots.Resolve(pointer.MetadataLocation); err == nil {
		_ = root.Store.Delete(context.WithoutCancel(ctx), key)
	}
}

// keep is the document that goes into the journal beside a move.
func (c *Catalog) keep(move int, doc *metadata.Document) []journal.Document {
	d, ok := journal.KeepDocument(move, doc.Bytes(), c.MaxDocument)
	if !ok {
		return nil
	}
	return []journal.Document{d}
}
