package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Compare looks whether a warehouse's journal may go on beside its archive: ErrAhead where
// the archive holds events after all that the journal has, in the same history;
// ErrSecondWriter where it has another event at one of the journal's positions. Nil where
// the archive ends in what the journal has, in a past that was left, or is not there. As a
// follower does, it looks where HEAD says, or else lists. Other errors are *Damage,
// ErrNewer, and those of the store and the journal.
func Compare(ctx context.Context, store warehouse.Reader, id uuid.UUID, from journal.Histories) error {
	end, found, err := Head(ctx, store)
	if err != nil || !found {
		return err
	}
	all, err := from.Incarnations(ctx, id)
	if err != nil {
		return err
	}
	current := slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.Current })
	held := slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.ID == end.Incarnation })
	switch {
	case current < 0:
		return nil
	case held < 0 && end.Seq >= all[current].First:
		return elsewhere(ctx, store, id, end, all[current].Head)
	case held != current: // how far it goes was decided when the next was begun
		return nil
	}
	return ours(ctx, store, id, from.Incarnation(id, end.Incarnation), end)
}

// elsewhere tells what it means that the archive ends in an incarnation that the journal
// does not hold: one that continues the journal's history, or another.
func elsewhere(ctx context.Context, store warehouse.Reader, id uuid.UUID, end, head journal.Position) error {
	a, err := Open(ctx, store)
	if err != nil {
		return err
	}
	for _, i := range slices.Backward(a.all) { // parents come before what continues them
		if i.id != end.Incarnation || i.parent == nil {
			continue
		}
		if end = *i.parent; end.Incarnation == head.Incarnation {
			break
		}
	}
	if end.Incarnation == head.Incarnation && end.Seq >= head.Seq {
		for e, err := range a.Incarnation(id, head.Incarnation).Scan(ctx, head.Seq-1) {
			if err != nil {
				return err
			}
			if e.Position == head {
				return fmt.Errorf("%w: it goes on after %s, where the journal ends, in a later incarnation", ErrAhead, head)
			}
			break
		}
	}
	return fmt.Errorf("%w: it goes on in an incarnation that does not come from where the journal ends, %s", ErrSecondWriter, head)
}

// ours checks that an archived position is one of a journal's.
func ours(ctx context.Context, store warehouse.Reader, id uuid.UUID, r journal.Reader, p journal.Position) error {
	head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	if p.Seq > head.Seq {
		return beyond(ctx, store, id, p, head)
	}
	for e, err := range r.Scan(ctx, p.Seq-1) {
		if err != nil {
			return err
		}
		if e.Hash != p.Hash {
			return fmt.Errorf("%w: at %s it holds the hash %s, the journal %s", ErrSecondWriter, p, p.Hash, e.Hash)
		}
		return nil
	}
	return fmt.Errorf("%w: it holds %s", ErrAhead, p)
}

// beyond tells what it means that the archive holds a position beyond the journal's
// head: it has the event at the head too, or another one. What is wrong with other
// incarnations does not matter.
func beyond(ctx context.Context, store warehouse.Reader, id uuid.UUID, p, head journal.Position) error {
	a, err := openBelow(ctx, store, Folder+"/"+head.Incarnation.String())
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	if err == nil {
		for e, err := range a.Incarnation(id, head.Incarnation).Scan(ctx, head.Seq-1) {
			if err != nil {
				return err
			}
			if e.Hash != head.Hash {
				return fmt.Errorf("%w: at %s it holds the hash %s, the journal %s", ErrSecondWriter, head, e.Hash, head.Hash)
			}
			break
		}
	}
	return fmt.Errorf("%w: it holds %s, the journal ends at %s", ErrAhead, p, head)
}
