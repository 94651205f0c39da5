package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// CompactOptions say what a compaction takes out of the journal.
type CompactOptions struct {
	// Prune removes incarnations that are not the current one of their warehouse. What they
	// held is then gone.
	Prune bool
	// Retain is the age up to which documents are retained; 0 retains all. What is
	// older is erased, but for the newest of every object (journal.Retain). Events stay as
	// they are.
	Retain time.Duration
	Now    time.Time
	// DryRun checks the journal, says what would be done and writes nothing. Others may run
	// meanwhile.
	DryRun bool
	// Progress is called often with what is counted ("documents erased") and how many are
	// done. Optional; it must not block.
	Progress func(what string, done int64)
	// Pruning is called when the journal is proven whole and before incarnations are removed:
	// what was made of them, such as pointer tables, is then to be made anew. Its error ends the
	// compaction. Optional.
	Pruning func() error

	most int // documents of one transaction; 0: eraseDocuments
}

// Compact removes from the journal what Prune and Retain name, after all of it is checked.
// It is alone on the journal (Alone), and stops when that is lost or somebody appends
// nevertheless. An incarnation goes in one transaction, documents are erased some
// hundred in one, in which those that change are read back: whatever ends it, what is
// there is whole, and the next one goes on. The bytes are those of records, documents and
// answers; the server uses the room again, and gives it back when it wants to.
//
// journal.ErrLocked: others run. *journal.Damage: the journal is not whole, and stays as
// it is. Also ErrBusy, ErrAway, ErrReadOnly.
func (db *DB) Compact(ctx context.Context, o CompactOptions) (journal.Compacted, error) {
	if o.Retain < 0 {
		return journal.Compacted{}, fmt.Errorf("documents cannot be retained for %s", o.Retain)
	}
	o.most = cmp.Or(o.most, eraseDocuments)
	c := &compaction{CompactOptions: o, db: db}
	if !o.DryRun {
		session, err := db.alone(ctx)
		if err != nil {
			return journal.Compacted{}, err
		}
		defer db.leave(ctx, session)
		c.session = session
	}
	done, err := c.run(ctx)
	if err != nil {
		return journal.Compacted{}, db.said(ctx, err)
	}
	return done, nil
}

// compaction is one under way.
type compaction struct {
	CompactOptions
	db        *DB
	session   *pgx.Conn // that is alone; nil in a dry run
	histories []journal.History
}

func (c *compaction) run(ctx context.Context) (done journal.Compacted, err error) {
	if c.histories, err = c.db.histories(ctx); err != nil {
		return done, err
	}
	if err := c.audit(ctx); err != nil {
		return done, err
	}
	for _, h := range c.histories {
		done.Histories = append(done.Histories, journal.Compaction{History: h, Pruned: c.Prune && !h.Current})
		done.Before += h.Bytes
	}
	if err := c.prune(ctx, done.Histories); err != nil {
		return done, fmt.Errorf("prune: %w", err)
	}
	erasures, err := c.erasures(ctx)
	if err != nil {
		return done, err
	}
	counted := c.counting("documents erased")
	done.After = done.Before
	for i := range done.Histories {
		h := &done.Histories[i]
		if h.Pruned {
			done.After -= h.Bytes
			continue
		}
		if e := erasures[h.Incarnation]; e != nil {
			if err := e.run(ctx, counted); err != nil {
				return done, fmt.Errorf("erase: %w", err)
			}
			h.Erased = e.erased
			done.After += e.grown
		}
	}
	if done.After == done.Before {
		return done, nil
	}
	return done, c.vacuum(ctx)
}

// audit is the first damage of the journal, if any. A document that was over the limit,
// or erased, is no damage.
func (c *compaction) audit(ctx context.Context) error {
	checked := c.counting("warehouses checked")
	ids, err := c.db.Warehouses(ctx)
	if err != nil {
		return err
	}
	for _, warehouse := range ids {
		var damage *journal.Damage
		_, err := c.db.Audit(ctx, warehouse, func(f journal.Flaw) {
			if damage == nil && f.Absent == nil {
				damage = &f.Damage
			}
		})
		if err != nil {
			return err
		}
		if damage != nil {
			return damage
		}
		checked(1)
	}
	return nil
}

const pruneIncarnation = ` WHERE warehouse = $1 AND incarnation = $2`

// prune removes incarnations, each in a transaction.
func (c *compaction) prune(ctx context.Context, all []journal.Compaction) error {
	pruned := slices.DeleteFunc(slices.Clone(all), func(h journal.Compaction) bool { return !h.Pruned })
	if len(pruned) == 0 || c.DryRun {
		return nil
	}
	if c.Pruning != nil {
		if err := c.Pruning(); err != nil {
			return err
		}
	}
	counted := c.counting("incarnations pruned")
	for _, h := range pruned {
		err := c.change(ctx, h.Warehouse, func(ctx context.Context, tx pgx.Tx) error {
			var batch pgx.Batch
			for _, table := range []string{"requests", "documents", "events", "incarnations"} {
				batch.Queue(`DELETE FROM `+table+pruneIncarnation, h.Warehouse, h.Incarnation)
			}
			return tx.SendBatch(ctx, &batch).Close()
		})
		if err != nil {
			return err
		}
		counted(1)
	}
	return nil
}

// change runs a transaction that holds the head of a warehouse, which must be where it
// was when it was looked at. What has begun is not stopped by the context's end.
func (c *compaction) change(ctx context.Context, warehouse uuid.UUID, write func(ctx context.Context, tx pgx.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return pgx.BeginFunc(ctx, c.session, func(tx pgx.Tx) error {
		chain, err := scanHead(tx.QueryRow(ctx, lockHeads, [][16]byte{warehouse}))
		if err != nil {
			return err
		}
		there := slices.ContainsFunc(c.histories, func(h journal.History) bool { return h.Current && h.Warehouse == warehouse && h.Head == chain.Head })
		if !there {
			return fmt.Errorf("%w: warehouse %s is at %s by now", journal.ErrLocked, warehouse, chain.Head)
		}
		return write(ctx, tx)
	})
}

// vacuum lets the server use the room again. Where the role does not own the tables it
// is a warning, and left to the server.
func (c *compaction) vacuum(ctx context.Context) error {
	if c.DryRun {
		return nil
	}
	_, err := c.session.Exec(ctx, `VACUUM incarnations, events, documents, requests`)
	return err
}

// counting adds up what is done and tells the sum.
func (c *compaction) counting(doing string) func(int) {
	if c.Progress == nil {
		return func(int) {}
	}
	sum := int64(0)
	c.Progress(doing, sum)
	return func(n int) {
		sum += int64(n)
		c.Progress(doing, sum)
	}
}
