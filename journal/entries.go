package journal

import (
	"context"
	"iter"
)

// Entries is a Reader that also yields what was appended as it is kept.
type Entries interface {
	// Entries is Scan with what lies beside each event: its record, which is what
	// its hash covers, and its documents in the order of their moves, as they are
	// stored, those that were erased among them. It has no requests. What it yields
	// is the consumer's to keep; of the documents nothing is checked.
	Entries(ctx context.Context, after Seq) iter.Seq2[Entry, error]
}
