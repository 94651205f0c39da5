package recover

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// versions finds in the lineage of a warehouse the events that made versions of objects.
// It looks through it once, when it is first asked, and keeps sixteen bytes a version.
// Safe for concurrent use.
type versions struct {
	of        journal.Histories
	warehouse uuid.UUID
	key       func(journal.Move) []byte // by which they are looked for: eight bytes that are any

	once sync.Once
	made []version // ordered
	err  error
}

type version struct {
	key uint64
	seq journal.Seq
}

func (v version) compare(other version) int {
	return cmp.Or(cmp.Compare(v.key, other.key), cmp.Compare(v.seq, other.seq))
}

func (v *versions) index(ctx context.Context) error {
	for e, err := range v.lineage().Scan(ctx, 0) {
		if err != nil {
			return err
		}
		for _, m := range e.Moves() {
			if projections.Leads(m) {
				v.made = append(v.made, version{binary.BigEndian.Uint64(v.key(m)), e.Seq})
			}
		}
	}
	slices.SortFunc(v.made, version.compare)
	v.made = slices.Compact(v.made)
	return nil
}

func (v *versions) lineage() journal.Reader { return journal.Lineage(v.of, v.warehouse) }

// find yields the events of a key, the newest first, and a few of others that it looks
// like. The first error ends them.
func (v *versions) find(ctx context.Context, key []byte) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		v.once.Do(func() { v.err = v.index(ctx) })
		if v.err != nil {
			yield(journal.Event{}, v.err)
			return
		}
		wanted := binary.BigEndian.Uint64(key)
		end, _ := slices.BinarySearchFunc(v.made, version{wanted + 1, 0}, version.compare)
		if wanted+1 == 0 {
			end = len(v.made)
		}
		for ; end > 0 && v.made[end-1].key == wanted; end-- {
			if e, err := v.event(ctx, v.made[end-1].seq); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// event is the one at a seq, which was there.
func (v *versions) event(ctx context.Context, seq journal.Seq) (journal.Event, error) {
	for e, err := range v.lineage().Scan(ctx, seq-1) {
		return e, err
	}
	return journal.Event{}, journal.ErrNoEvent
}
