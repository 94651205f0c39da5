package verify

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // something was lost or changed
	Warning Severity = "warning" // somebody should look; nothing acknowledged is at stake
	Note    Severity = "note"    // only told
)

// Kind says what a finding is about. The words are what scripts read.
type Kind string

// The kinds, by level.
const (
	KindIdentity Kind = "identity"        // the journal and the warehouse do not belong together
	KindAnchor   Kind = "anchor"          // head.json is damaged, or knows more than the journal
	KindJournal  Kind = "journal"         // a record is not what was written there, or its file is not
	KindBeside   Kind = "beside-journal"  // a document, id or answer beside the chain is not
	KindArchive  Kind = "archive"         // an object of the archive is not what was sealed, or of another history
	KindTorn     Kind = "torn-write"      // the last write to the journal was cut off
	KindNotKept  Kind = "document-absent" // the journal keeps no copy of a metadata file
	KindErased   Kind = "document-erased" // the journal's copy of a metadata file was erased
	KindSidecar  Kind = "sidecar"         // one does not say what the journal says
	KindTables   Kind = "pointer-tables"  // they are not the fold of the journal
	KindMissing  Kind = "file-missing"    // a metadata file is gone
	KindChanged  Kind = "file-changed"    // its bytes are not those that were committed
	KindForeign  Kind = "file-foreign"    // it is of another table or place, or no metadata
	KindNewer    Kind = "newer-file"      // a file descends from the current one that no event names
	KindStray    Kind = "stray-file"      // a file that nobody names
	KindLeftover Kind = "leftover-file"   // what a write that was cut off has left
	KindTwice    Kind = "uuid-in-two"     // one uuid is live in two warehouses
	KindRepaired Kind = "repaired"        // what a repair did, or would do
	KindRefused  Kind = "repair-refused"  // what a repair cannot prove
)

// Object says which table or view a finding is about.
type Object struct {
	Kind       journal.ObjectKind `json:"kind"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
}

// Finding is one thing that is not as it should be.
type Finding struct {
	Level       int         `json:"level"`
	Severity    Severity    `json:"severity"`
	Kind        Kind        `json:"kind"`
	Warehouse   string      `json:"warehouse"`
	Place       string      `json:"place"` // a file, or a part of the catalog
	Incarnation string      `json:"incarnation,omitempty"`
	Seq         journal.Seq `json:"seq,omitempty"`
	Object      *Object     `json:"object,omitempty"`
	Message     string      `json:"message"`
	Next        string      `json:"next,omitempty"` // the command to run
}

// String is one line for people.
func (f Finding) String() string {
	s := string(f.Severity)
	if f.Kind != KindRepaired { // the message says it
		s += ": " + string(f.Kind)
	}
	if f.Warehouse != "" {
		s += ": " + f.Warehouse
	}
	if f.Object != nil {
		s += fmt.Sprintf(": %s %s", f.Object.Kind, f.Object.Identifier.Quoted())
	}
	s += ": " + f.Place
	if f.Incarnation != "" {
		s += fmt.Sprintf(" at %s:%s", f.Incarnation, f.Seq)
	}
	s += ": " + f.Message
	if f.Next != "" {
		s += "; next: " + f.Next
	}
	return s
}

func (f Finding) at(p journal.Position) Finding {
	f.Incarnation, f.Seq = p.Incarnation.String(), p.Seq
	return f
}

func (f Finding) of(o projections.Object) Finding {
	f.Object = &Object{o.Kind, o.UUID, o.Identifier}
	return f
}
