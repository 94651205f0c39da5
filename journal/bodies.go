package journal

import (
	"errors"
	"maps"
	"slices"
)

// Kind says what happened. The names are stored and never change.
type Kind string

// The kinds this build writes. formats §2 reserves the names of the others.
const (
	KindIncarnationStarted Kind = "incarnation-started"
	KindNamespaceCreated   Kind = "namespace-created"
	KindNamespaceUpdated   Kind = "namespace-updated"
	KindNamespaceDropped   Kind = "namespace-dropped"
	KindTableCreated       Kind = "table-created"
	KindTableRegistered    Kind = "table-registered"
	KindTablesCommitted    Kind = "tables-committed"
	KindTableRenamed       Kind = "table-renamed"
	KindTableDropped       Kind = "table-dropped"
	KindTableUnregistered  Kind = "table-unregistered"
	KindTableUndropped     Kind = "table-undropped"
	KindTableRepointed     Kind = "table-repointed"
	KindTablePurged        Kind = "table-purged"
	KindViewCreated        Kind = "view-created"
	KindViewRegistered     Kind = "view-registered"
	KindViewReplaced       Kind = "view-replaced"
	KindViewRenamed        Kind = "view-renamed"
	KindViewDropped        Kind = "view-dropped"
	KindViewUndropped      Kind = "view-undropped"
	KindViewRepointed      Kind = "view-repointed"
	KindRecoveryCompleted  Kind = "recovery-completed"
	KindHistoryImported    Kind = "history-imported"
)

// Body is what happened, by kind. It is sealed: the types of this package are
// all there are. A body holds results, never requests: folding it needs no
// storage, no clock and no randomness.
type Body interface {
	Kind() Kind
	moves() []Move
	check() error
	write(*writer) // the fields, between the braces
}

// IncarnationStarted is the first event of every incarnation. Parent is the
// last known position of the incarnation before; a birth has none.
type IncarnationStarted struct {
	Build    string    `json:"build"`
	Location string    `json:"location"`
	Name     string    `json:"name"`
	Parent   *Position `json:"parent,omitempty"`
	Reason   string    `json:"reason"`
}

// Kind is KindIncarnationStarted.
func (IncarnationStarted) Kind() Kind { return KindIncarnationStarted }

func (IncarnationStarted) moves() []Move { return nil }

func (b IncarnationStarted) check() error {
	if b.Name == "" || b.Location == "" {
		return errors.New("the start of an incarnation needs the warehouse's name and location")
	}
	return nil
}

// decoders is the table of what this build reads: a kind and the version of its
// body. A kind's body is frozen, with golden bytes, once a build wrote it; a new
// meaning gets a new version beside the old one.
var decoders = map[Kind]map[int]func([]byte) (Body, error){
	KindIncarnationStarted: {1: decodeBody[IncarnationStarted]},
	KindNamespaceCreated:   {1: decodeBody[NamespaceCreated]},
	KindNamespaceUpdated:   {1: decodeBody[NamespaceUpdated]},
	KindNamespaceDropped:   {1: decodeBody[NamespaceDropped]},
	KindTableCreated:       {1: decodeBody[TableCreated]},
	KindTableRegistered:    {1: decodeBody[TableRegistered]},
	KindTablesCommitted:    {1: decodeBody[TablesCommitted]},
	KindTableRenamed:       {1: decodeBody[TableRenamed]},
	KindTableDropped:       {1: decodeBody[TableDropped]},
	KindTableUnregistered:  {1: decodeBody[TableUnregistered]},
	KindTableUndropped:     {1: decodeBody[TableUndropped]},
	KindTableRepointed:     {1: decodeBody[TableRepointed]},
	KindTablePurged:        {1: decodeBody[TablePurged]},
	KindViewCreated:        {1: decodeBody[ViewCreated]},
	KindViewRegistered:     {1: decodeBody[ViewRegistered]},
	KindViewReplaced:       {1: decodeBody[ViewReplaced]},
	KindViewRenamed:        {1: decodeBody[ViewRenamed]},
	KindViewDropped:        {1: decodeBody[ViewDropped]},
	KindViewUndropped:      {1: decodeBody[ViewUndropped]},
	KindViewRepointed:      {1: decodeBody[ViewRepointed]},
	KindRecoveryCompleted:  {1: decodeBody[RecoveryCompleted]},
	KindHistoryImported:    {1: decodeBody[HistoryImported]},
}

// Kinds lists the kinds that this build reads, in the order of their names.
func Kinds() []Kind { return slices.Sorted(maps.Keys(decoders)) }
