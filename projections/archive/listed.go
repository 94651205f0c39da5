package archive

import (
	"context"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// listed is a segment as the list of a store tells of it.
type listed struct {
	first     journal.Seq
	events    int64 // bytes of the object
	documents int64 // bytes of the object; 0: there is none
}

// listSegments are the segments of all incarnations below a folder, ascending. Documents without
// events are what an attempt to seal has left.
func listSegments(ctx context.Context, store warehouse.Reader, folder string) (map[uuid.UUID][]listed, error) {
	all := map[uuid.UUID][]listed{}
	var before warehouse.Entry // the documents of a segment are listed before its events
	for entry, err := range entries(ctx, store, folder) {
		if err != nil {
			return nil, err
		}
		if incarnation, first, p, ok := parseKey(entry.Key); ok && p == eventsPart {
			s := listed{first: first, events: entry.Size}
			if before.Key == key(incarnation, first, documentsPart) {
				s.documents = before.Size
			}
			all[incarnation] = append(all[incarnation], s)
		}
		before = entry
	}
	return all, nil
}

func entries(ctx context.Context, store warehouse.Reader, folder string) iter.Seq2[warehouse.Entry, error] {
	return func(yield func(warehouse.Entry, error) bool) {
		for entry, err := range store.List(ctx, folder) {
			if err != nil {
				yield(entry, fmt.Errorf("archive: %w", err))
				return
			}
			if !yield(entry, nil) {
				return
			}
		}
	}
}
