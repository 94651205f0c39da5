package postgres

import (
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/projections"
)

// setPlace says who is to have a path; nil: nobody.
func (s *sheet) setPlace(path string, holder *uuid.UUID) {
	before := s.isNew(path)
	s.places.put(path, holder)
	by := 0
	switch after := s.isNew(path); {
	case after && !before:
		by = 1
	case before && !after:
		by = -1
	default:
		return
	}
	s.count(path, by)
	s.undo = append(s.undo, func() { s.count(path, -by) })
}

// isNew tells that somebody is to have a path who does not have it now.
func (s *sheet) isNew(path string) bool {
	c, known := s.places.cells[path]
	return known && c.is != nil && c.is != c.was
}

func (s *sheet) count(path string, by int) {
	for _, folder := range projections.PlacesAbove(path) {
		if s.under[folder] += by; s.under[folder] == 0 {
			delete(s.under, folder)
		}
	}
}

// PlaceHolder looks at the folders above, the shortest first, then at the first paths
// below.
func (s *sheet) PlaceHolder(path string, except uuid.UUID) (uuid.UUID, bool, error) {
	above := projections.PlacesAbove(path)
	for _, folder := range above {
		holder, err := ask(s, s.places, folder, needs{places: []string{path}})
		if err != nil {
			return uuid.Nil, false, err
		}
		if holder != nil && *holder != except {
			return *holder, true, nil
		}
	}
	stored, ok, err := s.firstStored(path, except)
	if err != nil {
		return uuid.Nil, false, err
	}
	if s.under[path] > 0 {
		for other, c := range s.places.changed() {
			if c.is != nil && *c.is != except && other != path && strings.HasPrefix(other, path) && (!ok || other < stored.path) {
				stored, ok = place{other, *c.is}, true
			}
		}
	}
	return stored.holder, ok, nil
}

// firstStored is the first place below a path that is stored and is to stay, and is not
// the one's who is excepted.
func (s *sheet) firstStored(path string, except uuid.UUID) (place, bool, error) {
	below, known := s.next[path]
	if !known {
		if err := s.fetch(needs{places: []string{path}}); err != nil {
			return place{}, false, err
		}
		below = s.next[path]
	}
	for limit := fewPlaces; ; {
		for _, p := range below {
			c, known := s.places.cells[p.path]
			if p.holder != except && !(known && c.is != c.was) {
				return p, true, nil
			}
		}
		if len(below) < limit {
			return place{}, false, nil
		}
		last := below[len(below)-1].path
		limit = min(limit*morePlaces, mostPlaces)
		var batch pgx.Batch
		queueBelow(&batch, s.id, []string{path}, []string{last}, limit, func(_ string, p []place) { below = p })
		if err := s.on.Send(s.ctx, &batch); err != nil {
			return place{}, false, err
		}
	}
}
