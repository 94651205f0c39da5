package purge

import (
	"errors"
	"strings"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// target is a file in a store.
type target struct {
	location string // as it was named
	path     string // warehouse.Location.Path
	root     warehouse.Root
	key      string
}

// find says where a location is in the warehouse, or why it is none that puddle
// touches.
func find(roots warehouse.Roots, location string) (t target, reason string) {
	parsed, err := warehouse.ParseLocation(location)
	if err != nil {
		return target{}, "it is no location that is accepted here: " + err.Error()
	}
	root, key, err := roots.Resolve(location)
	switch {
	case err != nil:
		return target{}, "it is outside of the warehouse"
	case key == "":
		return target{}, "it is the root of the warehouse"
	case reserved(roots, parsed):
		return target{}, "it is in " + warehouse.ReservedFolder
	}
	return target{location: location, path: parsed.Path(), root: root, key: key}, ""
}

// reserved tells whether a location is in a folder _puddle, of whatever warehouse:
// one may have been put below a table by mistake.
func reserved(roots warehouse.Roots, location warehouse.Location) bool {
	for _, root := range roots {
		if location.Reserved(root.Location) {
			return true
		}
	}
	for segment := range strings.SplitSeq(location.Path(), "/") {
		if strings.EqualFold(segment, warehouse.ReservedFolder) {
			return true
		}
	}
	return false
}

// owned finds a file that is one of a table with these places, or says why it is
// not.
func owned(roots warehouse.Roots, places []journal.Place, location string) (target, string) {
	t, reason := find(roots, location)
	if reason == "" && !below(places, t.path) {
		reason = "it is not below a place of the table"
	}
	return t, reason
}

// below tells whether a path is below one of these places, and not a place itself.
func below(places []journal.Place, path string) bool {
	for _, place := range places {
		if strings.HasPrefix(path, place.Path) && path != place.Path {
			return true
		}
	}
	return false
}

// never tells why a store will never do what it was asked for; "" when it may
// later.
func never(err error) string {
	switch {
	case errors.Is(err, warehouse.ErrLink):
		return "a symbolic link is on the way to it"
	case errors.Is(err, warehouse.ErrInvalidKey):
		return "its name is none that the store takes"
	case errors.Is(err, warehouse.ErrExists):
		return "it is no file"
	case errors.Is(err, warehouse.ErrTooLarge):
		return "it is too large to be read"
	}
	return ""
}
