package bolt

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// eraser edits a walk: of a document that is not retained the mark is told that it
// was erased, and what is built on it is told whole, so that every other document can
// be made as before. All else is told as it is.
type eraser struct {
	ctx  context.Context
	from *Journal
	of   map[uuid.UUID]*erasure // by incarnation
	kept int64                  // documents that are told
}

// erasing finds out what is not retained of the incarnations that are taken, the older
// ones of each warehouse first.
func (c *compaction) erasing(ctx context.Context) (*eraser, error) {
	e := &eraser{ctx: ctx, from: c.from, of: map[uuid.UUID]*erasure{}}
	taken := slices.DeleteFunc(slices.Clone(c.histories), func(h journal.History) bool { return !c.takes(h.Warehouse, h.Incarnation) })
	slices.SortStableFunc(taken, func(a, b journal.History) int { return cmp.Compare(a.First(), b.First()) })
	kept := map[uuid.UUID][]uuid.UUID{}
	for _, h := range taken {
		kept[h.Warehouse] = append(kept[h.Warehouse], h.Incarnation)
	}
	for warehouse, incarnations := range kept {
		retained, err := journal.Retain(ctx, c.from, warehouse, incarnations, c.Retain, c.Now)
		if err != nil {
			return nil, err
		}
		for _, id := range incarnations {
			e.of[id] = &erasure{Retention: retained[id], reader: reader{c.from, warehouse, id}, patches: map[made]int{}}
		}
	}
	return e, nil
}

// erased is how many documents of an incarnation are not retained.
func (e *eraser) erased(incarnation uuid.UUID) int64 {
	if e == nil || e.of[incarnation] == nil {
		return 0
	}
	return e.of[incarnation].erased
}

// erasure is what becomes of the documents of one incarnation.
type erasure struct {
	journal.Retention
	reader
	erased  int64        // documents
	patches map[made]int // what documents are made of now, where that is another number than before
	current made         // whose chunks are told
	drops   bool         // the other chunks of it
}

// edit is an editing.
func (e *eraser) edit(tell visit) visit {
	return func(path [][]byte, key, value []byte) error {
		if key == nil || len(path) != 4 || string(path[3]) != string(bucketDocuments) {
			return tell(path, key, value)
		}
		of := e.of[uuid.UUID(path[2])]
		if of == nil || len(key) != documentKeySize || len(value) == 0 {
			return &journal.Damage{Reason: fmt.Sprintf("a document is kept of nothing, as %x", key)}
		}
		at := made{seqOf(key[:8]), int(binary.BigEndian.Uint32(key[8:]))}
		if binary.BigEndian.Uint32(key[12:]) != 0 {
			if of.drops && of.current == at {
				return nil
			}
			return tell(path, key, value)
		}
		now, err := e.document(of, at, journal.Document{Move: at.move, Codec: journal.Codec(value[0]), Data: value[1:]})
		if err != nil {
			return err
		}
		return of.tell(at, now, func(key, value []byte) error { return tell(path, key, value) })
	}
}

// rewritten is what a document is told as: its first chunk, or all of it.
type rewritten struct {
	journal.Document
	whole bool
}

// document decides about one, of which d is the first chunk.
func (e *eraser) document(of *erasure, at made, d journal.Document) (rewritten, error) {
	if d.Codec == journal.CodecErased {
		return rewritten{Document: d}, nil
	}
	if of.Erases(at.seq, at.move) {
		of.erased++
		return rewritten{journal.Document{Move: at.move, Codec: journal.CodecErased}, true}, nil
	}
	e.kept++
	base, patched := d.On()
	if !patched {
		return rewritten{Document: d}, nil
	}
	on := made{base.Seq, base.Move}
	patches, changed := of.patches[on]
	switch {
	case of.Erases(on.seq, on.move):
		of.patches[at] = 0
		return e.whole(of, at)
	case changed:
		of.patches[at] = patches + 1
		d = d.OnAnother(patches)
	}
	return rewritten{Document: d}, nil
}

// whole makes a document of all that it is built on. The limit of what is kept is
// that of appends: here it was kept already.
func (e *eraser) whole(of *erasure, at made) (rewritten, error) {
	plain, err := of.Document(e.ctx, at.seq, at.move)
	if err != nil {
		return rewritten{}, err
	}
	d, ok := journal.KeepDocument(at.move, plain, 2*journal.MaxInflatedBytes)
	if !ok {
		return rewritten{}, fmt.Errorf("document of move %d of event %d: %w", at.move, at.seq, journal.ErrTooLarge)
	}
	return rewritten{d, true}, nil
}

// tell tells a document: the first chunk, and with a whole one the others.
func (of *erasure) tell(at made, now rewritten, tell func(key, value []byte) error) error {
	of.current, of.drops = at, now.whole
	value := append([]byte{byte(now.Codec)}, now.Data...)
	for chunk := 0; len(value) > 0; chunk++ {
		n := min(len(value), chunkSize)
		if err := tell(chunkKey(at.seq, at.move, chunk), value[:n]); err != nil {
			return err
		}
		value = value[n:]
	}
	return nil
}
