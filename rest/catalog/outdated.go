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
		if s := steps[i]; s.trims() {
			old := append(c.spared.take(s.doc.UUID()), s.outdated()...)
			if old = c.spare(ctx, s, s.unlisted(old)); len(old) > 0 {
				c.removeFiles(ctx, s, old)
			}
		}
		return ctx.Err()
	})
}

// trims tells whether a step is a commit to a table that wants files removed which
// fall out of its log.
func (s step) trims() bool {
	wants, _ := s.doc.Property(deleteAfterCommit)
	return s.base != nil && !s.idle() && strings.EqualFold(wants, "true")
}

// outdated are the files that the log of the version before names and that of the
// next does not, oldest first.
func (s step) outdated() []string {
	var old []string
	for _, entry := range s.base.MetadataLog() {
		old = append(old, entry.Location)
	}
	old = s.unlisted(old)
	return old[:min(len(old), maxOutdated)]
}

// unlisted are the files, each once, that the next version is not and does not
// name in its log.
func (s step) unlisted(files []string) []string {
	kept := map[string]bool{s.doc.MetadataLocation(): true}
	for _, entry := range s.doc.MetadataLog() {
		kept[entry.Location] = true
	}
	var old []string
	for _, at := range files {
		if !kept[at] {
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
			_ = c.remove(ctx, at)
		}
	}
}

// liesBelow tells whether a location is below one of the places.
func liesBelow(places []journal.Place, location string) bool {
	l, err := warehouse.ParseLocation(location)
	return err == nil && slices.ContainsFunc(places, func(p journal.Place) bool { return strings.HasPrefix(l.Path(), p.Path) })
}
