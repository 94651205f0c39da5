package catalog

import (
	"context"
	"maps"
	"strings"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// locationProperty is the namespace property below which tables are created
// that ask for no location of their own.
const locationProperty = "location"

// placeProperties are the properties that name a location which a table or view
// owns. The two of older Iceberg releases still steer writers (case 133).
var placeProperties = []string{
	"write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path",
}

// placed checks one location by the rules of places: a storage URL, inside the
// warehouse, not a root itself, not in _puddle. Invalid, naming what it is for.
func (c *Catalog) placed(role, location string) (journal.Place, error) {
	var root warehouse.Root
	l, err := warehouse.ParseLocation(location)
	if err == nil {
		root, _, err = c.Roots.Resolve(location)
	}
	switch {
	case err != nil:
		return journal.Place{}, because(Invalid, err, "%s %q is refused: %v", role, location, err)
	case l == root.Location:
		return journal.Place{}, refuse(Invalid, "%s %q is refused: it is the root of the warehouse", role, location)
	case l.Reserved(root.Location):
		return journal.Place{}, refuse(Invalid, "%s %q is refused: _puddle is reserved", role, location)
	}
	return journal.Place{Path: l.Path(), Role: role}, nil
}

// placesOf is every location that a version of a table or view owns.
func (c *Catalog) placesOf(doc version) ([]journal.Place, error) {
	own, err := c.placed("location", doc.Location())
	if err != nil {
		return nil, err
	}
	places := []journal.Place{own}
	seen := map[string]bool{own.Path: true}
	for _, property := range placeProperties {
		location, ok := doc.Property(property)
		if !ok {
			continue
		}
		place, err := c.placed(property, location)
		if err != nil {
			return nil, err
		}
		if !seen[place.Path] {
			seen[place.Path] = true
			places = append(places, place)
		}
	}
	return places, nil
}

// ShownProperties are a namespace's properties as clients are to see them: one
// without a location of its own has <warehouse>/<uuid of the namespace>. It is
// told and not stored. Trino makes its tables below it; without one it creates
// them first, then finds their metadata file and refuses the place (case 49).
func (c *Catalog) ShownProperties(n projections.Namespace) map[string]string {
	if _, own := n.Properties[locationProperty]; own {
		return n.Properties
	}
	shown := map[string]string{locationProperty: trimSlash(c.Roots[0].URL) + "/" + n.ID.String()}
	maps.Copy(shown, n.Properties)
	return shown
}

// defaultLocation is <namespace location or warehouse>/<uuid>: unique for ever,
// so that a renamed table and the next one of its name never share a folder
// (case 46), and free of what names may hold (case 143).
func (c *Catalog) defaultLocation(in projections.Namespace, uuid string) string {
	base := c.Roots[0].URL
	if own, ok := in.Properties[locationProperty]; ok {
		base = own
	}
	return trimSlash(base) + "/" + uuid
}

func trimSlash(s string) string {
	for len(s) > 1 && s[len(s)-1] == '/' {
		s = s[:len(s)-1]
	}
	return s
}

// makeFolders makes the empty folders that a client of a local warehouse needs
// after a staged create (interface §5.12). Best effort: stores without folders
// have none to make.
func (c *Catalog) makeFolders(ctx context.Context, doc *metadata.Document) {
	for _, folder := range []string{doc.MetadataFolder(), trimSlash(doc.Location()) + "/data"} {
		root, key, err := c.Roots.Resolve(folder)
		if err != nil {
			continue
		}
		if folders, ok := root.Store.(warehouse.Folders); ok {
			_ = folders.MakeFolder(ctx, key)
		}
	}
}

// spelled writes the path of a place as a location again, for people.
func spelled(path string) string {
	if strings.HasPrefix(path, "//") {
		return "s3:" + path
	}
	return path
}
