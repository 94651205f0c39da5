package purge

import (
	"puddle/journal"
	"puddle/projections"
)

// external names the external warehouse that a dropped table is in; empty: it is in none.
// What lies there is somebody else's.
func (j *Job) external(p projections.Purge) string {
	for _, place := range append([]journal.Place{{Path: p.Pointer.MetadataLocation}}, p.Places...) {
		if root, _, err := j.Externals.Resolve(spelled(place.Path)); err == nil {
			return root.External
		}
	}
	return ""
}
