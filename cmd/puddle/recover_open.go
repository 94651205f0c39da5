package main

import (
	"context"
	"fmt"
	"os"

	"puddle/cmd/puddle/config"
	"puddle/journal"
)

// openWarehouses opens them. A dry run makes no folder that is not there.
func (x *recovery) openWarehouses(ctx context.Context) error {
	for _, w := range x.node.config.Warehouses {
		for _, place := range append([]config.Place{w.Root}, w.Allowed...) {
			if _, err := os.Stat(place.Folder()); err != nil && x.DryRun {
				return fmt.Errorf("warehouse %s: %w", w.Name, err)
			}
		}
	}
	return x.node.openWarehouses(ctx)
}

// scratch is a journal that takes entries and keeps none: what a dry run records.
type scratch struct{ journal.Journal }

// Append implements journal.Writer.
func (scratch) Append(ctx context.Context, entries ...journal.Entry) error {
	for _, e := range entries {
		if err := e.Check(); err != nil {
			return fmt.Errorf("%s: %w", e.Event.Kind(), err)
		}
	}
	return ctx.Err()
}
