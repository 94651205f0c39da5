package verify

import (
	"fmt"

	"puddle/journal"
)

// absentees are the metadata files that the journal keeps no copy of. There may be
// as many as events: one note tells of all.
type absentees struct {
	First *journal.Flaw `json:"first"`
	Count int64         `json:"count"`
}

func (a *absentees) add(f journal.Flaw) {
	if a.Count++; a.Count == 1 {
		a.First = &f
	}
}

func (a *absentees) tell(r *run) {
	if a.Count == 0 {
		return
	}
	r.summary.NotKept = a.Count
	p := a.First.Absent.Pointer
	message := fmt.Sprintf("the journal keeps no copy of %s (%d bytes)", p.MetadataLocation, p.Size)
	if a.Count > 1 {
		message = fmt.Sprintf("the journal keeps no copy of %d metadata files, of which this is the first: %s (%d bytes)", a.Count, p.MetadataLocation, p.Size)
	}
	r.found(Finding{Severity: Note, Kind: KindNotKept, Place: "journal",
		Message: message + ": over journal.max-document, or lost; such a file itself is all there is",
	}.at(journal.Position{Incarnation: a.First.Incarnation, Seq: a.First.Seq}))
}
