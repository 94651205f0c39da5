package verify

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// Progress is how far a run over one warehouse came, for another one to go on from. It
// holds what was found on the way. What costs little is not in it and is looked at
// again: the anchor, and the fold, which the rest is compared with.
type Progress struct {
	Warehouse uuid.UUID       `json:"warehouse"`
	Audited   journal.Audited `json:"audited"` // of level 1
	Damaged   bool            `json:"damaged"` // the chain of events is
	Absent    absentees       `json:"absent"`  // documents
	Erased    absentees       `json:"erased"`  // likewise
	Journal   []Finding       `json:"journal"` // of its records
	Objects   *Looked         `json:"objects"` // nil: none was looked at yet
}

// Looked is how far levels 3 and 4 came, which look at objects by uuid.
type Looked struct {
	Head     journal.Position `json:"head"`     // of the events that the objects were listed as of
	Through  uuid.UUID        `json:"through"`  // the last that was looked at
	Unseen   []uuid.UUID      `json:"unseen"`   // of those up to it
	Broken   []uuid.UUID      `json:"broken"`   // their files are missing or changed
	Findings []Finding        `json:"findings"` // about the others
	Count    int64            `json:"count"`
	Files    int64            `json:"files"`
	Bytes    int64            `json:"bytes"`
	Young    young            `json:"young"` // passed over
}

// absent notes a document that is not kept.
func (p *Progress) absent(f journal.Flaw) {
	if f.Absent.Erased {
		p.Erased.add(f)
	} else {
		p.Absent.add(f)
	}
}

// own is a copy that shares nothing that grows.
func (p Progress) own() Progress {
	p.Journal = slices.Clone(p.Journal)
	if p.Objects != nil {
		o := *p.Objects
		o.Unseen, o.Broken, o.Findings = slices.Clone(o.Unseen), slices.Clone(o.Broken), slices.Clone(o.Findings)
		p.Objects = &o
	}
	return p
}

// tell hands out how far the run is. Lists in it only grow at their end.
func (r *run) tell() {
	p := r.reached
	if p.Objects != nil {
		o := *p.Objects
		p.Objects = &o
	}
	r.Reached(p)
}

// anew forgets an earlier run that cannot be gone on with.
func (r *run) anew(reason error) {
	r.reached = Progress{Warehouse: r.ID}
	r.summary.Resumed = "nothing: " + reason.Error()
}

// resumed says what is not looked at again.
func (r *run) resumed(what string, args ...any) {
	if r.summary.Resumed != "" {
		r.summary.Resumed += ", "
	}
	r.summary.Resumed += fmt.Sprintf(what, args...)
}
