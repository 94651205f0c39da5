package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Whole is what of a damaged archive can be relied on: of each incarnation of the
// warehouse id (Nil: of the one that the oldest whole segment is of) the segments before the first one whose events are damaged or missing. Documents
// that are damaged are spared: see Spare. An incarnation that a later one continues beyond that is left out, since a
// lineage cannot lead through it. When nothing is left of the incarnation that was begun
// last, there is no archive (nil): what is older says what is no longer true. It reads
// all events, once.
//
// lost says what was left out, an error each. err: ErrNewer, and the store's.
func Whole(ctx context.Context, store warehouse.Reader, id uuid.UUID) (a *Archive, lost []error, err error) {
	all, err := listSegments(ctx, store, Folder)
	if err != nil {
		return nil, nil, err
	}
	a = &Archive{store: store, id: id, cache: newCache()}
	a.Spare()
	last := journal.Seq(0)
	for _, incarnation := range slices.SortedFunc(maps.Keys(all), func(x, y uuid.UUID) int { return cmp.Compare(all[x][0].first, all[y][0].first) }) {
		kept, damage, err := a.whole(ctx, incarnation, all[incarnation])
		if err != nil {
			return nil, nil, err
		}
		if damage != nil {
			lost = append(lost, damage)
		}
		if kept != nil {
			a.all = append(a.all, kept)
		}
		if kept != nil || !errors.Is(damage, errForeign) {
			last = all[incarnation][0].first
		}
	}
	if len(a.all) == 0 || a.all[len(a.all)-1].first() != last {
		return nil, lost, nil
	}
	return a, append(lost, a.joinLineages()...), nil
}

// errForeign: an object is of another warehouse.
var errForeign = errors.New("archive: of another warehouse")

// whole keeps the first segments of an incarnation, up to the damage; nil: none.
func (a *Archive) whole(ctx context.Context, id uuid.UUID, segments []listed) (kept *incarnation, damage, err error) {
	i := &incarnation{id: id}
	var before *segment
	for _, l := range segments {
		s, err := a.wholeSegment(ctx, i, l.first, before)
		if spoilt := (*Damage)(nil); errors.As(err, &spoilt) {
			damage = err
			break
		}
		if err != nil {
			return nil, nil, err
		}
		i.segments, i.end, before = append(i.segments, l), s.last(), s
	}
	if before == nil {
		return nil, damage, nil
	}
	return i, damage, nil
}

// wholeSegment reads a segment that goes on where the one before ends, or starts the
// incarnation.
func (a *Archive) wholeSegment(ctx context.Context, i *incarnation, first journal.Seq, before *segment) (*segment, error) {
	s, err := a.segment(ctx, i.id, first)
	if err != nil {
		return nil, err
	}
	if a.id == uuid.Nil {
		a.id = s.Warehouse
	}
	if before == nil {
		err = a.begin(i, s)
	} else {
		err = s.follows(before)
	}
	return s, err
}

// joinLineages leaves incarnations out that a later one does not continue where they
// are whole, and says which.
func (a *Archive) joinLineages() (lost []error) {
	for _, later := range a.all {
		if later.parent == nil {
			continue
		}
		a.all = slices.DeleteFunc(slices.Clone(a.all), func(i *incarnation) bool {
			beyond := i.id == later.parent.Incarnation && later.parent.Seq > i.end.Seq
			if beyond {
				lost = append(lost, fmt.Errorf("archive: incarnation %s is whole up to %d only, and %s goes on at %d: its history is left out",
					i.id, i.end.Seq, later.id, later.parent.Seq))
			}
			return beyond
		})
	}
	return lost
}
