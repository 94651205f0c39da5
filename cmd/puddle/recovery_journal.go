package main

import (
	"context"
	"errors"
	"os"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections/anchor"
	"puddle/recover"
)

// withoutDamage implements keeping.
func (x files) withoutDamage(ctx context.Context, why error) error {
	if err := x.node.journal.Close(); err != nil {
		return err
	}
	if x.DryRun {
		return x.copyDamaged(ctx, x.node.config.Journal.Path)
	}
	return x.replaceJournal(ctx, why)
}

// replaceJournal puts a journal that has all of it that is whole, every event before the
// damage, in the place of a damaged one, which is closed and put aside.
func (x files) replaceJournal(ctx context.Context, why error) error {
	path := x.node.config.Journal.Path
	whole := path + ".whole"
	ends, err := x.copyWhole(ctx, path, whole)
	if err != nil {
		return err
	}
	// The damaged one is in its place. A crash leaves it there.
	if err := x.raise(ctx, ends); err != nil {
		return err
	}
	// The warehouses have seen where the journal ended: what is cut off does not look whole.
	aside := path + ".broken-" + x.at.UTC().Format("20060102T150405.000Z")
	if err := os.Link(path, aside); err != nil {
		return err
	}
	if err := os.Rename(whole, path); err != nil {
		return err
	}
	x.node.log.Warn().Err(why).Str("moved-to", aside).Msg("the journal is put aside")
	return x.node.openJournal(ctx)
}

// copyWhole makes a journal of all that is whole of another, and tells where the
// histories in that ended that are not. What an earlier run has left there goes.
func (x files) copyWhole(ctx context.Context, path, whole string) (ends map[uuid.UUID]journal.Position, err error) {
	if err := os.Remove(whole); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	into, err := bolt.Open(whole, bolt.Options{Timeout: lockTime})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	old, err := x.openDamaged(path)
	if err != nil || old == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	if err := x.takeOver(ctx, old, into); err != nil {
		return nil, err
	}
	return x.ends(ctx, old), nil
}

// copyDamaged takes what is whole of a journal into memory: a dry run goes on with that.
func (x files) copyDamaged(ctx context.Context, path string) error {
	x.node.journal = journal.NewMemory()
	old, err := x.openDamaged(path)
	if err != nil || old == nil {
		return err
	}
	return errors.Join(x.takeOver(ctx, old, x.node.journal), old.Close())
}

// openDamaged opens a damaged journal for reading; nil where nothing of it can be read.
func (x files) openDamaged(path string) (*bolt.Journal, error) {
	old, err := bolt.Open(path, bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil && !errors.Is(err, journal.ErrLocked) {
		x.node.log.Warn().Err(err).Msg("nothing of it can be read")
		return nil, nil
	}
	return old, err
}

// ends are where the histories ended of which something is damaged.
func (x *recovery) ends(ctx context.Context, old journal.Journal) map[uuid.UUID]journal.Position {
	ends := map[uuid.UUID]journal.Position{}
	for id := range x.damaged {
		if head, err := old.Warehouse(id).Head(ctx); err == nil {
			ends[id] = head
		}
	}
	return ends
}

// raise has the anchors say where the histories of their warehouses ended.
func (x *recovery) raise(ctx context.Context, ends map[uuid.UUID]journal.Position) error {
	for _, w := range x.node.warehouses {
		id, _, err := anchor.ReadIdentity(ctx, w.roots[0].Store)
		if end, cut := ends[id.ID]; cut && err == nil {
			err = anchor.Raise(ctx, w.roots[0].Store, anchor.Head{Position: end, At: x.at, WrittenAt: x.at})
		}
		if err != nil && !errors.Is(err, anchor.ErrDamaged) {
			return noLook(err)
		}
	}
	return nil
}

// takeOver carries every warehouse of a damaged journal up to the damage.
func (x *recovery) takeOver(ctx context.Context, old, into journal.Journal) error {
	ids, err := old.Warehouses(ctx)
	for _, id := range ids {
		n, carried := recover.Carry(ctx, old, into, id)
		if damage := (*journal.Damage)(nil); errors.As(carried, &damage) {
			x.damaged[id], carried = damage, nil
		}
		took := "taken over from the damaged journal"
		if x.DryRun {
			took = "would be " + took
		}
		x.node.log.Warn().AnErr("until", x.damaged[id]).Stringer("warehouse", id).Int("events", n).Msg(took)
		err = errors.Join(err, carried)
	}
	return err
}

// onlyOf is a journal of which one warehouse is looked at.
type onlyOf struct {
	journal.Journal
	id uuid.UUID
}

// Warehouses is the one.
func (o onlyOf) Warehouses(context.Context) ([]uuid.UUID, error) { return []uuid.UUID{o.id}, nil }
