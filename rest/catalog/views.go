package catalog

import (
	"context"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// View is one version of a view as clients get it. Metadata is the JSON of the
// metadata file, byte for byte and inflated; it must not be modified. Digest is
// its SHA-256.
type View struct {
	MetadataLocation string
	Metadata         []byte
	Digest           journal.Digest
}

// LoadView reads the current version. NoSuchView, also when the namespace is not
// there; FileMissing when the file is gone or not what was recorded.
func (c *Catalog) LoadView(ctx context.Context, id journal.Identifier) (View, error) {
	return readCurrent(ctx, c, journal.View, id, c.show)
}

// show reads a version of a view.
func (c *Catalog) show(ctx context.Context, object projections.Object) (View, error) {
	file, err := c.version(ctx, object)
	if err != nil {
		return View{}, err
	}
	return View{object.Pointer.MetadataLocation, file.text, object.Pointer.DocumentSHA256}, nil
}

// ViewExists answers nil or NoSuchView. It reads no storage.
func (c *Catalog) ViewExists(ctx context.Context, id journal.Identifier) error {
	_, err := c.object(ctx, journal.View, id)
	return err
}

// Views lists the names of a namespace's views as Tables lists tables.
// NoSuchNamespace.
func (c *Catalog) Views(ctx context.Context, in journal.Namespace, page projections.Page) ([]string, error) {
	return c.list(ctx, in, journal.View, page)
}

// DropView ends a view and leaves all its files. It reads none, so that a broken
// view can be dropped. NoSuchView.
func (c *Catalog) DropView(ctx context.Context, cause journal.Cause, id journal.Identifier) error {
	release, err := c.lock(ctx, named(id))
	if err != nil {
		return err
	}
	defer release()
	return onCurrent(func() error {
		object, err := c.object(ctx, journal.View, id)
		if err != nil {
			return err
		}
		return recorded(journal.View, c.record(ctx, cause, journal.ViewDropped{Moves: [1]journal.Move{{
			Kind: journal.View, UUID: object.UUID, From: from(object),
		}}}))
	})
}

func viewOf(v *metadata.View) View {
	return View{v.MetadataLocation(), v.Bytes(), journal.Sum(v.Bytes())}
}
