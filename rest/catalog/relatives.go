package catalog

import (
	"context"

	"puddle/projections"
)

// Relative is a metadata file of a table that its current version does not come
// from: neither that version's own nor in its metadata log.
type Relative struct {
	Location string
	Log      []string // the files that it says it was made from, as Path spells them
}

// Relatives reads the metadata files that lie in a table's folders and are of its
// uuid, but for those of paths, as Path spells them, that are known to the caller.
// What is named like one and is none is told beside them. It needs Roots alone, locks
// nothing and changes nothing. Unsupported when there are over 10,000.
func (c *Catalog) Relatives(ctx context.Context, object projections.Object, known map[string]bool) ([]Relative, []NotUsed, error) {
	found, notUsed, err := c.relatives(ctx, object, known)
	if err != nil {
		return nil, nil, err
	}
	all := make([]Relative, 0, len(found))
	for _, r := range found {
		all = append(all, Relative{r.at, r.log})
	}
	return all, notUsed, nil
}

// Path is what two spellings of one location have in common; what is no location is
// as it is.
func Path(location string) string { return path(location) }
