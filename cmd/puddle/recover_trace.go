package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/recover"
	"puddle/rest"
)

// nothingThere is what was looked for.
const nothingThere = "no warehouse.json, no archive and no sidecars below _puddle, and no metadata files"

// traced refuses a recovery of what nothing is left of, before anything is made: where a
// warehouse's folder is not there, and where beside warehouses that hold nothing there is
// neither a journal nor pointer tables.
func (x *recovery) traced(ctx context.Context) error {
	c := x.node.config
	var refused []error
	empty, err := x.kept.absent(ctx)
	if err != nil {
		return noLook(err)
	}
	for _, w := range c.Warehouses {
		if absentFolder(w.Root) {
			return recover.NoTrace(w.Name, w.Root.URL, "there is no such folder")
		}
		if !empty || x.Warehouse != "" && w.Name != x.Warehouse {
			continue
		}
		found, err := holdsTrace(ctx, w)
		if err != nil {
			err = (&warehouse{Warehouse: w}).hint(err)
			if !errors.As(err, new(advised)) {
				err = fmt.Errorf("warehouse %s: %w", w.Name, err)
			}
			return noLook(err)
		}
		if empty = !found; empty {
			refused = append(refused, recover.NoTrace(w.Name, w.Root.URL, nothingThere))
		}
	}
	if !empty {
		return nil
	}
	return errors.Join(refused...)
}

// holdsTrace looks for something in the places of a warehouse that are there.
func holdsTrace(ctx context.Context, w config.Warehouse) (bool, error) {
	w.Allowed = slices.DeleteFunc(slices.Clone(w.Allowed), absentFolder)
	roots, closers, err := openPlaces(ctx, w, (*rest.Metrics)(nil).Store(w.Name))
	found := false
	if err == nil {
		found, err = recover.Traced(ctx, roots)
	}
	for _, release := range closers {
		err = errors.Join(err, release())
	}
	return found, err
}

// noTrace refuses where nothing was found: it was never a catalog's, or no more is left
// of it than what names it.
func noTrace(e *evidence) error {
	if !e.unnamed() || len(e.plan.Unregistered) > 0 || e.plan.Unseen != nil {
		return nil
	}
	why := append([]string{nothingThere}, e.lost...)
	return recover.NoTrace(e.Name, e.Root.URL, strings.Join(append(why, e.seen.Later(journal.Position{})...), "; "))
}
