package anchor

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// IdentityKey is where the identity is stored.
const IdentityKey = warehouse.ReservedFolder + "/warehouse.json"

// Identity says which warehouse a storage belongs to.
type Identity struct {
	ID          uuid.UUID // of the warehouse, born with it
	Name        string    // in the configuration, when it was born
	Location    string    // as configured then
	Incarnation uuid.UUID // of the journal that it was born with
	CreatedAt   time.Time // in milliseconds
}

// storedIdentity is warehouse.json, in the order of its members.
type storedIdentity struct {
	FormatVersion int       `json:"format-version"`
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name"`
	Location      string    `json:"location"`
	Incarnation   uuid.UUID `json:"incarnation"`
	CreatedAt     stamp     `json:"created-at"`
}

func (s *storedIdentity) missing() string {
	switch {
	case s.FormatVersion < 1:
		return "format-version"
	case s.ID == uuid.Nil:
		return "id"
	case s.Name == "":
		return "name"
	case s.Location == "":
		return "location"
	case s.Incarnation == uuid.Nil:
		return "incarnation"
	case s.CreatedAt.IsZero():
		return "created-at"
	}
	return ""
}

// ReadIdentity reads warehouse.json; false when there is none. Errors:
// ErrDamaged, ErrNewer, and the store's.
func ReadIdentity(ctx context.Context, store warehouse.Reader) (Identity, bool, error) {
	var s storedIdentity
	found, err := read(ctx, store, IdentityKey, &s)
	if !found || err != nil {
		return Identity{}, false, err
	}
	return Identity{ID: s.ID, Name: s.Name, Location: s.Location, Incarnation: s.Incarnation, CreatedAt: s.CreatedAt.Time}, true, nil
}

// CreateIdentity writes warehouse.json, durable on return. It fails with
// [warehouse.ErrExists] when there is one already: an identity never changes
// under way.
func CreateIdentity(ctx context.Context, store warehouse.Store, id Identity) error {
	data, err := encode(&storedIdentity{
		FormatVersion: FormatVersion,
		ID:            id.ID,
		Name:          id.Name,
		Location:      id.Location,
		Incarnation:   id.Incarnation,
		CreatedAt:     stampOf(id.CreatedAt),
	})
	if err != nil {
		return err
	}
	return store.Create(ctx, IdentityKey, data)
}
