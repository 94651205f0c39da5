package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Repoint says which table or view is to be at which of its metadata files. Exactly
// one of Identifier and UUID, and of To and Newest, is given.
type Repoint struct {
	Identifier  journal.Identifier
	UUID        uuid.UUID
	To          string // a metadata file that is there
	Newest      bool   // the one that descends from the present file and that none descends from; tables only
	Expect      string // the present file, or nothing is done; may be left out
	AllowRewind bool   // also to a file that does not descend from the present one
	Force       bool   // also where counters go back or cannot be compared, and to a location that it never had
	Reason      string // kept in the event
	DryRun      bool   // say what would be done, and record nothing
}

// Repointed is what was done, or would be.
type Repointed struct {
	Kind       journal.ObjectKind
	UUID       uuid.UUID
	Identifier journal.Identifier
	From, To   journal.Pointer
	Changed    bool      // false: it is at that file already, and nothing is recorded
	Rewind     bool      // the file does not descend from the one before
	Lowered    []Lowered // counters that go back
	NotUsed    []NotUsed // by a search for the newest: what is named like a metadata file and is none
}

// Lowered is a counter of a table that goes back.
type Lowered struct {
	Counter  string
	From, To int64
}

// NotUsed is a file that could not be read, and why.
type NotUsed struct{ MetadataLocation, Reason string }

// Repoint moves a live table or view to another of its metadata files, in one
// event and by compare-and-set: the present file need not be there, which is what
// it is for. The file must be of the same uuid, lie where its object keeps such
// files, and say a location that the object has or had here. A table's file that
// descends from the present one needs no leave; any other, and any of a view, which
// has no log to tell, must be allowed. What makes counters go back must be forced,
// and so must a file that does not descend and that they cannot be compared with.
//
// NoSuchTable; CommitFailed when the present file is not the expected one, or
// another's change landed meanwhile; Unsafe when it is not allowed or not forced, or
// the newest file is not one but several, all named; FileMissing; AlreadyExists for
// places; Unsupported for the newest file of a view; Invalid, Unavailable,
// OutcomeUnknown.
func (c *Catalog) Repoint(ctx context.Context, cause journal.Cause, r Repoint) (Repointed, error) {
	if err := journal.CheckReason(r.Reason); err != nil {
		return Repointed{}, because(Invalid, err, "The change was not made: %v", err)
	}
	name, err := c.nameNow(ctx, r)
	if err != nil {
		return Repointed{}, err
	}
	release, err := c.lock(ctx, named(name))
	if err != nil {
		return Repointed{}, err
	}
	defer release()
	object, err := c.Reader.Object(ctx, name)
	switch {
	case errors.Is(err, projections.ErrNoObject), err == nil && r.UUID != uuid.Nil && object.UUID != r.UUID:
		return Repointed{}, refuse(NoSuchTable, "Table or view does not exist: %s", name.Quoted())
	case err != nil:
		return Repointed{}, reading(err)
	}
	if present := object.Pointer.MetadataLocation; r.Expect != "" && !samePlace(r.Expect, present) {
		return Repointed{}, refuse(CommitFailed, "%s %s is at %s, not at %s", titled(object.Kind), name.Quoted(), present, r.Expect)
	}
	return c.repoint(ctx, cause, object, r)
}

// nameNow is the name of the object that is meant.
func (c *Catalog) nameNow(ctx context.Context, r Repoint) (journal.Identifier, error) {
	if r.UUID == uuid.Nil {
		return r.Identifier, nil
	}
	last, err := c.sight(ctx, r.UUID)
	if err == nil && last.as != fateThere {
		err = refuse(NoSuchTable, "Table or view does not exist: %s", last.text)
	}
	return last.Identifier, err
}

// repoint does it under the lock of the name.
func (c *Catalog) repoint(ctx context.Context, cause journal.Cause, object projections.Object, r Repoint) (Repointed, error) {
	done := Repointed{Kind: object.Kind, UUID: object.UUID, Identifier: object.Identifier, From: object.Pointer}
	err := c.awaitSweeps(ctx, object.UUID, r.To)
	if err != nil {
		return done, err
	}
	if r.Newest {
		if r.To, done.NotUsed, err = c.newest(ctx, object); err != nil {
			return done, err
		}
	}
	ctx, end := c.inTurn(ctx) // the search takes one for each file
	defer end()
	f, err := c.adopt(ctx, r.To)
	if err != nil {
		return done, err
	}
	if done.To = f.pointer; samePlace(r.To, object.Pointer.MetadataLocation) && f.pointer.SHA256 == object.Pointer.SHA256 {
		done.To = object.Pointer
		return done, nil
	}
	doc, err := parseAs(object.Kind, f, object.UUID)
	if err != nil {
		return done, err
	}
	places, err := c.belongs(ctx, object, doc, r.Force)
	if err != nil {
		return done, err
	}
	if done.Rewind, done.Lowered, err = c.weigh(ctx, object, doc, r); err != nil {
		return done, err
	}
	done.Changed = true
	to := journal.To{Identifier: object.Identifier, Pointer: f.pointer, Location: doc.Location(), Places: places}
	leave, err := c.settle(ctx, object.Identifier, doc, places)
	if err != nil {
		return done, err
	}
	defer leave()
	if r.DryRun {
		return done, nil
	}
	err = c.record(ctx, cause, repointed(moveOf(object.Kind, doc, from(object), to), r.Reason), c.keep(f)...)
	if moved(err) {
		return done, because(CommitFailed, err, "%s %s was changed by others meanwhile", titled(object.Kind), object.Identifier.Quoted())
	}
	return done, recorded(object.Kind, outdone(err, doc))
}

// repointed is the event.
func repointed(m journal.Move, reason string) journal.Body {
	if m.Kind == journal.View {
		return journal.ViewRepointed{Moves: [1]journal.Move{m}, Reason: reason}
	}
	return journal.TableRepointed{Moves: [1]journal.Move{m}, Reason: reason}
}
