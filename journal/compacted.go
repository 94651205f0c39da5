package journal

import "github.com/google/uuid"

// History is one incarnation of a warehouse, as it lies in a journal.
type History struct {
	Warehouse   uuid.UUID
	Name        string // of the warehouse, as the incarnation's first event says
	Incarnation uuid.UUID
	Current     bool     // new events go here
	Head        Position // its last event
	Events      int64
	Bytes       int64 // of what is stored of it
}

// First is the seq of its first event.
func (h History) First() Seq { return h.Head.Seq + 1 - Seq(h.Events) }

// Compacted is what a compaction did, or would do.
type Compacted struct {
	Before    int64 // bytes that the journal had
	After     int64 // likewise; of a dry run about
	Histories []Compaction
}

// Compaction is what became of one incarnation.
type Compaction struct {
	History
	Pruned bool  // it was left out
	Erased int64 // documents that were not retained
}
