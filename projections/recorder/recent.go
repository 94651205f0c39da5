package recorder

import (
	"time"

	"github.com/google/uuid"
)

// remembered is how many recorded ids are kept in memory.
const remembered = 1 << 16

// recent tells which event ids need not be looked up in the journal. It rests on
// ids being UUIDv7, minted when the request came: one minted after all that were
// forgotten is in the journal only if it is remembered.
type recent struct {
	ids    map[uuid.UUID]struct{}
	size   int
	order  []uuid.UUID // a ring of that size; oldest at next once it is full
	next   int
	minted int64 // ms; no forgotten id is younger
}

// newRecent remembers nothing yet, and later that many ids. What was minted until
// then may be in the journal.
func newRecent(then time.Time, size int) recent {
	return recent{ids: make(map[uuid.UUID]struct{}), size: size, minted: then.UnixMilli()}
}

// mayHold is false when the journal surely does not hold the id.
func (r *recent) mayHold(id uuid.UUID) bool {
	if id.Version() != 7 || mintedAt(id) <= r.minted {
		return true
	}
	_, ok := r.ids[id]
	return ok
}

// add remembers an id that was recorded, and forgets the oldest.
func (r *recent) add(id uuid.UUID) {
	if id.Version() != 7 {
		return // always looked up
	}
	r.ids[id] = struct{}{}
	if len(r.order) < r.size {
		r.order = append(r.order, id)
		return
	}
	oldest := r.order[r.next]
	delete(r.ids, oldest)
	r.minted = max(r.minted, mintedAt(oldest))
	r.order[r.next] = id
	r.next = (r.next + 1) % r.size
}

// mintedAt is the time in a UUIDv7: its first 48 bits, in milliseconds.
func mintedAt(id uuid.UUID) int64 {
	var ms int64
	for _, b := range id[:6] {
		ms = ms<<8 | int64(b)
	}
	return ms
}
