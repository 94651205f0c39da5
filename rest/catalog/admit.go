package catalog

import (
	"context"
	"fmt"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// MaxPropertiesBytes bounds the properties of one object: keys and values
// together (formats §1).
const MaxPropertiesBytes = 1 << 20

// admit checks a new version of a table or view by the rules that package metadata does
// not know, on the result and not on the request: the limits, and where it may
// lie. It answers the places that the version owns. Invalid, Unavailable. Whether
// they are free is another question (unheld), which the recorder decides.
func (c *Catalog) admit(ctx context.Context, doc version) ([]journal.Place, error) {
	return c.admitWith(ctx, c.Roots, doc, c.checkFolder)
}

// admitFound is admit for a version whose file is there already: it lies in the warehouse
// with all that it owns, or in one external warehouse.
func (c *Catalog) admitFound(ctx context.Context, doc version) ([]journal.Place, error) {
	at := doc.MetadataLocation()
	if warehouse.HoldsReserved(at) {
		return nil, barred("metadata-location", at, fmt.Errorf("%w, at any depth", warehouse.ErrReserved))
	}
	return c.admitWith(ctx, c.realm(at), doc, c.checkFolder)
}

// admitBack is admitFound for an object that was in the catalog: its places may be what
// none is given any more.
func (c *Catalog) admitBack(ctx context.Context, doc version) ([]journal.Place, error) {
	return c.admitWith(ctx, c.realm(doc.MetadataLocation()), doc, c.wasThere)
}

// admitNext is admit for a version that follows another. The folders that were its
// before are not looked at again, except for those that only some clients take for
// them: nothing is written there but the metadata file, and whoever creates that
// looks at its way. ReadOnly for what lies in an external warehouse.
func (c *Catalog) admitNext(ctx context.Context, before, doc version) ([]journal.Place, error) {
	if err := c.unwritable(before, doc); err != nil {
		return nil, err
	}
	if samePlaces(before, doc) {
		return c.admitWith(ctx, c.Roots, doc, func(context.Context, warehouse.Location) error { return nil })
	}
	return c.admit(ctx, doc)
}

// admitWith checks each folder.
func (c *Catalog) admitWith(ctx context.Context, roots warehouse.Roots, doc version, check folderCheck) ([]journal.Place, error) {
	if n := len(doc.Bytes()); n > MaxMetadataBytes {
		return nil, refuse(Invalid, "The metadata is %d bytes, the limit is %d", n, MaxMetadataBytes)
	}
	if err := checkSize(doc.Properties()); err != nil {
		return nil, err
	}
	return c.placesOf(ctx, roots, doc, check)
}

func checkSize(properties map[string]string) error {
	total := 0
	for key, value := range properties {
		total += len(key) + len(value)
	}
	if total > MaxPropertiesBytes {
		return refuse(Invalid, "Properties are %d bytes, the limit is %d", total, MaxPropertiesBytes)
	}
	return nil
}
