package sidecars

import (
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Where sidecars are, in the warehouse's own root.
const (
	Folder           = warehouse.ReservedFolder + "/catalog"
	NamespacesFolder = Folder + "/namespaces"
)

// State says whether an object is there.
type State string

// The states. What was purged has no sidecar.
const (
	Active  State = "active"
	Dropped State = "dropped" // or unregistered: the rest says what it was last
)

// Extras say which event a sidecar is the state after. They are zero in a file that
// has the seed's members only.
type Extras struct {
	WarehouseID uuid.UUID
	Incarnation uuid.UUID
	Seq         journal.Seq
	EventID     uuid.UUID
}

// Object is the sidecar of a table or view.
type Object struct {
	Kind             journal.ObjectKind
	Warehouse        string // its name in the configuration
	Identifier       journal.Identifier
	UUID             uuid.UUID
	Location         string
	MetadataLocation string
	State            State
	UpdatedAt        time.Time      // of the event, in milliseconds
	Unconfirmed      []Unconfirmed  // files made from MetadataLocation by commits of unknown outcome
	Abandoned        []string       // files that are no part of the history, nor is what descends from them
	SHA256           journal.Digest // of the metadata file; zero where it is not known
	Size             int64          // of the metadata file; 0 where it is not known
	Extras
}

// Unconfirmed is a metadata file of which nobody could say whether its commit
// landed.
type Unconfirmed struct {
	Location string
	EventID  uuid.UUID // that the commit would have; zero where it is not known
}

// Namespace is the sidecar of a namespace.
type Namespace struct {
	ID         uuid.UUID
	Warehouse  string // its name in the configuration
	Name       journal.Namespace
	Properties map[string]string // never nil
	State      State
	UpdatedAt  time.Time // of the event, in milliseconds
	Extras
}

// Key is where the sidecar of a table or view is.
func Key(id uuid.UUID) string { return Folder + "/" + id.String() + extension }

// NamespaceKey is where the sidecar of a namespace is.
func NamespaceKey(id uuid.UUID) string { return NamespacesFolder + "/" + id.String() + extension }

const extension = ".json"
