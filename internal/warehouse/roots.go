package warehouse

import (
	"errors"
	"fmt"
	"time"
)

// What [Roots] refuse.
var (
	// ErrOutside: the location is under no root of the warehouse.
	ErrOutside = errors.New("warehouse: location is outside of the warehouse")

	// ErrRoot: the location is a root of the warehouse, or a root lies below it.
	ErrRoot = errors.New("warehouse: location is the root of the warehouse, or holds one of its roots")

	// ErrReserved: the location lies in the ReservedFolder of a root (case 141).
	ErrReserved = errors.New("warehouse: " + ReservedFolder + " is reserved")
)

// Root is a place in storage that a warehouse may use, and the store below it.
type Root struct {
	URL      string // as configured
	Location Location
	Store    Store

	// External is the name of the external warehouse that the place is: it is only read,
	// and its Store is [ReadOnly]. Empty: it is a warehouse's own.
	External string

	// Revalidate is for how long a file that was found as it was is believed to be there
	// still, without asking. Zero: each use asks, which suits stores that answer in
	// microseconds.
	Revalidate time.Duration
}

// Roots are the places of one warehouse: its own root first, then its allowed
// locations.
type Roots []Root

// Resolve finds the root that a location is under, the longest if there are
// several, and the key below it: "" when the location is the root itself.
// It fails with ErrInvalidLocation or ErrOutside. It does not judge whether
// an object may be there: see [Roots.Check].
func (r Roots) Resolve(location string) (Root, string, error) {
	parsed, err := ParseLocation(location)
	if err != nil {
		return Root{}, "", err
	}
	return r.Find(parsed)
}

// Find is Resolve for a location that was parsed: ErrOutside.
func (r Roots) Find(l Location) (Root, string, error) {
	var best Root
	for _, root := range r {
		if l.Within(root.Location) && len(root.Location.path) > len(best.Location.path) {
			best = root
		}
	}
	key, within := l.Key(best.Location)
	if !within {
		return Root{}, "", fmt.Errorf("%w: %q", ErrOutside, l)
	}
	return best, key, nil
}

// Check reports why nothing that clients name may be at l: it is outside of the
// warehouse (ErrOutside), a root or above one (ErrRoot), in the reserved folder of
// a root (ErrReserved), or no store has such a key (ErrInvalidKey). Below an external
// root that folder is reserved at any depth: warehouses of others lie there. So it is below
// any root for a new place, which is for who gives places to judge ([HoldsReserved]): what
// was recorded before stands. It looks at no storage.
func (r Roots) Check(l Location) error {
	for _, root := range r {
		switch {
		case root.Location.Within(l):
			return fmt.Errorf("%w: %q", ErrRoot, l)
		case l.Reserved(root.Location), root.External != "" && l.holdsReserved(root.Location):
			return fmt.Errorf("%w: %q", ErrReserved, l)
		}
	}
	_, key, err := r.Find(l)
	if err != nil {
		return err
	}
	return CheckKey(key)
}
