package journal

import (
	"fmt"

	"github.com/google/uuid"
)

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

// Kind is KindNamespaceCreated.
func (NamespaceCreated) Kind() Kind { return KindNamespaceCreated }

// Kind is KindNamespaceUpdated.
func (NamespaceUpdated) Kind() Kind { return KindNamespaceUpdated }

// Kind is KindNamespaceDropped.
func (NamespaceDropped) Kind() Kind { return KindNamespaceDropped }

func (NamespaceCreated) moves() []Move { return nil }
func (NamespaceUpdated) moves() []Move { return nil }
func (NamespaceDropped) moves() []Move { return nil }

func (b NamespaceCreated) check() error { return checkNamespace(b.ID, b.Namespace) }
func (b NamespaceUpdated) check() error { return checkNamespace(b.ID, b.Namespace) }
func (b NamespaceDropped) check() error { return checkNamespace(b.ID, b.Namespace) }

func checkNamespace(id uuid.UUID, n Namespace) error {
	if id == uuid.Nil {
		return fmt.Errorf("namespace %s has no id", n)
	}
	return n.Check()
}
