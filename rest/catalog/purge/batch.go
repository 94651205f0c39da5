package purge

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/projections"
)

// batch gathers files of one kind and deletes them together, after it has asked
// whose they are now.
type batch struct {
	job     *Job
	purge   projections.Purge
	kind    Kind
	part    *part
	attempt *attempt // its report counts what is removed, at once
	targets []target
}

// add takes a file that the metadata names, which may be anybody's.
func (b *batch) add(ctx context.Context, location string) error {
	t, reason := owned(b.job.Roots, b.purge.Places, location)
	if reason != "" {
		b.part.kept.keep(location, reason)
		return nil
	}
	b.targets = append(b.targets, t)
	if len(b.targets) < b.job.Batch {
		return nil
	}
	return b.flush(ctx)
}

// flush deletes what was gathered. An error means that the purge must stop here:
// it is over, ctx has ended, or somebody who must be asked does not answer.
func (b *batch) flush(ctx context.Context) error {
	if len(b.targets) == 0 {
		return ctx.Err()
	}
	if err := b.job.pace.wait(ctx, len(b.targets)); err != nil {
		return err
	}
	release, err := b.job.Guard.Clear(ctx, b.purge.Places)
	if err != nil {
		return fmt.Errorf("its places cannot be cleared: %w", err)
	}
	defer release()
	mine, err := b.mine(ctx, b.targets)
	if err == nil && len(mine) > 0 && !b.attempt.begun {
		mine, err = b.commence(ctx, mine)
	}
	if err != nil {
		return err
	}
	b.remove(ctx, mine)
	b.job.show(func(s *Progress) { s.Current.Files = b.attempt.report.Counts })
	b.targets = b.targets[:0]
	return ctx.Err()
}

// mine are those of the files that are to go: the purge is wanted, and they are in nobody's
// place.
func (b *batch) mine(ctx context.Context, targets []target) ([]target, error) {
	if err := b.job.wanted(ctx, b.purge); err != nil {
		return nil, err
	}
	mine, err := b.unheld(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("who holds its places cannot be asked: %w", err)
	}
	return mine, nil
}

// unheld are the files that are in nobody's place. While nobody has a place near
// the table's, as usual, one question for each of these places is enough.
func (b *batch) unheld(ctx context.Context, targets []target) ([]target, error) {
	crowded := false
	for _, place := range b.purge.Places {
		_, held, err := b.job.Reader.PlaceHolder(ctx, place.Path, uuid.Nil)
		if err != nil {
			return nil, err
		}
		crowded = crowded || held
	}
	if !crowded {
		return targets, nil
	}
	var mine []target
	for _, t := range targets {
		holder, held, err := b.job.Reader.PlaceHolder(ctx, t.path, uuid.Nil)
		if err != nil {
			return nil, err
		}
		if held {
			b.part.kept.keep(t.location, heldBy(holder))
		} else {
			mine = append(mine, t)
		}
	}
	return mine, nil
}

func heldBy(holder uuid.UUID) string { return "it is in a place of " + holder.String() }

func (b *batch) count(t target, r removal) {
	switch {
	case r.err == nil && r.gone:
	case r.err == nil:
		b.job.deleted[t.root.URL]++
		b.attempt.report.Removed++
		b.attempt.report.Bytes += r.size
	case never(r.err) != "":
		b.part.kept.keep(t.location, never(r.err))
	default:
		b.part.fail(t, r.err)
	}
}
