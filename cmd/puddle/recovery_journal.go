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

// asideName is the name that a file gets which is put aside.
func (x *recovery) asideName(path string) string {
	return path + ".broken-" + x.at.UTC().Format("20060102T150405.000Z")
}

// putAside renames the journal and opens an empty one in its place.
func (x *recovery) putAside(ctx context.Context, why error) (aside string, err error) {
	path := x.node.config.Journal.Path
	aside = x.asideName(path)
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	x.node.log.Warn().Err(why).Str("moved-to", aside).Msg("the journal is put aside")
	return aside, x.node.openJournal(ctx)
}

// replaceJournal puts a damaged journal aside, and takes all of it over that is whole:
// every event before the damage.
func (x *recovery) replaceJournal(ctx context.Context, why error) error {
	if err := x.node.journal.Close(); err != nil {
		return err
	}
	aside, err := x.putAside(ctx, why)
	if err != nil {
		return err
	}
	// The new journal is empty. A crash here leaves what a lost journal is.
	old, err := bolt.Open(aside, bolt.Options{})
	if err != nil {
		return err
	}
	ids, err := old.Warehouses(ctx)
	for _, id := range ids {
		_, carried := recover.Carry(ctx, old, x.node.journal, id)
		var damage *journal.Damage
		if carried != nil && !errors.As(carried, &damage) {
			err = errors.Join(err, carried)
		}
	}
	return errors.Join(err, old.Close())
}

// onlyOf is a journal of which one warehouse is looked at.
type onlyOf struct {
	journal.Journal
	id uuid.UUID
}

// Warehouses is the one.
func (o onlyOf) Warehouses(context.Context) ([]uuid.UUID, error) { return []uuid.UUID{o.id}, nil }
