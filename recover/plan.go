package recover

import (
	"context"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Source is what a plan was made from.
type Source string

// The sources, from the best evidence to the least.
const (
	SourceJournal   Source = "journal"
	SourceArchive   Source = "archive"
	SourceMetastore Source = "metastore"
	SourceSidecars  Source = "sidecars"
)

// Evidence is what says that an object has its metadata file.
type Evidence string

// The kinds of evidence.
const (
	EvidenceJournal     Evidence = "journal"
	EvidenceArchive     Evidence = "archive"
	EvidenceSidecar     Evidence = "sidecar"
	EvidenceDescendants Evidence = "descendants"
)

// Confidence tells what an event proves from what files suggest.
type Confidence string

// The two kinds of confidence.
const (
	Proven   Confidence = "proven"
	Inferred Confidence = "inferred"
)

// ObjectOutcome is what recovery concluded about one object or namespace.
type ObjectOutcome string

// The outcomes.
const (
	Recovered ObjectOutcome = "recovered"
	Skipped   ObjectOutcome = "skipped" // the name, or the object itself, is there already
	Dropped   ObjectOutcome = "dropped" // it was dropped, and is not brought back
	Failed    ObjectOutcome = "failed"
)

// Where the properties of a planned namespace come from.
const (
	PropertiesSidecar   = "sidecar"
	PropertiesJournal   = "journal"
	PropertiesArchive   = "archive"
	PropertiesMetastore = "metastore"
	PropertiesMissing   = "missing"
)

// PlannedNamespace is a namespace to have. ID is uuid.Nil where it is not known: then
// one is minted.
type PlannedNamespace struct {
	Name       journal.Namespace
	ID         uuid.UUID
	Properties map[string]string
	From       string // where the properties come from
}

// PlannedObject is what is concluded about a table or view. Pointer is zero where
// nothing proves the file's bytes: then the file says what it is.
type PlannedObject struct {
	Kind             journal.ObjectKind
	UUID             uuid.UUID
	Identifier       journal.Identifier
	Outcome          ObjectOutcome
	MetadataLocation string
	Pointer          journal.Pointer
	Evidence         Evidence
	Confidence       Confidence
	CommitsBehind    int
	Warnings         []string
	Err              error // of Failed
}

// Unregistered is an object's metadata that nothing names, for registering by hand.
type Unregistered struct {
	UUID     uuid.UUID
	Location string
	Newest   string
}

// NotUsed is a file or sidecar that was found and not used.
type NotUsed struct {
	MetadataLocation string
	Reason           string
}

// Plan is what a recovery of one warehouse would do. Namespaces come level by level.
type Plan struct {
	Warehouse      string
	From           Source
	EventsReplayed int
	Namespaces     []PlannedNamespace
	Objects        []PlannedObject
	Unregistered   []Unregistered
	NotUsed        []NotUsed
}

// Evidences is where a plan from sidecars looks.
type Evidences struct {
	Roots warehouse.Roots
	Name  string
	// Proven tells which files of an object events name, from an archive; known is
	// false where it has none of the object. Nil: there is no archive.
	Proven   func(ctx context.Context, object uuid.UUID) (committed map[string]bool, known bool, err error)
	Progress func(Survey)
}

// Survey is how far the look at a warehouse has come.
type Survey struct {
	Listed   int // storage objects
	Sidecars int
	Read     int // metadata files
}
