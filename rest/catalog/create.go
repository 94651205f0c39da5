package catalog

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// NewTable is what a client asks for. Location, PartitionSpec and WriteOrder may
// be left out.
type NewTable struct {
	Identifier                        journal.Identifier
	Location                          string
	Schema, PartitionSpec, WriteOrder jsontext.Value
	Properties                        map[string]string
	By                                journal.Actor // who asks for it to be staged
}

// CreateTable makes a table with its first metadata file. AlreadyExists when a
// table or view has the name or overlaps the place, NoSuchNamespace, Invalid.
func (c *Catalog) CreateTable(ctx context.Context, cause journal.Cause, t NewTable) (Table, error) {
	release, err := c.lock(ctx, naming(t.Identifier)...)
	if err != nil {
		return Table{}, err
	}
	defer release()
	doc, err := c.draftTable(ctx, t)
	if err != nil {
		return Table{}, err
	}
	places, err := c.admit(ctx, doc)
	if err != nil {
		return Table{}, err
	}
	tables, err := c.land(ctx, cause, []step{{identifier: t.Identifier, doc: doc, places: places}})
	if err != nil {
		return Table{}, err
	}
	return tables[0], nil
}

// StageTable computes what CreateTable would make and keeps nothing of it but,
// in a store with folders, two empty ones. Refusals are the same; neither name nor
// places are kept free for the commit.
func (c *Catalog) StageTable(ctx context.Context, t NewTable) (Table, error) {
	doc, err := c.draftTable(ctx, t)
	if err != nil {
		return Table{}, err
	}
	places, err := c.admit(ctx, doc)
	if err != nil {
		return Table{}, err
	}
	if err := c.untaken(ctx, t.Identifier, doc, places); err != nil {
		return Table{}, err
	}
	if err := c.unbooked(ctx, t.Identifier, doc, places, booker{by: t.By, name: t.Identifier.Key()}); err != nil {
		return Table{}, err
	}
	c.makeFolders(ctx, doc)
	return Table{Metadata: doc.Bytes()}, nil
}

// draftTable computes a new table's first version.
func (c *Catalog) draftTable(ctx context.Context, t NewTable) (*metadata.Document, error) {
	namespace, err := c.roomFor(ctx, journal.Table, t.Identifier)
	if err != nil {
		return nil, err
	}
	id, fresh, err := twoUUIDs()
	if err != nil {
		return nil, err
	}
	location := trimSlash(t.Location)
	if location == "" {
		location = c.defaultLocation(namespace, id.String())
	}
	return decoded(metadata.Create(metadata.NewTable{
		UUID: id, Location: location, Schema: t.Schema, PartitionSpec: t.PartitionSpec,
		WriteOrder: t.WriteOrder, Properties: t.Properties,
	}, c.Now(), fresh))
}

// roomFor checks that a name can be made and is free, early and without a
// promise: the recorder decides.
func (c *Catalog) roomFor(ctx context.Context, kind journal.ObjectKind, id journal.Identifier) (projections.Namespace, error) {
	if err := id.Check(); err != nil {
		return projections.Namespace{}, because(Invalid, err, "%v", err)
	}
	namespace, err := c.Namespace(ctx, id.Namespace)
	if err != nil {
		return namespace, err
	}
	holder, err := c.Reader.Object(ctx, id)
	switch {
	case errors.Is(err, projections.ErrNoObject):
		return namespace, nil
	case err != nil:
		return namespace, reading(err)
	}
	return namespace, nameTaken(kind, id, holder.Kind)
}

func snapshotOf(doc *metadata.Document) *int64 {
	id, ok := doc.CurrentSnapshotID()
	if !ok {
		return nil
	}
	return &id
}

func twoUUIDs() (a, b uuid.UUID, err error) {
	if a, err = uuid.NewRandom(); err == nil {
		b, err = uuid.NewRandom()
	}
	if err != nil {
		return a, b, because(Unavailable, err, "The change was not made: no randomness")
	}
	return a, b, nil
}
