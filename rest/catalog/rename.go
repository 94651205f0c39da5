package catalog

import (
	"context"
	"errors"

	"puddle/journal"
	"puddle/projections"
)

// RenameTable moves a table's name, also to another namespace, and nothing else.
// NoSuchTable, NoSuchNamespace for the target, AlreadyExists when the target is
// taken, also by the table itself (case 98).
func (c *Catalog) RenameTable(ctx context.Context, cause journal.Cause, source, target journal.Identifier) error {
	return c.rename(ctx, cause, journal.Table, source, target)
}

// RenameView is RenameTable for views: NoSuchView.
func (c *Catalog) RenameView(ctx context.Context, cause journal.Cause, source, target journal.Identifier) error {
	return c.rename(ctx, cause, journal.View, source, target)
}

func (c *Catalog) rename(ctx context.Context, cause journal.Cause, kind journal.ObjectKind, source, target journal.Identifier) error {
	if err := target.Check(); err != nil {
		return because(Invalid, err, "%v", err)
	}
	release, err := c.lock(ctx, append(naming(target), named(source))...)
	if err != nil {
		return err
	}
	defer release()
	return onCurrent(func() error {
		object, err := c.object(ctx, kind, source)
		if err != nil {
			return err
		}
		if _, err := c.Namespace(ctx, target.Namespace); err != nil {
			return err
		}
		if err := c.targetFree(ctx, source, target); err != nil {
			return err
		}
		return c.moveName(ctx, cause, object, target)
	})
}

// moveName records that an object has another name. It reads no file.
func (c *Catalog) moveName(ctx context.Context, cause journal.Cause, object projections.Object, target journal.Identifier) error {
	places, err := c.Reader.Places(ctx, object.UUID)
	if err != nil {
		return reading(err)
	}
	moves := [1]journal.Move{{
		Kind: object.Kind, UUID: object.UUID, From: from(object),
		To: &journal.To{Identifier: target, Pointer: object.Pointer, Location: object.Location, Places: places},
	}}
	var body journal.Body = journal.TableRenamed{Moves: moves}
	if object.Kind == journal.View {
		body = journal.ViewRenamed{Moves: moves}
	}
	err = c.record(ctx, cause, body)
	var conflict *projections.Conflict
	if errors.As(err, &conflict) && conflict.Kind == projections.NameTaken {
		return renameTaken(object.Identifier, target, conflict.Object)
	}
	return recorded(object.Kind, err)
}

func (c *Catalog) targetFree(ctx context.Context, source, target journal.Identifier) error {
	holder, err := c.Reader.Object(ctx, target)
	if errors.Is(err, projections.ErrNoObject) {
		return nil
	}
	if err != nil {
		return reading(err)
	}
	return renameTaken(source, target, holder.Kind)
}

func renameTaken(source, target journal.Identifier, holder journal.ObjectKind) *Error {
	return refuse(AlreadyExists, "Cannot rename %s to %s. %s already exists", source, target, titled(holder))
}
