package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// maxAncestors bounds how many files are read to find what one descends from.
const maxAncestors = 100

// RegisterTable makes a table of a metadata file that is there already, which
// stays as it is: nothing here ever writes or deletes it (case 35). A dropped
// table comes back with its uuid and history; a file of format version 1 without a
// uuid is given one, which its next commit writes (case 3).
//
// With overwrite, a table of that name takes the file in one step if it has the
// same uuid and descends from the present file, which need not be there any more
// (case 61, interface §5.4). The present file itself changes nothing.
//
// AlreadyExists for the name, another uuid, no descendant, and places;
// NoSuchNamespace, FileMissing, Invalid; Unsafe while a purge removes the table's
// files; Unavailable, OutcomeUnknown.
func (c *Catalog) RegisterTable(ctx context.Context, cause journal.Cause, id journal.Identifier, metadataLocation string, overwrite bool) (Table, error) {
	release, err := c.lock(ctx, naming(id)...)
	if err != nil {
		return Table{}, err
	}
	defer release()
	if err := c.awaitSweeps(ctx, uuid.Nil, metadataLocation); err != nil {
		return Table{}, err
	}
	var table Table
	err = onCurrent(func() (err error) {
		table, err = c.register(ctx, cause, id, metadataLocation, overwrite)
		return err
	})
	return table, err
}

func (c *Catalog) register(ctx context.Context, cause journal.Cause, id journal.Identifier, at string, overwrite bool) (Table, error) {
	ctx, end := c.inTurn(ctx)
	defer end()
	s, err := c.claimed(ctx, id, overwrite)
	if err != nil {
		return Table{}, err
	}
	f, err := c.adopt(ctx, at)
	if err != nil {
		return Table{}, err
	}
	if s.doc, err = decoded(metadata.Parse(f.text, at)); err != nil {
		return Table{}, err
	}
	if s.places, err = c.admitFound(ctx, s.doc); err != nil {
		return Table{}, err
	}
	if err := c.checkHome(at, s.doc); err != nil {
		return Table{}, err
	}
	if err := c.identify(ctx, &s, f); err != nil {
		return Table{}, err
	}
	leave, err := c.settle(ctx, id, s.doc, s.places)
	if err != nil {
		return Table{}, err
	}
	defer leave()
	if _, _, err := c.unpurged(ctx, s.doc.UUID()); err != nil {
		return Table{}, err
	}
	if f.pointer != s.object.Pointer {
		err = c.record(ctx, cause, journal.TableRegistered{Moves: [1]journal.Move{s.move(f.pointer)}}, c.keep(f)...)
	}
	if err != nil {
		return Table{}, recorded(journal.Table, outdone(err, s.doc))
	}
	return shownAt(f.pointer.MetadataLocation, s.doc), nil
}

// claimed is the step to a registered table: of the one that is there when it may
// be overwritten, else a birth.
func (c *Catalog) claimed(ctx context.Context, id journal.Identifier, overwrite bool) (step, error) {
	s := step{identifier: id}
	if overwrite {
		object, err := c.table(ctx, id)
		if err == nil {
			s.object = object
			return s, nil
		}
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != NoSuchTable {
			return s, err
		}
	}
	_, err := c.roomFor(ctx, journal.Table, id)
	return s, err
}

// identify gives the document of a registered file its table's uuid where it has
// none. The file for a table that is there must be a later one of its own.
func (c *Catalog) identify(ctx context.Context, s *step, f file) error {
	if !s.lives() {
		id, err := uuid.NewRandom()
		if err != nil {
			return because(Unavailable, err, "The change was not made: no randomness")
		}
		s.doc = s.doc.WithUUID(id)
		return nil
	}
	s.doc = s.doc.WithUUID(s.object.UUID)
	if s.doc.UUID() != s.object.UUID {
		return refuse(AlreadyExists, "Table already exists: %s (its uuid is %s, that of the file %s)", s.identifier, s.object.UUID, s.doc.UUID())
	}
	if f.pointer == s.object.Pointer {
		return nil
	}
	present := s.object.Pointer.MetadataLocation
	descends, err := c.descends(ctx, s.doc, present)
	if err != nil || descends {
		return err
	}
	return refuse(AlreadyExists, "Table already exists: %s (%s does not descend from its present metadata file %s)",
		s.identifier, f.pointer.MetadataLocation, present)
}

// descends tells whether a version was made from the file at ancestor: its
// metadata log names it, or that of the oldest file in the log does, and so on
// back. Where a file on the way is gone or no metadata of the table, nothing is
// known. Unavailable.
func (c *Catalog) descends(ctx context.Context, doc *metadata.Document, ancestor string) (bool, error) {
	id := doc.UUID()
	for range maxAncestors {
		log := doc.MetadataLog()
		for _, entry := range log {
			if samePlace(entry.Location, ancestor) {
				return true, nil
			}
		}
		if len(log) == 0 {
			return false, nil
		}
		oldest, err := c.adopt(ctx, log[0].Location)
		if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == Unavailable {
			return false, err
		}
		if err != nil {
			return false, nil
		}
		doc, err = metadata.Parse(oldest.text, log[0].Location)
		if err != nil || doc.WithUUID(id).UUID() != id {
			return false, nil
		}
	}
	return false, nil
}

// samePlace compares two locations, however they are spelled (cases 25 and 27).
func samePlace(a, b string) bool {
	first, err := warehouse.ParseLocation(a)
	if err != nil {
		return false
	}
	second, err := warehouse.ParseLocation(b)
	return err == nil && first == second
}
