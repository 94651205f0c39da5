package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// compactSuffix names the copy that a compaction makes, beside the journal.
const compactSuffix = ".compact"

// CompactOptions say how to compact a journal.
type CompactOptions struct {
	// Prune leaves out incarnations that are not the current one of their
	// warehouse. What they held is then gone.
	Prune bool
	// Retain is the age up to which documents are retained; 0 retains all. What is
	// older is erased, but for the newest of every object: of what lives, and of what
	// went and could come back. Ages are told by the dates of events, and at the
	// moment of the warehouse's last one, or at Now where that is earlier. Events
	// stay as they are.
	Retain time.Duration
	Now    time.Time
	// DryRun checks the journal, says what would be done and writes nothing.
	DryRun bool
	// Progress is called often with what is counted ("bytes copied") and how many
	// are done. Optional; it must not block.
	Progress func(what string, done int64)
	// Pruning is called when a copy that incarnations are left out of is proven, and
	// before it takes the journal's name: what was made of them, such as pointer
	// tables, is then to be made anew. Its error ends the compaction. Optional.
	Pruning func() error

	step func(name string, do func() error) error // of tests; nil: do it
}

// Compacted counts the bytes of the file.
type Compacted = journal.Compacted

// Compact replaces a journal that nobody has open by a copy without the pages
// that are not in use: bbolt never gives them back. The copy holds every key and
// value of the journal, but for what Prune leaves out and Retain erases. It is made beside the
// journal, synced, read back (from the disk, where the system lets go of
// what it has in memory) and compared, and all of it is checked, before it
// takes the journal's name in one step; only then is the old file gone. A failure
// or a crash leaves the old journal or the new one, and never less.
//
// ErrLocked: a process has it open. *Damage: the journal is not whole, and stays
// as it is. ErrDoubtful: a sync of it failed, and it is to be opened first.
func Compact(ctx context.Context, path string, o CompactOptions) (Compacted, error) {
	if o.Retain < 0 {
		return Compacted{}, fmt.Errorf("documents cannot be retained for %s", o.Retain)
	}
	if Doubtful(path) {
		return Compacted{}, fmt.Errorf("%w: %s", ErrDoubtful, path)
	}
	j, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return Compacted{}, err
	}
	c := &compaction{CompactOptions: o, path: path, from: j}
	done, err := c.run(ctx)
	return done, errors.Join(err, j.Close())
}

// ErrDoubtful: a sync of the journal failed, and what it holds is not proven yet.
// Opening it to write proves it.
var ErrDoubtful = errors.New("journal is in doubt after a failed sync")

// Sweep removes what an interrupted compaction left beside a journal that was
// opened, and tells whether there was anything. It was never the journal.
func Sweep(path string) (swept bool, err error) {
	err = os.Remove(path + compactSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// compaction is one under way.
type compaction struct {
	CompactOptions
	path string
	from *Journal

	histories []journal.History
	current   map[uuid.UUID]uuid.UUID // incarnations, by their warehouse
	eraser    *eraser                 // nil: all documents are retained
}

func (c *compaction) run(ctx context.Context) (done Compacted, err error) {
	before, err := os.Stat(c.path)
	if err != nil {
		return done, err
	}
	if c.histories, err = c.from.histories(ctx); err != nil {
		return done, err
	}
	c.current = map[uuid.UUID]uuid.UUID{}
	for _, h := range c.histories {
		if h.Current {
			c.current[h.Warehouse] = h.Incarnation
		}
	}
	if err := c.retain(ctx); err != nil {
		return done, err
	}
	if c.DryRun {
		done.After, err = c.dry(ctx, before.Size())
	} else {
		done.After, err = c.swap(ctx, before.Mode().Perm())
	}
	if err != nil {
		return Compacted{}, err
	}
	done.Before = before.Size()
	for _, h := range c.histories {
		done.Histories = append(done.Histories, journal.Compaction{History: h, Pruned: !c.takes(h.Warehouse, h.Incarnation), Erased: c.eraser.erased(h.Incarnation)})
	}
	return done, nil
}

// retain finds out what is not retained. What is damaged is not erased: all of the
// journal is checked before.
func (c *compaction) retain(ctx context.Context) error {
	if c.Retain == 0 {
		return nil
	}
	return c.do("look", func() (err error) {
		if _, err = c.audit(ctx, c.from); err == nil {
			c.eraser, err = c.erasing(ctx)
		}
		return err
	})
}

// editing is that of the eraser.
func (c *compaction) editing() editing {
	if c.eraser == nil {
		return nil
	}
	return c.eraser.edit
}

// takes is the selection of the copy.
func (c *compaction) takes(warehouse, incarnation uuid.UUID) bool {
	return !c.Prune || c.current[warehouse] == incarnation
}

// pruning calls Pruning, if anything is left out.
func (c *compaction) pruning() error {
	leftOut := func(h journal.History) bool { return !c.takes(h.Warehouse, h.Incarnation) }
	if c.Pruning == nil || !slices.ContainsFunc(c.histories, leftOut) {
		return nil
	}
	return c.Pruning()
}

// swap makes the copy, proves it and puts it in the journal's place. Until the
// rename the journal is as it was, and a crash leaves a copy that Sweep removes;
// after it the copy is the journal, and all of it was synced before.
func (c *compaction) swap(ctx context.Context, mode fs.FileMode) (after int64, err error) {
	copied := c.path + compactSuffix
	if _, err := Sweep(c.path); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_, swept := Sweep(c.path) // also where the rename failed after taking effect: then there is none
			err = errors.Join(err, swept)
		}
	}()
	var wrote journal.Digest
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"copy", func() (err error) {
			wrote, err = writeCopy(ctx, c.from.db, copied, c.takes, c.editing(), c.counting("bytes copied"))
			return errors.Join(err, os.Chmod(copied, mode), forget(copied))
		}},
		{"check", func() error { return c.prove(ctx, copied, wrote) }},
		{"prune", c.pruning},
		{"rename", func() error { return os.Rename(copied, c.path) }},
		{"sync folder", func() error { return syncFolder(filepath.Dir(c.path)) }},
	} {
		if err := c.do(s.name, s.do); err != nil {
			return 0, fmt.Errorf("compact %s: %s: %w", c.path, s.name, err)
		}
	}
	info, err := os.Stat(c.path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (c *compaction) do(name string, do func() error) error {
	if c.step != nil {
		return c.step(name, do)
	}
	return do()
}

// prove reads the copy back: it must hold what was written of the journal, and that
// must be whole histories, in which every document that is retained can be made.
func (c *compaction) prove(ctx context.Context, copied string, wrote journal.Digest) (err error) {
	j, err := Open(copied, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	switch holds, err := digestOf(ctx, j.db, everything); {
	case err != nil:
		return err
	case holds != wrote:
		return &journal.Damage{Reason: "the copy does not hold what was read"}
	}
	documents, err := c.audit(ctx, j)
	if err == nil && c.eraser != nil && documents != c.eraser.kept {
		return &journal.Damage{Reason: fmt.Sprintf("the copy has %d documents, not %d", documents, c.eraser.kept)}
	}
	return err
}

// audit is the first damage of a journal, if any, or else how many documents it
// keeps. One that was over the limit, or erased, is no damage.
func (c *compaction) audit(ctx context.Context, j *Journal) (documents int64, err error) {
	checked := c.counting("warehouses checked")
	for warehouse := range c.current {
		var damage error
		seen, err := j.Audit(ctx, warehouse, func(f journal.Flaw) {
			if damage == nil && f.Absent == nil {
				damage = &f.Damage
			}
		})
		if err := errors.Join(err, damage); err != nil {
			return 0, err
		}
		documents += seen.Documents
		if checked != nil {
			checked(1)
		}
	}
	return documents, nil
}

// counting adds up what is done and tells the sum.
func (c *compaction) counting(doing string) func(int) {
	if c.Progress == nil {
		return nil
	}
	sum := int64(0)
	c.Progress(doing, sum)
	return func(n int) {
		sum += int64(n)
		c.Progress(doing, sum)
	}
}
