package sqlite

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// SetPlaces changes the rows that differ, and what the object holds.
func (t *tables) SetPlaces(object uuid.UUID, places []journal.Place) error {
	row, err := t.find(object)
	if err != nil || row == nil {
		return err
	}
	if err := t.swapPlaces(object, row.Places, places); err != nil {
		return err
	}
	row.Places = places
	return t.exec(`UPDATE objects SET held = ? WHERE id = ?`, pointers.PackObject(row.HeldObject, nil), row.id)
}

// swapPlaces takes the old places that are not among the new, and gives those that
// are not among the old.
func (t *tables) swapPlaces(object uuid.UUID, old, places []journal.Place) error {
	for _, p := range old {
		if hasPath(places, p.Path) {
			continue
		}
		if err := t.exec(`DELETE FROM places WHERE warehouse = ? AND path = ?`, t.id[:], p.Path); err != nil {
			return err
		}
	}
	for _, p := range places {
		if hasPath(old, p.Path) {
			continue
		}
		if err := t.exec(`INSERT INTO places (warehouse, path, uuid) VALUES (?, ?, ?)`, t.id[:], p.Path, object[:]); err != nil {
			return err
		}
	}
	return nil
}

func hasPath(places []journal.Place, path string) bool {
	return slices.ContainsFunc(places, func(p journal.Place) bool { return p.Path == path })
}

// PlaceHolder asks for all folders above, shortest first, then for the first
// path below.
// What lies below a path that ends in a slash comes before the path that ends in
// the byte after a slash.
func (t *tables) PlaceHolder(path string, except uuid.UUID) (holder uuid.UUID, ok bool, err error) {
	above, err := json.Marshal(projections.PlacesAbove(path))
	if err != nil {
		return uuid.Nil, false, err
	}
	ok, err = t.row(`SELECT uuid FROM json_each(?2) AS above CROSS JOIN places ON places.path = above.value WHERE warehouse = ?1 AND uuid <> ?5
		UNION ALL SELECT * FROM (SELECT uuid FROM places WHERE warehouse = ?1 AND path > ?3 AND path < ?4 AND uuid <> ?5 ORDER BY path LIMIT 1)
		LIMIT 1`, t.id[:], string(above), path, path[:len(path)-1]+"0", except[:]).find(fixed(holder[:]))
	return holder, ok, err
}

// owner is who has exactly this place.
func (t *tables) owner(path string) (owner uuid.UUID, ok bool, err error) {
	ok, err = t.row(`SELECT uuid FROM places WHERE warehouse = ? AND path = ?`, t.id[:], path).find(fixed(owner[:]))
	return owner, ok, err
}
