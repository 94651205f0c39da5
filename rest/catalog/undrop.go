package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Undrop says what is to come back: the last that had a name when it was dropped,
// or the one with a uuid. Exactly one of Identifier and UUID is given.
type Undrop struct {
	Identifier journal.Identifier
	UUID       uuid.UUID
	As         journal.Identifier // the name to come back under; none: the one that it had
	DryRun     bool               // say what would be done, and record nothing
}

// Undropped is what came back, or would.
type Undropped struct {
	Dropped
	As       journal.Identifier // its name now
	Location string
	Purge    bool      // the drop had asked for a purge, which is cancelled
	Others   []Dropped // of the same name, by whose uuids they could come back; the last first
}

// Undrop brings a dropped table or view back as it was: with its uuid, history and
// metadata file. By name while Options.DropKeep lasts, by uuid for as long as the
// journal has it. Until Options.PurgeGrace is over it also cancels a purge.
//
// NoSuchTable when nothing such was dropped; NoSuchNamespace; AlreadyExists for
// the name, places, or when it is there; FileMissing when its metadata file is gone
// or not what was recorded; Unsafe when its purge is due or has begun, or it was
// unregistered; CommitFailed when it came back meanwhile; Invalid, Unavailable,
// OutcomeUnknown.
func (c *Catalog) Undrop(ctx context.Context, cause journal.Cause, u Undrop) (Undropped, error) {
	back, err := c.undroppable(ctx, u)
	if err != nil {
		return Undropped{}, err
	}
	release, err := c.lock(ctx, naming(back.As)...)
	if err != nil {
		return Undropped{}, err
	}
	defer release()
	if _, err := c.roomFor(ctx, back.Kind, back.As); err != nil {
		return Undropped{}, sayMore(err, AlreadyExists, "it can come back under another name (as)")
	}
	err = c.undrop(ctx, cause, &back, u.DryRun)
	return back, err
}

// undroppable finds what is meant.
func (c *Catalog) undroppable(ctx context.Context, u Undrop) (back Undropped, err error) {
	if u.UUID != uuid.Nil {
		back.Dropped, err = c.dropped(ctx, u.UUID)
	} else {
		var found []Dropped
		if found, err = c.droppedAs(ctx, u.Identifier); err == nil {
			back.Dropped, back.Others = found[0], found[1:]
		}
	}
	if back.As = u.As; back.As.Name == "" {
		back.As = back.Identifier
	}
	return back, err
}

// undrop does it under the lock of the new name.
func (c *Catalog) undrop(ctx context.Context, cause journal.Cause, back *Undropped, dryRun bool) error {
	if _, err := c.unremoved(ctx, back.Dropped); err != nil {
		return err
	}
	if err := c.lately(ctx, *back); err != nil {
		return err
	}
	ctx, end := c.inTurn(ctx)
	defer end()
	f, err := c.prove(ctx, back.Pointer)
	if err != nil {
		return sayMore(err, FileMissing, "put that file back as it was, or register another metadata file of the same uuid")
	}
	doc, err := parseAs(back.Kind, f, back.UUID)
	if err != nil {
		return err
	}
	back.Location = doc.Location()
	places, err := c.admitBack(ctx, doc)
	if err != nil {
		return err
	}
	leave, err := c.settle(ctx, back.As, doc, places)
	if err != nil {
		return err
	}
	defer leave() // its purge does not begin before
	if back.Purge, err = c.unremoved(ctx, back.Dropped); err != nil || dryRun {
		return err
	}
	moves := [1]journal.Move{moveOf(back.Kind, doc, nil, journal.To{
		Identifier: back.As, Pointer: f.pointer, Location: back.Location, Places: places,
	})}
	var body journal.Body = journal.TableUndropped{Moves: moves}
	if back.Kind == journal.View {
		body = journal.ViewUndropped{Moves: moves}
	}
	return unsettled(*back, outdone(c.record(ctx, cause, body, c.keep(f)...), doc))
}

// lately refuses what was dropped before the catalog was recovered: NoSuchTable, and
// FileMissing when its purge was over then. The new incarnation began without it.
func (c *Catalog) lately(ctx context.Context, back Undropped) error {
	drop, ok, err := c.Reader.LastStep(ctx, back.UUID)
	if err != nil || !ok {
		return reading(errors.Join(err, journal.ErrNoEvent))
	}
	head, err := c.Journal.Head(ctx)
	if err != nil {
		return reading(err)
	}
	for e, err := range c.Journal.Scan(ctx, drop.Seq-1) {
		if err != nil {
			return reading(err)
		}
		if e.ID == drop.Event && e.Incarnation == head.Incarnation {
			return nil
		}
		if e.Incarnation == head.Incarnation {
			break
		}
		if purged, is := e.Body.(journal.TablePurged); is && purged.Table == back.UUID && c.External(back.Pointer.MetadataLocation) == "" {
			return removed(back.Dropped)
		}
	}
	return earlier(back, nil)
}

func earlier(back Undropped, err error) error {
	return because(NoSuchTable, err, "%s (%s) was dropped in an earlier incarnation of the catalog; to take it over, register %s",
		back.Identifier.Quoted(), back.UUID, back.Pointer.MetadataLocation)
}

// unremoved refuses what a purge has removed, or is due to: FileMissing, Unsafe. It
// answers whether one was asked for. It can be relied on as unpurged can.
func (c *Catalog) unremoved(ctx context.Context, d Dropped) (asked bool, err error) {
	purge, asked, err := c.unpurged(ctx, d.UUID)
	switch {
	case err != nil || !purge.Done:
		return asked, err
	case c.External(d.Pointer.MetadataLocation) != "":
		return false, nil // a purge removes nothing there
	}
	return asked, removed(d)
}

func removed(d Dropped) error {
	return refuse(FileMissing, "The files of table %s (%s) were removed by its purge", d.Identifier.Quoted(), d.UUID)
}

// unsettled words what the recorder says of an undrop.
func unsettled(back Undropped, err error) error {
	var conflict *projections.Conflict
	if errors.As(err, &conflict) {
		switch conflict.Kind {
		case projections.PointerMoved:
			return because(CommitFailed, err, "%s came back and was dropped again meanwhile", back.UUID)
		case projections.ObjectMissing:
			return earlier(back, err)
		}
	}
	return recorded(back.Kind, err)
}

// sayMore adds to the refusals of a code what can be done about it.
func sayMore(err error, code Code, what string) error {
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == code {
		return because(code, err, "%s; %s", refused.Message, what)
	}
	return err
}

// parseAs reads a metadata file as one of the kind. A file without a uuid is of the
// object that it is read for (case 3). Invalid.
func parseAs(kind journal.ObjectKind, f file, object uuid.UUID) (version, error) {
	if kind == journal.View {
		view, err := decoded(metadata.ParseView(f.text, f.pointer.MetadataLocation))
		if err != nil {
			return nil, err
		}
		return view, nil
	}
	doc, err := decoded(metadata.Parse(f.text, f.pointer.MetadataLocation))
	if err != nil {
		return nil, err
	}
	return doc.WithUUID(object), nil
}

// moveOf is the move of an object to a version of it.
func moveOf(kind journal.ObjectKind, doc version, from *journal.From, to journal.To) journal.Move {
	m := journal.Move{Kind: kind, UUID: doc.UUID(), From: from, To: &to}
	if table, ok := doc.(*metadata.Document); ok {
		m.SnapshotID = snapshotOf(table)
	}
	return m
}
