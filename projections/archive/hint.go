package archive

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// hintKey is where to begin to look for the newest segment.
const hintKey = Folder + "/HEAD"

// hintEvery is how many segments there may be behind the hint.
const hintEvery = 64

// hint names a segment. It is written before that one is, so that it is never of an
// earlier incarnation than the newest segment.
type hint struct {
	FormatVersion int         `json:"format-version"`
	Incarnation   uuid.UUID   `json:"incarnation"`
	First         journal.Seq `json:"first"`
}

// readHint is the hint; none where it cannot be understood.
func readHint(ctx context.Context, store warehouse.Reader) (h hint, err error) {
	data, err := store.Get(ctx, hintKey, maxHeader)
	if errors.Is(err, warehouse.ErrNotFound) || errors.Is(err, warehouse.ErrTooLarge) {
		return hint{}, nil
	}
	if err != nil {
		return hint{}, err
	}
	if json.Unmarshal(data, &h) != nil || h.FormatVersion != FormatVersion || h.First == 0 {
		return hint{}, nil
	}
	return h, nil
}

// Named is the incarnation that HEAD names, and the first event of the segment that it
// names of it: what an archive was last seen to go on in, without a look at it. False where
// it names none.
func Named(ctx context.Context, store warehouse.Reader) (incarnation uuid.UUID, first journal.Seq, found bool, err error) {
	h, err := readHint(ctx, store)
	return h.Incarnation, h.First, h.First != 0, err
}

func writeHint(ctx context.Context, store warehouse.Store, h hint) error {
	h.FormatVersion = FormatVersion
	data, err := json.Marshal(h, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return store.Put(ctx, hintKey, append(data, '\n'))
}

// Head is the newest position that an archive holds: the end of its last
// incarnation. False when there is no archive. Where the hint stands it reads a few
// objects, else it lists the archive. Errors: *Damage, ErrNewer, and the store's.
func Head(ctx context.Context, store warehouse.Reader) (journal.Position, bool, error) {
	h, err := readHint(ctx, store)
	if err != nil {
		return journal.Position{}, false, err
	}
	if h.First != 0 {
		end, n, err := walk(ctx, store, h.Incarnation, h.First)
		if n > 0 || err != nil {
			return end, n > 0, err
		}
	}
	a, err := Open(ctx, store)
	if errors.Is(err, ErrNone) {
		return journal.Position{}, false, nil
	}
	if err != nil {
		return journal.Position{}, false, err
	}
	return a.current().end, true, nil
}

// walk follows the segments of an incarnation from the one that begins with an event
// to the last, and counts them.
func walk(ctx context.Context, store warehouse.Reader, incarnation uuid.UUID, first journal.Seq) (end journal.Position, n int, err error) {
	for ; ; n++ {
		name := key(incarnation, first, eventsPart)
		data, err := store.Get(ctx, name, maxObject)
		if errors.Is(err, warehouse.ErrNotFound) {
			return end, n, nil
		}
		if errors.Is(err, warehouse.ErrLink) || errors.Is(err, warehouse.ErrTooLarge) {
			return end, n, damaged(name, uuid.Nil, incarnation, first, "%w", err)
		}
		if err != nil {
			return end, n, err
		}
		h, _, err := parse(name, data)
		if err != nil {
			return end, n, err
		}
		if n > 0 && h.Prev != end.Hash {
			return end, n, h.damage(first, "it does not link to the segment before")
		}
		end, first = h.last(), h.Last.Seq+1
	}
}

// ends finds where the archive of an incarnation ends, and the first event of the segment
// that was looked at first; and how many segments there are from the hint on, or 0 where
// the hint did not lead to it.
func ends(ctx context.Context, store warehouse.Reader, incarnation uuid.UUID, at hint) (end journal.Position, from journal.Seq, behind int, err error) {
	if at.Incarnation == incarnation {
		end, n, err := walk(ctx, store, incarnation, at.First)
		if n > 0 || err != nil {
			return end, at.First, n, err
		}
	}
	all, err := listSegments(ctx, store, Folder+"/"+incarnation.String())
	held := all[incarnation]
	if err != nil || len(held) == 0 {
		return end, 0, 0, err
	}
	from = held[len(held)-1].first
	end, _, err = walk(ctx, store, incarnation, from)
	return end, from, 0, err
}
