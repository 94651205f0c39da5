package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// deleteAfterCommit is the property by which tables ask that metadata files go
// which fall out of the metadata log.
const deleteAfterCommit = "write.metadata.delete-after-commit.enabled"

// Bounds of what one command removes of each table, and of the time that it takes
// for all. More files stay, which harms nobody.
const (
	maxOutdated  = 100
	outdatedTime = 10 * time.Second
)

// removeOutdated removes the metadata files that the commits of steps let fall out
// of the metadata logs, where the tables ask for it. The commits are recorded: a
// crash here leaves files that nobody needs. Best effort.
//
// Logs can hold anything, as registered files bring them along. So a file goes
// only if a create or commit of this table made it here, by the journal and not by
// the log; if it lies below the table's own places; and while the table is where
// the step brought it, so that it is current nowhere.
func (c *Catalog) removeOutdated(ctx context.Context, steps []step) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outdatedTime)
	defer cancel()
	_ = forEach(len(steps), func(i int) error {
		if old := steps[i].outdated(); len(old) > 0 {
			c.removeFiles(ctx, steps[i], old)
		}
		return ctx.Err()
	})
}

// outdated are the files that the log of the version before names and that of the
// next does not, if the next wants them removed.
func (s step) outdated() []string {
	if wants, _ := s.doc.Property(deleteAfterCommit); s.base == nil || s.idle() || !strings.EqualFold(wants, "true") {
		return nil
	}
	kept := map[string]bool{}
	for _, entry := range s.doc.MetadataLog() {
		kept[entry.Location] = true
	}
	var old []string
	for _, entry := range s.base.MetadataLog() {
		if at := entry.Location; !kept[at] && len(old) < maxOutdated {
			kept[at] = true
			old = append(old, at)
		}
	}
	return old
}

// removeFiles removes old files of a step's table. Nobody can get a place there
// meanwhile, nor bring the table back to one of them.
func (c *Catalog) removeFiles(ctx context.Context, s step, old []string) {
	release, err := c.Clear(ctx, s.places)
	if err != nil {
		return
	}
	defer release()
	object, err := c.Reader.Object(ctx, s.identifier)
	if err != nil || object.UUID != s.doc.UUID() || object.Pointer.MetadataLocation != s.doc.MetadataLocation() {
		return
	}
	for _, at := range old {
		made, err := c.Reader.Created(ctx, object.UUID, at)
		if err == nil && made && liesBelow(s.places, at) {
			c.remove(ctx, at)
		}
	}
}

// liesBelow tells whether a location is below one of the places.
func liesBelow(places []journal.Place, location string) bool {
	l, err := warehouse.ParseLocation(location)
	return err == nil && slices.ContainsFunc(places, func(p journal.Place) bool { return strings.HasPrefix(l.Path(), p.Path) })
}
