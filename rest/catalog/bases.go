package catalog

import (
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// maxBases bounds for how many objects is known where their document is kept.
const maxBases = 1 << 16

// bases knows where the journal keeps the documents that this process recorded
// last, of each object one: what the next may be kept as a patch on. What it does
// not know is kept whole. Safe for concurrent use; the zero value is ready.
type bases struct {
	mu sync.Mutex
	of map[uuid.UUID]keptAt // guarded by mu
}

// keptAt is where a document of a digest is kept.
type keptAt struct {
	digest journal.Digest
	at     journal.Base
}

// note takes in what an event has kept.
func (b *bases) note(e journal.Event, documents []journal.Document) {
	if len(documents) == 0 {
		return
	}
	moves := e.Moves()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[uuid.UUID]keptAt{}
	}
	for _, d := range documents {
		m := moves[d.Move]
		if m.To.Pointer.Size < journal.MinPatched {
			continue
		}
		if len(b.of) >= maxBases {
			b.dropLocked()
		}
		b.of[m.UUID] = keptAt{m.To.Pointer.DocumentSHA256, journal.Base{Seq: e.Seq, Move: d.Move, Patches: d.Patches()}}
	}
}

// dropLocked forgets any one.
func (b *bases) dropLocked() {
	for id := range b.of {
		delete(b.of, id)
		return
	}
}

// take gives where the document of an object is kept, and forgets it: a refused
// append is not tried on the same base again.
func (b *bases) take(id uuid.UUID, digest journal.Digest) (journal.Base, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept, ok := b.of[id]
	delete(b.of, id)
	return kept.at, ok && kept.digest == digest
}

// base is what a version may be kept as a patch on.
type base struct {
	at   journal.Base
	text []byte // nil: nothing
}

// baseOf is what the next version of an object may be kept on. The text is the one
// that was proven to be the document recorded.
func (c *Catalog) baseOf(object projections.Object) (b base) {
	at, ok := c.bases.take(object.UUID, object.Pointer.DocumentSHA256)
	if !ok {
		return b
	}
	if d, ok := c.documents.find(object.Pointer.SHA256); ok {
		b.at, b.text = at, d.text
	}
	return b
}
