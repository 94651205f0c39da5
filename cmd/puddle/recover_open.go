package main

import (
	"context"
	"fmt"

	"puddle/journal"
)

// openWarehouses opens them. A dry run makes no folder that is not there.
func (x *recovery) openWarehouses(ctx context.Context) error {
	for _, w := range x.node.config.Warehouses {
		for _, place := range w.Places() {
			if absentFolder(place) && x.DryRun {
				return fmt.Errorf("warehouse %s: there is no folder %s", w.Name, place.Folder())
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
