package journaltest

import (
	"context"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// Start is when the histories of tests begin.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Incarnation is the first incarnation of a warehouse in tests.
func Incarnation(warehouse uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(warehouse, []byte("incarnation"))
}

// Entries forms what drafts become in histories that begin with them: the same
// drafts and start give the same bytes. The clock mostly goes on, stands still
// now and then, and once in a while goes back. Drafts of several warehouses may
// be mixed.
func Entries(tb rapid.TB, drafts []journal.Draft, start time.Time) []journal.Entry {
	tb.Helper()
	heads := make(journal.Heads)
	entries := make([]journal.Entry, 0, len(drafts))
	for i, d := range drafts {
		head, ok := heads[d.Warehouse]
		if !ok {
			head = journal.NewChain(d.Warehouse, Incarnation(d.Warehouse), 0)
		}
		entry, next, err := head.Next(d, journal.At(tick(start, i)))
		if err != nil {
			tb.Fatalf("draft %d: %v", i, err)
		}
		heads[d.Warehouse] = next
		entries = append(entries, entry)
	}
	return entries
}

func tick(start time.Time, i int) time.Time {
	switch i % 8 {
	case 3:
		i-- // stands still
	case 6:
		i -= 4 // goes back
	}
	return start.Add(time.Duration(i) * 700 * time.Millisecond)
}

// Append appends entries in groups that are within the limits.
func Append(tb rapid.TB, j journal.Writer, entries []journal.Entry) {
	tb.Helper()
	for len(entries) > 0 {
		n, size := 1, entries[0].Size()
		for n < len(entries) && n < journal.MaxGroupEntries && size+entries[n].Size() <= journal.MaxGroupBytes {
			size += entries[n].Size()
			n++
		}
		if err := j.Append(context.Background(), entries[:n]...); err != nil {
			tb.Fatalf("append: %v", err)
		}
		entries = entries[n:]
	}
}

// Events reads everything after a seq.
func Events(tb rapid.TB, r journal.Reader, after journal.Seq) []journal.Event {
	tb.Helper()
	var events []journal.Event
	for e, err := range r.Scan(context.Background(), after) {
		if err != nil {
			tb.Fatalf("scan after %d: %v", after, err)
		}
		events = append(events, e)
	}
	return events
}
