package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
)

// External names the external warehouse that a location lies in: what is there is only
// read. Empty: it lies in none.
func (c *Catalog) External(location string) string {
	if root, _, err := c.Externals.Resolve(location); err == nil {
		return root.External
	}
	return ""
}

// source finds where a location is read: in the warehouse, or in an external one.
func (c *Catalog) source(location string) (warehouse.Root, string, error) {
	l, err := warehouse.ParseLocation(location)
	if err != nil {
		return warehouse.Root{}, "", err
	}
	return c.sourceOf(l)
}

func (c *Catalog) sourceOf(l warehouse.Location) (warehouse.Root, string, error) {
	root, key, err := c.Roots.Find(l)
	if err != nil {
		if external, below, failed := c.Externals.Find(l); failed == nil {
			return external, below, nil
		}
	}
	return root, key, err
}

// realm are the roots among which all of an object lies whose metadata file is at a
// location: those of the warehouse, or one external warehouse.
func (c *Catalog) realm(at string) warehouse.Roots {
	if root, _, err := c.Externals.Resolve(at); err == nil {
		return warehouse.Roots{root}
	}
	return c.Roots
}

// outsideOf says what a location is outside of, for an object that lies among roots.
func outsideOf(roots warehouse.Roots, err error) error {
	if errors.Is(err, warehouse.ErrOutside) && len(roots) == 1 && roots[0].External != "" {
		return fmt.Errorf("the metadata file is in the external warehouse %s, and this is not: %w", roots[0].External, err)
	}
	return err
}

// askExternal tells whether a location is in no place of the warehouse, where external ones
// are to be asked.
func (c *Catalog) askExternal(location string) bool {
	_, _, err := c.Roots.Resolve(location)
	return len(c.Externals) > 0 && errors.Is(err, warehouse.ErrOutside)
}

// getExternal reads a metadata file that is to be registered where it lies, in an
// external warehouse. One answer is that nothing can be had there, for whatever reason,
// so that nobody learns what lies where he may not look. Invalid, Unavailable.
func (c *Catalog) getExternal(ctx context.Context, at string, limit int64) ([]byte, error) {
	if !metadata.IsFileName(at) {
		return nil, misnamed(at)
	}
	if _, err := readings(c.realm(at), "metadata-location", at); err != nil {
		return nil, unfound(at, err)
	}
	data, err := c.get(ctx, at, limit)
	if withheld(err) {
		return nil, unfound(at, err)
	}
	return data, err
}

// withheld tells that a place has no file, or has one that it does not give away.
func withheld(err error) bool {
	for _, reason := range []error{
		warehouse.ErrNotFound, warehouse.ErrDenied, warehouse.ErrNoBucket, warehouse.ErrLink, warehouse.ErrInvalidKey, fs.ErrPermission,
	} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// unfound is that answer. What lies behind it is for the log.
func unfound(at string, err error) *Error {
	return because(Invalid, err, "metadata-location %q is refused: it is outside of the warehouse, and no external warehouse has a file there that can be read", at)
}

// unwritable refuses a commit to what lies in an external warehouse and stays there:
// ReadOnly. One that moves all of it into the warehouse is like any other.
func (c *Catalog) unwritable(before, next version) error {
	if len(c.Externals) == 0 || c.External(next.Location()) == "" {
		return nil
	}
	name := c.External(before.Location())
	if name == "" {
		return nil // places outside of the warehouse are refused as such
	}
	return refuse(ReadOnly, "The change was not made: %s lies in the external warehouse %s, which is only read. "+
		"Change it where it is written and register its new metadata file with overwrite, or copy it into this warehouse", next.Location(), name)
}
