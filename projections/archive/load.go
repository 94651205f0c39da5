package archive

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// segment reads the segment that begins with an event, or has it still.
func (a *Archive) segment(ctx context.Context, incarnation uuid.UUID, first journal.Seq) (*segment, error) {
	name := key(incarnation, first, eventsPart)
	if s, ok := a.cache.get(name); ok {
		return s.(*segment), nil
	}
	s, err := a.read(ctx, incarnation, first, journal.Link)
	if err != nil {
		return nil, err
	}
	a.cache.put(name, s, int(s.Bytes)+len(s.prevs)*len(journal.Digest{}))
	return s, nil
}

// read reads the segment that begins with an event; see openEvents.
func (a *Archive) read(ctx context.Context, incarnation uuid.UUID, first journal.Seq, link func(journal.Digest, []byte) journal.Digest) (*segment, error) {
	name := key(incarnation, first, eventsPart)
	data, err := a.get(ctx, name, incarnation, first)
	if err != nil {
		return nil, err
	}
	s, err := openEvents(name, data, link)
	if err != nil {
		return nil, err
	}
	if a.id != uuid.Nil && s.Warehouse != a.id {
		return nil, fmt.Errorf("%w: %w", errForeign, s.damage(0, "it is of warehouse %s, others are of %s", s.Warehouse, a.id))
	}
	return s, nil
}

// get reads an object that must be there. What no archive wrote there is damage.
func (a *Archive) get(ctx context.Context, name string, incarnation uuid.UUID, first journal.Seq) ([]byte, error) {
	data, err := a.store.Get(ctx, name, maxObject)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return nil, damaged(name, a.id, incarnation, first, "it is missing")
	case errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrTooLarge):
		return nil, damaged(name, a.id, incarnation, first, "%w", err)
	}
	return data, err
}

// documents reads the documents of a segment; none where it names none.
func (a *Archive) documents(ctx context.Context, s *segment) (documents, error) {
	if s.Documents == nil {
		return nil, nil
	}
	name := key(s.Incarnation, s.First.Seq, documentsPart)
	if d, ok := a.cache.get(name); ok {
		return d.(documents), nil
	}
	data, err := a.get(ctx, name, s.Incarnation, s.First.Seq)
	if err != nil {
		return nil, err
	}
	h, all, err := openDocuments(name, data)
	if err != nil {
		return nil, err
	}
	if h.SHA256 != s.Documents.SHA256 || h.Last != s.Last || h.Warehouse != s.Warehouse {
		return nil, damaged(name, s.Warehouse, s.Incarnation, s.First.Seq, "it is not the one that the events name")
	}
	a.cache.put(name, all, int(h.Bytes))
	return all, nil
}
