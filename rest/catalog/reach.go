package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Reach is where the files of a table lie in object stores: its own places and nobody
// else's.
type Reach struct {
	UUID     uuid.UUID
	Grounds  []Ground // none of them within another; none for a table in folders
	External string   // the external warehouse that they are in, if any
	ReadOnly bool     // nothing may be written there
}

// Ground is a folder in a bucket.
type Ground struct {
	URL    string // as the table spells it, with a slash at the end
	Bucket string
	Prefix string // of the keys in it, with a slash at the end
}

// LoadTableReach is LoadTable, with where the files of that version lie. Unsupported
// when a location of it is not recorded as the table's; FileMissing, NoSuchTable.
func (c *Catalog) LoadTableReach(ctx context.Context, id journal.Identifier) (Table, Reach, error) {
	var reach Reach
	table, err := readCurrent(ctx, c, journal.Table, id, func(ctx context.Context, object projections.Object) (Table, error) {
		d, err := c.version(ctx, object)
		if err != nil {
			return Table{}, err
		}
		shown, err := d.show(object)
		if err == nil {
			reach, err = c.reachOf(ctx, d, shown, object)
		}
		if err != nil {
			return Table{}, err
		}
		return shown.table, nil
	})
	return table, reach, err
}

// reachOf is the reach of a version as it is shown. What was found out while it was current
// is so whenever it is: it has the same places then, and nobody else any of them.
func (c *Catalog) reachOf(ctx context.Context, d *document, shown *shownTable, object projections.Object) (Reach, error) {
	if known := shown.reach.Load(); known != nil && !c.past {
		return *known, nil
	}
	doc, err := d.parse(object)
	if err != nil {
		return Reach{}, err
	}
	reach, err := c.recordedReach(ctx, doc)
	if err == nil && !c.past {
		shown.reach.Store(&reach)
	}
	return reach, err
}

// ReachOf is where the files of a version lie that was just made, or is read again.
// Unsupported when a location of it is not recorded as the table's, any more.
func (c *Catalog) ReachOf(ctx context.Context, t Table) (Reach, error) {
	doc, err := decoded(metadata.Parse(t.Metadata, t.MetadataLocation))
	if err != nil {
		return Reach{}, err
	}
	return c.recordedReach(ctx, doc)
}

// recordedReach is the reach of a version that was recorded.
func (c *Catalog) recordedReach(ctx context.Context, doc *metadata.Document) (Reach, error) {
	reach, err := c.reach(doc)
	if err != nil {
		return Reach{}, err
	}
	for _, ground := range reach.Grounds {
		if err := c.ownedBy(ctx, ground, reach.UUID); err != nil {
			return Reach{}, err
		}
	}
	return reach, nil
}

// reach is where a version says that its files lie. Unsupported where nothing of a
// client's may be: outside of the warehouse, at a root or above one, in the folder
// that is reserved.
func (c *Catalog) reach(doc *metadata.Document) (Reach, error) {
	r := Reach{UUID: doc.UUID(), External: c.External(doc.Location())}
	r.ReadOnly = c.past || r.External != ""
	roots := c.realm(doc.Location())
	var at []warehouse.Location
	urls := map[warehouse.Location]string{}
	for role, location := range owned(doc) {
		readings, err := readings(roots, role, location)
		if err != nil {
			return Reach{}, because(Unsupported, err, "Nothing can be told to be the table's alone: %v", err)
		}
		if l := readings[0]; l.Family() == warehouse.FamilyS3 && urls[l] == "" {
			at, urls[l] = append(at, l), trimSlash(location)+"/"
		}
	}
	for _, l := range at {
		within := func(o warehouse.Location) bool { return o != l && l.Within(o) }
		if slices.ContainsFunc(at, within) {
			continue
		}
		bucket, prefix := l.Bucket()
		r.Grounds = append(r.Grounds, Ground{urls[l], bucket, prefix})
	}
	return r, nil
}

// ownedBy refuses a ground that is not the table's: recorded for it, and overlapping no
// place that is recorded for another, also not by now when this is the past, or is booked
// since. What is recorded now counts more than what is booked, here or in a replica.
func (c *Catalog) ownedBy(ctx context.Context, g Ground, table uuid.UUID) error {
	path := "//" + g.Bucket + "/" + g.Prefix
	holder, taken, err := c.Reader.PlaceHolder(ctx, path, uuid.Nil)
	if err != nil {
		return reading(err)
	}
	if !taken || holder != table {
		return refuse(Unsupported, "The location %s is not recorded as that of the table", strings.TrimSuffix(g.URL, "/"))
	}
	if err := alone(ctx, c.Reader, g, path, table); err != nil || !c.past {
		return err
	}
	if err := alone(ctx, c.present, g, path, table); err != nil {
		return err
	}
	if holder, _, err = c.present.PlaceHolder(ctx, path, uuid.Nil); err != nil {
		return reading(err)
	}
	_, is, err := c.bookedAt(ctx, path, booker{tables: []uuid.UUID{table}})
	if err == nil && is && holder != table {
		return refuse(Unsupported, "The location %s is booked for another table", strings.TrimSuffix(g.URL, "/"))
	}
	return err
}

// alone refuses a ground at a path that overlaps what is recorded for another.
func alone(ctx context.Context, reader projections.Reader, g Ground, path string, table uuid.UUID) error {
	other, taken, err := reader.PlaceHolder(ctx, path, table)
	if err != nil {
		return reading(err)
	}
	if taken {
		return refuse(Unsupported, "The location %s is another table's or view's (%s)", strings.TrimSuffix(g.URL, "/"), other)
	}
	return nil
}
