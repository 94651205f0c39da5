package recover

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"puddle/internal/warehouse"
	"puddle/rest/metadata"
)

// ErrNoTrace: nothing is left of a catalog.
var ErrNoTrace = errors.New("there is no trace of a catalog")

// NoTrace refuses to recover a warehouse that nothing is left of, and says why.
func NoTrace(name, location, why string) *Refusal {
	return &Refusal{Warehouse: name, Err: ErrNoTrace, Reason: fmt.Sprintf(
		"%v at %s: %s; is the location right, and is it mounted? A new warehouse is born at the first start", ErrNoTrace, location, why)}
}

// Traced tells whether there is anything in the roots of a warehouse that may be of a
// catalog: something in puddle's own folder, or a metadata file. It reads none of it, and
// lists no more than it needs. The errors are the store's.
func Traced(ctx context.Context, roots warehouse.Roots) (bool, error) {
	for _, root := range roots {
		for entry, err := range root.Store.List(ctx, "") {
			if err != nil {
				return false, fmt.Errorf("%s: %w", root.URL, err)
			}
			first, _, _ := strings.Cut(entry.Key, "/")
			if ofProbe(entry.Key) {
				continue
			}
			if strings.EqualFold(first, warehouse.ReservedFolder) || metadata.IsFileName(entry.Key) {
				return true, nil
			}
		}
	}
	return false, nil
}
