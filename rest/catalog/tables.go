package catalog

import (
	"context"
	"errors"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Table is one version of a table as clients get it. MetadataLocation is empty
// when it was only staged. Metadata is the JSON of the metadata file, byte for
// byte; it must not be modified.
type Table struct {
	MetadataLocation string
	Metadata         []byte
}

// LoadTable reads the current version. NoSuchTable, also when the namespace is
// not there; FileMissing when the file is gone or not what was recorded.
func (c *Catalog) LoadTable(ctx context.Context, id journal.Identifier) (Table, error) {
	object, err := c.table(ctx, id)
	if err != nil {
		return Table{}, err
	}
	file, err := c.read(ctx, object.Pointer)
	if err != nil {
		return Table{}, err
	}
	return Table{MetadataLocation: object.Pointer.MetadataLocation, Metadata: file}, nil
}

// TableExists answers nil or NoSuchTable. It reads no storage.
func (c *Catalog) TableExists(ctx context.Context, id journal.Identifier) error {
	_, err := c.table(ctx, id)
	return err
}

// Tables lists the names of a namespace's tables, ordered by their bytes. It
// reads no storage, so that a broken table hides no other (case 45).
// NoSuchNamespace.
func (c *Catalog) Tables(ctx context.Context, in journal.Namespace, page projections.Page) ([]string, error) {
	names, err := c.Reader.Objects(ctx, in, journal.Table, page)
	if errors.Is(err, projections.ErrNoNamespace) {
		return nil, noNamespace(in)
	}
	return names, reading(err)
}

// DropTable ends a table and leaves all its files. It reads none, so that a
// broken table can be dropped. Purge is Unsupported in this build. NoSuchTable.
func (c *Catalog) DropTable(ctx context.Context, cause journal.Cause, id journal.Identifier, purge bool) error {
	if purge {
		return refuse(Unsupported, "Cannot purge %s: purgeRequested=true is not in this build; drop without purge keeps the files", id)
	}
	defer c.names.acquire(id.Key())()
	return onCurrent(id, func() error {
		object, err := c.table(ctx, id)
		if err != nil {
			return err
		}
		return recorded(c.record(ctx, cause, journal.TableDropped{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: object.UUID, From: from(object),
		}}}))
	})
}

// RenameTable moves a table's name, also to another namespace, and nothing else.
// NoSuchTable, NoSuchNamespace for the target, AlreadyExists when the target is
// taken, also by the table itself (case 98).
func (c *Catalog) RenameTable(ctx context.Context, cause journal.Cause, source, target journal.Identifier) error {
	if err := target.Check(); err != nil {
		return because(Invalid, err, "%v", err)
	}
	defer c.names.acquire(source.Key(), target.Key())()
	return onCurrent(source, func() error { return c.rename(ctx, cause, source, target) })
}

func (c *Catalog) rename(ctx context.Context, cause journal.Cause, source, target journal.Identifier) error {
	object, err := c.table(ctx, source)
	if err != nil {
		return err
	}
	if _, err := c.Namespace(ctx, target.Namespace); err != nil {
		return err
	}
	if err := c.targetFree(ctx, source, target); err != nil {
		return err
	}
	places, err := c.Reader.Places(ctx, object.UUID)
	if err != nil {
		return reading(err)
	}
	err = c.record(ctx, cause, journal.TableRenamed{Moves: [1]journal.Move{{
		Kind: journal.Table, UUID: object.UUID, From: from(object),
		To: &journal.To{Identifier: target, Pointer: object.Pointer, Location: object.Location, Places: places},
	}}})
	var conflict *projections.Conflict
	if errors.As(err, &conflict) && conflict.Kind == projections.NameTaken {
		return renameTaken(source, target, conflict.Object)
	}
	return recorded(err)
}

func (c *Catalog) targetFree(ctx context.Context, source, target journal.Identifier) error {
	holder, err := c.Reader.Object(ctx, target)
	if errors.Is(err, projections.ErrNoObject) {
		return nil
	}
	if err != nil {
		return reading(err)
	}
	return renameTaken(source, target, holder.Kind)
}

func renameTaken(source, target journal.Identifier, holder journal.ObjectKind) *Error {
	if holder == journal.View {
		return refuse(AlreadyExists, "Cannot rename %s to %s. View already exists", source, target)
	}
	return refuse(AlreadyExists, "Cannot rename %s to %s. Table already exists", source, target)
}

// table finds the live table of that name; NoSuchTable.
func (c *Catalog) table(ctx context.Context, id journal.Identifier) (projections.Object, error) {
	object, err := c.Reader.Object(ctx, id)
	if errors.Is(err, projections.ErrNoObject) || err == nil && object.Kind != journal.Table {
		return object, noTable(id)
	}
	return object, reading(err)
}

// from is where an object is now, as the start of a move.
func from(o projections.Object) *journal.From {
	return &journal.From{Identifier: o.Identifier, Pointer: o.Pointer}
}

// parse reads the document that a pointer names. Unsupported when it is of a
// format version that this build cannot commit to.
func (c *Catalog) parse(ctx context.Context, pointer journal.Pointer) (*metadata.Document, error) {
	file, err := c.read(ctx, pointer)
	if err != nil {
		return nil, err
	}
	return decoded(metadata.Parse(file, pointer.MetadataLocation))
}
