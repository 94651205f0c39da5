package catalog

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Table is one version of a table as clients get it. Metadata is the JSON of the
// metadata file, byte for byte and inflated, with the uuid where the file has none
// (case 3); it must not be modified. Digest is its SHA-256. MetadataLocation and
// Digest are empty when the table was only staged.
type Table struct {
	MetadataLocation string
	Metadata         []byte
	Digest           journal.Digest
}

// tableAt is the version that a pointer names, with its inflated document.
func tableAt(pointer journal.Pointer, document []byte) Table {
	return Table{MetadataLocation: pointer.MetadataLocation, Metadata: document, Digest: pointer.DocumentSHA256}
}

// shownAt is a version whose document may say more than the file: its uuid.
func shownAt(at string, doc *metadata.Document) Table {
	return Table{MetadataLocation: at, Metadata: doc.Bytes(), Digest: journal.Sum(doc.Bytes())}
}

// LoadTable reads the current version. NoSuchTable, also when the namespace is
// not there; FileMissing when the file is gone or not what was recorded.
func (c *Catalog) LoadTable(ctx context.Context, id journal.Identifier) (Table, error) {
	return readCurrent(ctx, c, journal.Table, id, c.load)
}

// LoadTableWith is LoadTable, with what create makes of the version and of nothing
// else: once for as long as the version is in memory, where that counts as part of
// it, so it should be small. All callers pass the same create; what it makes must not
// be modified. Several may make the same at once.
func (c *Catalog) LoadTableWith(ctx context.Context, id journal.Identifier, create func(Table) any) (Table, any, error) {
	shown, err := readCurrent(ctx, c, journal.Table, id, c.shown)
	if err != nil {
		return Table{}, nil, err
	}
	made := shown.made.Load()
	if made == nil {
		made = create(shown.table)
		shown.made.Store(made)
	}
	return shown.table, made, nil
}

// shownTable is a version of the table with a uuid as clients are shown it, and what
// was made of it.
type shownTable struct {
	of    uuid.UUID
	table Table
	made  atomic.Value
	reach atomic.Pointer[Reach] // once somebody found out, while it was current
}

// load reads a version of a table as clients are shown it.
func (c *Catalog) load(ctx context.Context, object projections.Object) (Table, error) {
	shown, err := c.shown(ctx, object)
	if err != nil {
		return Table{}, err
	}
	return shown.table, nil
}

func (c *Catalog) shown(ctx context.Context, object projections.Object) (*shownTable, error) {
	d, err := c.version(ctx, object)
	if err != nil {
		return nil, err
	}
	return d.show(object)
}

// show is the document as a table's, with its uuid, found out once.
func (d *document) show(object projections.Object) (*shownTable, error) {
	at := object.Pointer.MetadataLocation
	if known := d.shown.Load(); known != nil && known.of == object.UUID && known.table.MetadataLocation == at {
		return known, nil
	}
	shown := &shownTable{of: object.UUID, table: tableAt(object.Pointer, d.text)}
	if !saysUUID(d.text) {
		doc, err := d.parse(object)
		if err != nil {
			return nil, err
		}
		shown.table = shownAt(at, doc)
	}
	d.shown.Store(shown)
	return shown, nil
}

// WithUUID is the table with its uuid in the metadata, where the file, of format
// version 1, has none (case 3).
func (t Table) WithUUID(id uuid.UUID) (Table, error) {
	if saysUUID(t.Metadata) {
		return t, nil
	}
	doc, err := decoded(metadata.Parse(t.Metadata, t.MetadataLocation))
	if err != nil {
		return Table{}, err
	}
	return shownAt(t.MetadataLocation, doc.WithUUID(id)), nil
}

// saysUUID tells whether a metadata file has its table's uuid. It reads no further
// than there: most writers begin with it.
func saysUUID(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return false
		}
		if name.String() == "table-uuid" {
			return d.PeekKind() == '"'
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	return false
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
	return c.list(ctx, in, journal.Table, page)
}

func (c *Catalog) list(ctx context.Context, in journal.Namespace, kind journal.ObjectKind, page projections.Page) ([]string, error) {
	names, err := c.Reader.Objects(ctx, in, kind, page)
	if errors.Is(err, projections.ErrNoNamespace) {
		return nil, noNamespace(in)
	}
	return names, reading(err)
}

// table finds the live table of that name; NoSuchTable.
func (c *Catalog) table(ctx context.Context, id journal.Identifier) (projections.Object, error) {
	return c.object(ctx, journal.Table, id)
}

// object finds the live object of that kind and name; NoSuchTable, NoSuchView.
func (c *Catalog) object(ctx context.Context, kind journal.ObjectKind, id journal.Identifier) (projections.Object, error) {
	object, err := c.Reader.Object(ctx, id)
	if errors.Is(err, projections.ErrNoObject) || err == nil && object.Kind != kind {
		return object, noObject(kind, id)
	}
	return object, reading(err)
}

// from is where an object is now, as the start of a move.
func from(o projections.Object) *journal.From {
	return &journal.From{Identifier: o.Identifier, Pointer: o.Pointer}
}

// parse reads the current version of a table.
func (c *Catalog) parse(ctx context.Context, object projections.Object) (*metadata.Document, error) {
	d, err := c.read(ctx, object.Pointer)
	if err != nil {
		return nil, err
	}
	return d.parse(object)
}

// parse is the document as a table's, with its uuid.
func (d *document) parse(of projections.Object) (*metadata.Document, error) {
	at := of.Pointer.MetadataLocation
	if known := d.table.Load(); known != nil && known.MetadataLocation() == at && known.UUID() == of.UUID {
		return known, nil
	}
	doc, err := decoded(metadata.Parse(d.text, at))
	if err != nil {
		return nil, err
	}
	doc = doc.WithUUID(of.UUID)
	d.table.Store(doc)
	return doc, nil
}
