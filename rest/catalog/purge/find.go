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
// touches. The location is taken as it is written: what clients leave of it that
// end a path at "?" or "#" is another file.
func find(roots warehouse.Roots, location string) (t target, reason string) {
	parsed, err := warehouse.ParseLocation(location)
	if err != nil {
		return target{}, "it is no location that is accepted here: " + err.Error()
	}
	err = roots.Check(parsed)
	if err == nil && inReserved(parsed) {
		err = warehouse.ErrReserved
	}
	switch {
	case errors.Is(err, warehouse.ErrRoot):
		return target{}, "it is a root of the warehouse"
	case errors.Is(err, warehouse.ErrReserved):
		return target{}, "it is in " + warehouse.ReservedFolder
	case errors.Is(err, warehouse.ErrOutside):
		return target{}, "it is outside of the warehouse"
	case err != nil:
		return target{}, never(err)
	}
	root, key, err := roots.Find(parsed)
	if err != nil {
		return target{}, "it is outside of the warehouse"
	}
	return target{location: location, path: parsed.Path(), root: root, key: key}, ""
}

// inReserved tells whether a location is in a folder _puddle at any depth: the
// warehouse of another server may have been put below a table by mistake.
func inReserved(location warehouse.Location) bool {
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
