package verify

import (
	"fmt"

	"puddle/journal"
)

// absentees are metadata files that the journal keeps no copy of. There may be
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

// tell tells that the journal says so of them, and why.
func (a *absentees) tell(r *run, kind Kind, says, why string) {
	if a.Count == 0 {
		return
	}
	p := a.First.Absent.Pointer
	message := fmt.Sprintf("the journal %s of %s (%d bytes)", says, p.MetadataLocation, p.Size)
	if a.Count > 1 {
		message = fmt.Sprintf("the journal %s of %d metadata files, of which this is the first: %s (%d bytes)", says, a.Count, p.MetadataLocation, p.Size)
	}
	r.found(Finding{Severity: Note, Kind: kind, Place: "journal", Message: message + ": " + why}.
		at(journal.Position{Incarnation: a.First.Incarnation, Seq: a.First.Seq}))
}
