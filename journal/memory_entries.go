package journal

import (
	"bytes"
	"context"
	"iter"
)

var _ Entries = memoryReader{}

// Entries implements Entries.
func (r memoryReader) Entries(ctx context.Context, after Seq) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		h, _, err := r.current(ctx)
		if err != nil {
			end(err, yield)
			return
		}
		for e, err := range r.Scan(ctx, after) {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(r.entry(h, e), nil) {
				return
			}
		}
	}
}

// entry is what is kept of an event that is there.
func (r memoryReader) entry(h *history, e Event) Entry {
	r.m.mu.RLock()
	defer r.m.mu.RUnlock()
	entry := Entry{Event: e, Record: bytes.Clone(h.records[e.Seq-h.first].record)}
	for move := range e.Moves() {
		if d, ok := h.documents[documentKey{e.Seq, move}]; ok {
			d.Data = bytes.Clone(d.Data)
			entry.Documents = append(entry.Documents, d)
		}
	}
	return entry
}
