package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// locationProperty is the namespace property below which tables are created
// that ask for no location of their own.
const locationProperty = "location"

// placeProperties are the properties that name a location which a table or view
// owns: where Iceberg's LocationProviders put data files, with object-storage
// layout or without, and where metadata files go. The two of older releases still
// steer writers (case 133).
var placeProperties = []string{
	"write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path",
}

// owned are the locations that a version of a table or view names for its files,
// by what they are for: its own, and those of its properties. Where it lets object
// storage spread data files, they lie below one of them all the same (case 133).
func owned(doc version) iter.Seq2[string, string] {
	return func(yield func(role, location string) bool) {
		if !yield(locationProperty, doc.Location()) {
			return
		}
		for _, property := range placeProperties {
			if location, ok := doc.Property(property); ok && !yield(property, location) {
				return
			}
		}
	}
}

// folderCheck tells why no folder can be at a location.
type folderCheck func(context.Context, warehouse.Location) error

// placesOf are the places of every location that a version of a table or view
// owns. Each is a folder among roots that may be had, as far as a check tells.
// Invalid, Unavailable.
func (c *Catalog) placesOf(ctx context.Context, roots warehouse.Roots, doc version, check folderCheck) ([]journal.Place, error) {
	var places []journal.Place
	for role, location := range owned(doc) {
		more, err := c.placed(ctx, roots, role, location, check)
		if err != nil {
			return nil, err
		}
		for _, place := range more {
			if !slices.ContainsFunc(places, func(p journal.Place) bool { return p.Path == place.Path }) {
				places = append(places, place)
			}
		}
	}
	return places, nil
}

// placed are the places of one location: the folder that it is, and another where
// some clients take it for another (ADR 8). Invalid, naming what it is for, where
// no folder can be: it is no storage URL, outside of the roots, a root, reserved, or a
// file or a link is in the way.
func (c *Catalog) placed(ctx context.Context, roots warehouse.Roots, role, location string, check folderCheck) ([]journal.Place, error) {
	readings, err := readings(roots, role, location)
	if err != nil {
		return nil, err
	}
	places := make([]journal.Place, len(readings))
	for i, l := range readings {
		if i > 0 {
			check = c.checkFolder // clients that take it for this may have written a file there
		}
		err := check(ctx, l)
		switch {
		case unfit(err):
			return nil, barred(role, location, misread(l, readings[0], err))
		case err != nil:
			return nil, because(Unavailable, err, "The change was not made: the folder of %s %q cannot be looked at", role, location)
		}
		places[i] = journal.Place{Path: l.Path(), Role: role}
	}
	return places, nil
}

// readings are what clients take a location for, first what it is: some end a path
// at "?" or "#". All of them must lie where clients may name anything among roots.
// Invalid.
func readings(roots warehouse.Roots, role, location string) ([]warehouse.Location, error) {
	l, err := warehouse.ParseLocation(location)
	if err != nil {
		return nil, barred(role, location, err)
	}
	readings := []warehouse.Location{l}
	if cut, differs := l.Cut(); differs {
		readings = append(readings, cut)
	}
	for _, one := range readings {
		if err := roots.Check(one); err != nil {
			return nil, barred(role, location, misread(one, l, outsideOf(roots, err)))
		}
	}
	return readings, nil
}

// misread says of what is wrong with another reading of l than l itself whose it is.
func misread(one, l warehouse.Location, err error) error {
	if one == l {
		return err
	}
	return fmt.Errorf(`clients that end a path at "?" or "#" take it for %q: %w`, one, err)
}

// checkFolder is lookFolder for a place that was nobody's before: it is in no catalog's
// own folder, at any depth, since warehouses of others may lie below (case 141).
func (c *Catalog) checkFolder(ctx context.Context, l warehouse.Location) error {
	root, key, err := c.sourceOf(l)
	if err != nil {
		return err
	}
	if warehouse.HoldsReserved(key) {
		return fmt.Errorf("%w, at any depth: %q", warehouse.ErrReserved, l)
	}
	return lookFolder(ctx, root, key)
}

// wasThere is lookFolder for a place that was recorded before.
func (c *Catalog) wasThere(ctx context.Context, l warehouse.Location) error {
	root, key, err := c.sourceOf(l)
	if err != nil {
		return err
	}
	return lookFolder(ctx, root, key)
}

// lookFolder looks at the storage for what is no folder on the way to a key. In an external
// warehouse, where nothing is written, anything may be.
func lookFolder(ctx context.Context, root warehouse.Root, key string) error {
	if folders, ok := root.Store.(warehouse.Folders); ok {
		return folders.CheckFolder(ctx, key)
	}
	return nil
}

// unfit tells that no folder can ever be there.
func unfit(err error) bool {
	return errors.Is(err, warehouse.ErrLink) || errors.Is(err, warehouse.ErrExists) || errors.Is(err, warehouse.ErrInvalidKey) ||
		errors.Is(err, warehouse.ErrReserved)
}

// barred refuses a location, naming what it is for and the rule.
func barred(role, location string, err error) *Error {
	return because(Invalid, err, "%s %q is refused: %v", role, location, err)
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
