package catalog

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Recovered is a table or view that a recovery brings back.
type Recovered struct {
	Event            uuid.UUID // the id of its event: the same in every run of one recovery
	Kind             journal.ObjectKind
	UUID             uuid.UUID
	Identifier       journal.Identifier
	MetadataLocation string
	Pointer          journal.Pointer // what the file must be; zero: not known
	File             []byte          // the bytes of that, where they are known: the storage is not asked; nil: they are not
}

// RecoverObject registers a table or view as RegisterTable and RegisterView do, by
// the same rules, with its uuid: a history of that uuid goes on. The file must be
// what the pointer says, if one is given, and of that uuid, if it has one. An external
// warehouse that cannot be read is no passing reason: the others do not wait for it.
//
// NoSuchNamespace; AlreadyExists for the name, uuid and places; FileMissing, Invalid,
// Unsafe, Unavailable, OutcomeUnknown.
func (c *Catalog) RecoverObject(ctx context.Context, cause journal.Cause, r Recovered) error {
	release, err := c.lock(ctx, naming(r.Identifier)...)
	if err != nil {
		return err
	}
	defer release()
	if _, err := c.roomFor(ctx, r.Kind, r.Identifier); err != nil {
		return err
	}
	ctx, end := c.inTurn(ctx)
	defer end()
	f, doc, err := c.recoverable(ctx, r)
	if err != nil {
		return err
	}
	places, err := c.admitBack(ctx, doc)
	if err != nil {
		return err
	}
	if err := c.checkHome(r.MetadataLocation, doc); err != nil {
		return err
	}
	leave, err := c.settle(ctx, r.Identifier, doc, places)
	if err != nil {
		return err
	}
	defer leave()
	if _, _, err := c.unpurged(ctx, r.UUID); err != nil {
		return err
	}
	moves := [1]journal.Move{moveOf(r.Kind, doc, nil, journal.To{
		Identifier: r.Identifier, Pointer: f.pointer, Location: doc.Location(), Places: places,
	})}
	var body journal.Body = journal.TableRegistered{Moves: moves}
	if r.Kind == journal.View {
		body = journal.ViewRegistered{Moves: moves}
	}
	return recorded(r.Kind, outdone(c.recordAs(ctx, r.Event, cause, body, c.keep(f)...), doc))
}

// recoverable is the file of what is to be registered, and the version in it.
func (c *Catalog) recoverable(ctx context.Context, r Recovered) (file, version, error) {
	f, err := c.recoveredFile(ctx, r)
	if err != nil {
		return file{}, nil, err
	}
	if r.Pointer != (journal.Pointer{}) && r.Pointer.SHA256 != f.pointer.SHA256 {
		return file{}, nil, refuse(Invalid, "The metadata file %s is not the one that was recorded: its SHA-256 is %s, not %s",
			r.MetadataLocation, f.pointer.SHA256, r.Pointer.SHA256)
	}
	doc, err := parseAs(r.Kind, f, r.UUID)
	if err != nil {
		return file{}, nil, err
	}
	if doc.UUID() != r.UUID {
		return file{}, nil, refuse(Invalid, "The metadata file %s is of %s, not of %s", r.MetadataLocation, doc.UUID(), r.UUID)
	}
	return f, doc, nil
}

func (c *Catalog) recoveredFile(ctx context.Context, r Recovered) (file, error) {
	if r.File != nil {
		return adopted(ctx, r.MetadataLocation, r.File)
	}
	f, err := c.adopt(ctx, r.MetadataLocation)
	var refused *Error
	if name := c.External(r.MetadataLocation); name != "" && errors.As(err, &refused) && refused.Code == Unavailable {
		return f, because(Invalid, err, "The metadata file %s is not looked at: the external warehouse %s cannot be read: %v", r.MetadataLocation, name, refused.Err)
	}
	return f, err
}

// RecoverNamespace makes a namespace with the id that it had, in an existing parent.
// The errors are those of CreateNamespace.
func (c *Catalog) RecoverNamespace(ctx context.Context, cause journal.Cause, event uuid.UUID, n projections.Namespace) error {
	if err := n.Name.Check(); err != nil {
		return because(Invalid, err, "%v", err)
	}
	if err := c.checkProperties(ctx, n.Properties, c.wasThere); err != nil {
		return err
	}
	release, err := c.lock(ctx, wholeNamespace(n.Name)...)
	if err != nil {
		return err
	}
	defer release()
	return recorded("", c.recordAs(ctx, event, cause, journal.NamespaceCreated{ID: n.ID, Namespace: n.Name, Properties: nonNil(n.Properties)}))
}
