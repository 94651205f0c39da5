package verify

import (
	"fmt"

	"puddle/journal"
)

// absentees are the metadata files that the journal keeps no copy of. There may be
// as many as events: one note tells of all.
type absentees struct {
	first journal.Flaw
	count int64
}

func (a *absentees) add(f journal.Flaw) {
	if a.count++; a.count == 1 {
		a.first = f
	}
}

func (a *absentees) tell(r *run) {
	if a.count == 0 {
		return
	}
	r.summary.NotKept = a.count
	p := a.first.Absent.Pointer
	message := fmt.Sprintf("the journal keeps no copy of %s (%d bytes)", p.MetadataLocation, p.Size)
	if a.count > 1 {
		message = fmt.Sprintf("the journal keeps no copy of %d metadata files, of which this is the first: %s (%d bytes)", a.count, p.MetadataLocation, p.Size)
	}
	r.found(Finding{Severity: Note, Kind: KindNotKept, Place: "journal",
		Message: message + ": over journal.max-document, or lost; such a file itself is all there is",
	}.at(journal.Position{Incarnation: a.first.Incarnation, Seq: a.first.Seq}))
}
