package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"puddle/journal"
	"puddle/journal/postgres"
	"puddle/projections/anchor"
)

// recall asks the warehouses what they saw last of the journal, whoever wrote it: the
// database is another server by now, which may lack what only others have seen of it.
func (n *shared) recall(ctx context.Context) {
	ctx, enough := context.WithTimeout(ctx, lookTime)
	defer enough()
	var all sync.WaitGroup
	for _, w := range n.followed() {
		all.Go(func() {
			head, there, err := anchor.ReadHead(ctx, w.roots[0].Store)
			if err != nil {
				n.log.Warn().Str("warehouse", w.Name).Err(err).Msg("the database is another server, or was started again, and the warehouse cannot be asked what it has seen of it")
			}
			if there {
				n.witness(w, head.Position)
			}
		})
	}
	all.Wait()
}

// witness has nothing of a warehouse read or appended from a database that does not hold what
// the warehouse saw, and tells whether it is to hold that: of another incarnation a look judges.
func (n *shared) witness(w *warehouse, saw journal.Position) bool {
	same := saw.Incarnation == n.db.Floor(w.id).Incarnation
	if same {
		n.db.Saw(w.id, saw)
	}
	return same
}

// holds implements metastore.
func (n *shared) holds(ctx context.Context, w *warehouse, saw anchor.Head) error {
	if !n.witness(w, saw.Position) {
		return nil
	}
	err := saw.Check(ctx, n.journal.Warehouse(w.id))
	if errors.Is(err, postgres.ErrWentBack) {
		n.saw(err)
	}
	if err != nil && !errors.Is(err, anchor.ErrOtherHistory) {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	return err
}
