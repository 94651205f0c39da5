package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// belongs refuses a metadata file that is not an object's: Invalid for another's,
// for one that lies elsewhere than it says, and by the rules of places; Unsafe for
// a location that the object never had here, unless forced: a copy of the table
// says that. It answers the places that the file's version owns.
func (c *Catalog) belongs(ctx context.Context, object projections.Object, doc version, force bool) ([]journal.Place, error) {
	at := doc.MetadataLocation()
	if doc.UUID() != object.UUID {
		return nil, refuse(Invalid, "The metadata file %s is of %s, not of %s (%s)", at, doc.UUID(), object.Identifier.Quoted(), object.UUID)
	}
	admit := c.admitFound
	if samePlace(doc.Location(), object.Location) {
		admit = c.admitBack
	}
	places, err := admit(ctx, doc)
	if err != nil {
		return nil, err
	}
	if err := c.checkHome(at, doc); err != nil || force || samePlace(doc.Location(), object.Location) {
		return places, err
	}
	steps, err := c.Reader.Steps(ctx, object.UUID)
	if err != nil {
		return nil, reading(err)
	}
	for _, s := range steps {
		if s.Move.To != nil && samePlace(doc.Location(), s.Move.To.Location) {
			return places, nil
		}
	}
	return nil, refuse(Unsafe, "The metadata file %s says the location %s, which %s never had: it has %s (force takes it all the same)",
		at, doc.Location(), object.Identifier.Quoted(), object.Location)
}

// weigh tells what moving an object to a version of it loses, and refuses what was
// not allowed: Unsafe.
func (c *Catalog) weigh(ctx context.Context, object projections.Object, doc version, r Repoint) (rewind bool, lowered []Lowered, err error) {
	present := object.Pointer.MetadataLocation
	table, is := doc.(*metadata.Document)
	if is {
		descends, err := c.descends(ctx, table, present)
		if err != nil {
			return false, nil, err
		}
		rewind = !descends
	}
	switch {
	case !is && !r.AllowRewind:
		return true, nil, refuse(Unsafe, "Nothing in the files of a view tells which came first: %s takes the place of %s only where a rewind is allowed (allow-rewind)",
			doc.MetadataLocation(), present)
	case rewind && !r.AllowRewind:
		return true, nil, refuse(Unsafe, "%s does not descend from the present metadata file %s: it takes its place only where a rewind is allowed (allow-rewind)",
			doc.MetadataLocation(), present)
	case !is:
		return true, nil, nil
	}
	now, err := c.presentVersion(ctx, object)
	switch unknown := unreadable(err); {
	case unknown && (r.Force || !rewind):
		return rewind, nil, nil
	case unknown:
		return rewind, nil, because(Unsafe, err, "Whether counters of table %s go back cannot be told: its present metadata file cannot be read, nor does the journal have a document of it (force goes on all the same)",
			object.Identifier.Quoted())
	case err != nil:
		return rewind, nil, err
	}
	lowered, err = lower(object, now, table, r.Force)
	return rewind, lowered, err
}

// lower are the counters of a table that go back from one version to another, which
// a log can hide: writers that do right never lower them. Unless forced, Unsafe,
// naming each.
func lower(object projections.Object, now, then *metadata.Document, force bool) ([]Lowered, error) {
	var lowered []Lowered
	var told []string
	values := then.Counters()
	for i, counter := range now.Counters() {
		if values[i].Value < counter.Value {
			lowered = append(lowered, Lowered{counter.Name, counter.Value, values[i].Value})
			told = append(told, fmt.Sprintf("%s from %d to %d", counter.Name, counter.Value, values[i].Value))
		}
	}
	if len(lowered) > 0 && !force {
		return lowered, refuse(Unsafe, "Counters of table %s would go back, and give out numbers again that later files use: %s (force goes on all the same)",
			object.Identifier.Quoted(), strings.Join(told, ", "))
	}
	return lowered, nil
}

// unreadable tells a file that is gone or no metadata from one that cannot be read
// at the moment.
func unreadable(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && (refused.Code == FileMissing || refused.Code == Invalid)
}

// presentVersion reads the current version of a table: its file, or, when that is
// gone, what the journal keeps of it. The error is unreadable when there is neither,
// and Unavailable when the journal cannot say.
func (c *Catalog) presentVersion(ctx context.Context, object projections.Object) (*metadata.Document, error) {
	doc, err := c.parse(ctx, object)
	if !unreadable(err) || c.Journal == nil {
		return doc, err
	}
	text, unread := c.keptDocument(ctx, object)
	switch {
	case unread != nil:
		return nil, reading(unread)
	case text == nil:
		return nil, err
	}
	return (&document{text: text}).parse(object)
}

// keptDocument is what the journal keeps of a table's current metadata file, by the
// step that brought it; nil when it has nothing whole.
func (c *Catalog) keptDocument(ctx context.Context, object projections.Object) ([]byte, error) {
	steps, err := c.Reader.Steps(ctx, object.UUID)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(steps) {
		if to := s.Move.To; to == nil || to.Pointer != object.Pointer {
			continue
		}
		text, err := journal.KeptOf(ctx, c.Journal, s.Event, object.UUID)
		var damage *journal.Damage
		if errors.As(err, &damage) {
			continue
		}
		if text != nil || err != nil {
			return text, err
		}
	}
	return nil, nil
}
