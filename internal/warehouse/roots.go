package warehouse

import (
	"errors"
	"fmt"
)

// ErrOutside: the location is under no root of the warehouse.
var ErrOutside = errors.New("warehouse: location is outside of the warehouse")

// Root is a place in storage that a warehouse may use, and the store below it.
type Root struct {
	URL      string // as configured
	Location Location
	Store    Store
}

// Roots are the places of one warehouse: its own root first, then its allowed
// locations.
type Roots []Root

// Resolve finds the root that a location is under, the longest if there are
// several, and the key below it: "" when the location is the root itself.
// It fails with ErrInvalidLocation or ErrOutside. It does not judge whether
// the location is reserved.
func (r Roots) Resolve(location string) (Root, string, error) {
	parsed, err := ParseLocation(location)
	if err != nil {
		return Root{}, "", err
	}
	var best Root
	for _, root := range r {
		if parsed.Within(root.Location) && len(root.Location.path) > len(best.Location.path) {
			best = root
		}
	}
	key, within := parsed.Key(best.Location)
	if !within {
		return Root{}, "", fmt.Errorf("%w: %q", ErrOutside, location)
	}
	return best, key, nil
}
