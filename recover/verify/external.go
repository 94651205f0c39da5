package verify

import (
	"slices"

	"puddle/internal/warehouse"
	"puddle/projections"
)

// reads are the places where files of objects are read.
func (r *run) reads() warehouse.Roots { return slices.Concat(r.Roots, r.Externals) }

// external names the external warehouse that the metadata file of an object is in, where
// others write and nobody repairs; empty: it is in none.
func (r *run) external(o projections.Object) string {
	if root, _, err := r.Externals.Resolve(o.Pointer.MetadataLocation); err == nil {
		return root.External
	}
	return ""
}
