package recover

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Source is what a recovery reads.
type Source string

// The sources, from the one that knows most.
const (
	FromJournal   Source = "journal"
	FromArchive   Source = "archive"
	FromMetastore Source = "metastore"
	FromSidecars  Source = "sidecars"
)

// Evidence is what says that a metadata file is the current one.
type Evidence string

// The evidences.
const (
	ByJournal     Evidence = "journal"
	ByArchive     Evidence = "archive"
	ByMetastore   Evidence = "metastore" // pointer tables that followed a journal
	BySidecar     Evidence = "sidecar"
	ByDescendants Evidence = "descendants" // by metadata logs that lead on from the file that a sidecar names
)

// Confidence is how sure a metadata file is.
type Confidence string

// The confidences.
const (
	Proven   Confidence = "proven"   // an event says that it was committed
	Inferred Confidence = "inferred" // nothing says otherwise
)

// ObjectOutcome is what a recovery concluded about one object.
type ObjectOutcome string

// The outcomes. A plan says recovered where nothing that it has seen is in the way.
const (
	Recovered ObjectOutcome = "recovered"
	Skipped   ObjectOutcome = "skipped" // its name exists
	Dropped   ObjectOutcome = "dropped" // it was dropped, and is not brought back
	Failed    ObjectOutcome = "failed"
)

// PropertiesMissing is the From of a namespace of which only its name is known.
const PropertiesMissing = "missing"

// PlannedNamespace is a namespace that is to be there.
type PlannedNamespace struct {
	Name       journal.Namespace
	ID         uuid.UUID         // Nil: nobody knows it
	Properties map[string]string // never nil
	From       string            // "sidecar", "journal", "archive", PropertiesMissing
}

// PlannedObject is what became of a table or view. Of a sidecar that cannot be read it
// has the outcome, the Err and, as far as the file's name tells it, the UUID.
type PlannedObject struct {
	Kind             journal.ObjectKind
	UUID             uuid.UUID
	Identifier       journal.Identifier
	Outcome          ObjectOutcome
	MetadataLocation string          // as it is spelled where it was found; of a failed one the last that is known
	Pointer          journal.Pointer // zero: the file is to be read
	Evidence         Evidence
	Confidence       Confidence
	CommitsBehind    int      // how many commits MetadataLocation is after the one that a sidecar names
	Warnings         []string // one line each
	Err              error    // why it is failed: one line
}

// Unregistered is a folder's metadata files of one uuid that no sidecar has.
type Unregistered struct {
	UUID     uuid.UUID // Nil where the files have none
	Location string    // of the table or view, as the newest file says it
	Newest   string    // the newest metadata file: by descent, else by last-updated-ms
}

// NotUsed is a metadata file that is no object's current one, nor one that it comes
// from; or the key of a folder below a sidecar.
type NotUsed struct {
	MetadataLocation string
	Reason           string // one line
}

// Plan is what a recovery would do to one warehouse. Namespaces come before their
// children; objects are ordered by identifier.
type Plan struct {
	Warehouse      string
	From           Source
	EventsReplayed int
	Imported       int // old moves, from pointer tables
	Namespaces     []PlannedNamespace
	Objects        []PlannedObject
	Unregistered   []Unregistered
	NotUsed        []NotUsed
	Warnings       []string // of the warehouse: one line each
	// Unseen is something that could not be looked at, for a reason that may pass: with
	// it, the plan may be another. nil: all was seen.
	Unseen error
}

// Empty tells whether there is nothing to bring back.
func (p *Plan) Empty() bool {
	return len(p.Namespaces) == 0 && !slices.ContainsFunc(p.Objects, func(o PlannedObject) bool { return o.Outcome == Recovered })
}

// planHeld is an object as tables hold it.
func planHeld(o projections.HeldObject, by Evidence) PlannedObject {
	outcome := Recovered
	if o.Dropped {
		outcome = Dropped
	}
	return PlannedObject{
		Kind: o.Kind, UUID: o.UUID, Identifier: o.Identifier, Outcome: outcome, MetadataLocation: o.Pointer.MetadataLocation,
		Pointer: o.Pointer, Evidence: by, Confidence: Proven,
	}
}

// order puts a plan into the order that it promises, whatever was found first.
func (p *Plan) order() {
	slices.SortFunc(p.Namespaces, func(a, b PlannedNamespace) int { return slices.Compare(a.Name, b.Name) })
	slices.SortStableFunc(p.Objects, func(a, b PlannedObject) int {
		return cmp.Or(slices.Compare(a.Identifier.Namespace, b.Identifier.Namespace),
			strings.Compare(a.Identifier.Name, b.Identifier.Name), strings.Compare(a.UUID.String(), b.UUID.String()))
	})
	slices.SortFunc(p.Unregistered, func(a, b Unregistered) int { return strings.Compare(a.Newest, b.Newest) })
	slices.SortFunc(p.NotUsed, func(a, b NotUsed) int {
		return cmp.Or(strings.Compare(a.MetadataLocation, b.MetadataLocation), strings.Compare(a.Reason, b.Reason))
	})
}
