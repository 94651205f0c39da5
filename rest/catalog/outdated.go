package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
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
// the log; if it lies below the table's own places; and while the table's version is
// known and does not name it, so that it is current nowhere.
//
// Where each takes a request to the store the files go behind the answer, or, when too
// much does that already, after the next commit.
func (c *Catalog) removeOutdated(ctx context.Context, steps []step) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outdatedTime)
	defer cancel()
	_ = forEach(len(steps), func(i int) error {
		if s := steps[i]; s.trims() {
			old := append(c.spared.take(s.doc.UUID()), s.outdated()...)
			if old = c.spare(ctx, s, unlisted(s.doc, old)); len(old) > 0 {
				c.sweep(ctx, s, old)
			}
		}
		return ctx.Err()
	})
}

// sweep removes old files of a step's table, now or behind the answer.
func (c *Catalog) sweep(ctx context.Context, s step, old []string) {
	at, err := c.spotOf(s.doc.MetadataLocation())
	if err != nil || at.revalidate <= 0 {
		c.removeFiles(ctx, s, old)
		return
	}
	begun := c.sweeps.begin(swept{s.doc.UUID(), s.places}, outdatedTime, func(ctx context.Context) { c.removeFiles(ctx, s, old) })
	if !begun {
		c.spared.add(s.doc.UUID(), old)
	}
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
	old = unlisted(s.doc, old)
	return old[:min(len(old), maxOutdated)]
}

// unlisted are the files, each once, that a version is not and does not name in its
// log.
func unlisted(doc *metadata.Document, files []string) []string {
	kept := map[string]bool{doc.MetadataLocation(): true}
	for _, entry := range doc.MetadataLog() {
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
// meanwhile in this process, nor bring the table back to one of them; another replica may,
// so its version is asked for before each. Where that is not known, or time is over, those
// that are left are for the next commit. Options.Left is told of one that cannot be removed.
func (c *Catalog) removeFiles(ctx context.Context, s step, old []string) {
	release, err := c.Clear(ctx, s.places)
	if err != nil {
		return
	}
	defer release()
	for i, at := range old {
		now := c.versionNow(ctx, s)
		if now == nil {
			c.spared.add(s.doc.UUID(), old[i:])
			return
		}
		if len(unlisted(now, old[i:i+1])) == 0 {
			continue
		}
		made, err := c.Reader.Created(ctx, s.doc.UUID(), at)
		if err == nil && made && liesBelow(s.places, at) {
			err = c.remove(ctx, at)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			c.spared.add(s.doc.UUID(), old[i:])
			return
		case c.Left != nil:
			c.Left(ctx, at, err)
		}
	}
}

// versionNow is the version that a step's table has now: that of the step, or a later one
// that is in memory and has the same places; else nil.
func (c *Catalog) versionNow(ctx context.Context, s step) *metadata.Document {
	object, err := c.Reader.Object(ctx, s.identifier)
	if err != nil || object.UUID != s.doc.UUID() {
		return nil
	}
	if object.Pointer.MetadataLocation == s.doc.MetadataLocation() {
		return s.doc
	}
	d, known := c.documents.find(object.Pointer.SHA256)
	if !known {
		return nil
	}
	now, err := d.parse(object)
	if err != nil || !samePlaces(s.doc, now) {
		return nil
	}
	return now
}

// liesBelow tells whether a location is below one of the places.
func liesBelow(places []journal.Place, location string) bool {
	l, err := warehouse.ParseLocation(location)
	return err == nil && slices.ContainsFunc(places, func(p journal.Place) bool { return strings.HasPrefix(l.Path(), p.Path) })
}
