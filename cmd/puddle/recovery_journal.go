package main

import (
	"context"
	"errors"
	"os"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/recover"
)

// withoutDamage replaces a journal that is open.
func (x *recovery) withoutDamage(ctx context.Context, why error) error {
	if err := x.node.journal.Close(); err != nil {
		return err
	}
	if x.DryRun {
		return x.copyDamaged(ctx, x.node.config.Journal.Path)
	}
	return x.replaceJournal(ctx, why)
}

// replaceJournal puts a damaged journal aside, which is closed, and takes all of it
// over that is whole: every event before the damage.
func (x *recovery) replaceJournal(ctx context.Context, why error) error {
	path := x.node.config.Journal.Path
	aside := path + ".broken-" + x.at.UTC().Format("20060102T150405.000Z")
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	x.node.log.Warn().Err(why).Str("moved-to", aside).Msg("the journal is put aside")
	// There is no journal. A crash from here on leaves a lost one, and this one aside.
	if err := x.node.openJournal(ctx); err != nil {
		return err
	}
	old, err := bolt.Open(aside, bolt.Options{ReadOnly: true})
	if err != nil {
		x.node.log.Warn().Err(err).Msg("nothing of it can be read")
		return nil
	}
	return errors.Join(x.takeOver(ctx, old), old.Close())
}

// takeOver carries every warehouse of a damaged journal up to the damage.
func (x *recovery) takeOver(ctx context.Context, old journal.Journal) error {
	ids, err := old.Warehouses(ctx)
	for _, id := range ids {
		n, carried := recover.Carry(ctx, old, x.node.journal, id)
		if damage := (*journal.Damage)(nil); errors.As(carried, &damage) {
			x.damaged[id], carried = damage, nil
		}
		x.node.log.Warn().AnErr("until", x.damaged[id]).Stringer("warehouse", id).Int("events", n).Msg("taken over from the damaged journal")
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
