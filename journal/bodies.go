package journal

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
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
	KindTablesCommitted    Kind = "tables-committed"
	KindTableRenamed       Kind = "table-renamed"
	KindTableDropped       Kind = "table-dropped"
)

// Body is what happened, by kind. It is sealed: the types below are all there
// are. A body holds results, never requests: folding it needs no storage, no
// clock and no randomness.
type Body interface {
	Kind() Kind
	moves() []Move
	check() error
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

// NamespaceCreated mints the namespace's id.
type NamespaceCreated struct {
	ID         uuid.UUID         `json:"id"`
	Namespace  Namespace         `json:"namespace"`
	Properties map[string]string `json:"properties"`
}

// NamespaceUpdated removes and sets properties; the others stay.
type NamespaceUpdated struct {
	ID        uuid.UUID         `json:"id"`
	Namespace Namespace         `json:"namespace"`
	Removed   []string          `json:"removed"`
	Updated   map[string]string `json:"updated"`
}

// NamespaceDropped ends an empty namespace.
type NamespaceDropped struct {
	ID        uuid.UUID `json:"id"`
	Namespace Namespace `json:"namespace"`
}

// TableCreated is a table's birth.
type TableCreated struct {
	Moves [1]Move `json:"moves"`
}

// TablesCommitted moves the pointers of one or more tables, all or none.
type TablesCommitted struct {
	Moves []Move `json:"moves"`
}

// TableRenamed changes a table's identifier and nothing else.
type TableRenamed struct {
	Moves [1]Move `json:"moves"`
}

// TableDropped ends a table. Purge asks for its files to be removed later.
type TableDropped struct {
	Moves [1]Move `json:"moves"`
	Purge bool    `json:"purge"`
}

// Kind is KindIncarnationStarted.
func (IncarnationStarted) Kind() Kind { return KindIncarnationStarted }

// Kind is KindNamespaceCreated.
func (NamespaceCreated) Kind() Kind { return KindNamespaceCreated }

// Kind is KindNamespaceUpdated.
func (NamespaceUpdated) Kind() Kind { return KindNamespaceUpdated }

// Kind is KindNamespaceDropped.
func (NamespaceDropped) Kind() Kind { return KindNamespaceDropped }

// Kind is KindTableCreated.
func (TableCreated) Kind() Kind { return KindTableCreated }

// Kind is KindTablesCommitted.
func (TablesCommitted) Kind() Kind { return KindTablesCommitted }

// Kind is KindTableRenamed.
func (TableRenamed) Kind() Kind { return KindTableRenamed }

// Kind is KindTableDropped.
func (TableDropped) Kind() Kind { return KindTableDropped }

func (IncarnationStarted) moves() []Move { return nil }
func (NamespaceCreated) moves() []Move   { return nil }
func (NamespaceUpdated) moves() []Move   { return nil }
func (NamespaceDropped) moves() []Move   { return nil }
func (b TableCreated) moves() []Move     { return b.Moves[:] }
func (b TablesCommitted) moves() []Move  { return b.Moves }
func (b TableRenamed) moves() []Move     { return b.Moves[:] }
func (b TableDropped) moves() []Move     { return b.Moves[:] }

func (b IncarnationStarted) check() error {
	if b.Name == "" || b.Location == "" {
		return errors.New("the start of an incarnation needs the warehouse's name and location")
	}
	return nil
}

func (b NamespaceCreated) check() error { return checkNamespace(b.ID, b.Namespace) }
func (b NamespaceUpdated) check() error { return checkNamespace(b.ID, b.Namespace) }
func (b NamespaceDropped) check() error { return checkNamespace(b.ID, b.Namespace) }
func (b TableCreated) check() error     { return b.Moves[0].check(birth) }
func (b TableRenamed) check() error     { return b.Moves[0].check(step) }
func (b TableDropped) check() error     { return b.Moves[0].check(death) }

func (b TablesCommitted) check() error {
	if len(b.Moves) == 0 {
		return errors.New("a commit needs at least one move")
	}
	for _, m := range b.Moves {
		want := step
		if m.From == nil {
			want = birth // a create inside a transaction
		}
		if err := m.check(want); err != nil {
			return err
		}
	}
	return nil
}

func checkNamespace(id uuid.UUID, n Namespace) error {
	if id == uuid.Nil {
		return fmt.Errorf("namespace %s has no id", n)
	}
	return n.Check()
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
	KindTablesCommitted:    {1: decodeBody[TablesCommitted]},
	KindTableRenamed:       {1: decodeBody[TableRenamed]},
	KindTableDropped:       {1: decodeBody[TableDropped]},
}

// Kinds lists the kinds that this build reads, in the order of their names.
func Kinds() []Kind { return slices.Sorted(maps.Keys(decoders)) }
