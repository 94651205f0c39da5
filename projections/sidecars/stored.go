package sidecars

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
)

// FormatVersion is the version of sidecars.
//
//	1: the members of storedObject and storedNamespace.
const FormatVersion = 1

// kindNamespace is the kind of a namespace's sidecar.
const kindNamespace = "namespace"

// storedObject is <uuid>.json, in the order of its members: the seed's, and more.
type storedObject struct {
	FormatVersion    int              `json:"format-version"`
	Kind             string           `json:"kind"`
	Warehouse        string           `json:"warehouse"`
	Identifier       storedIdentifier `json:"identifier"`
	UUID             uuid.UUID        `json:"uuid"`
	Location         string           `json:"location"`
	MetadataLocation string           `json:"metadata-location"`
	State            State            `json:"state"`
	UpdatedAt        int64            `json:"updated-at-ms"`
	Unconfirmed      []string         `json:"unconfirmed-metadata-locations,omitzero"`
	UnconfirmedIDs   []uuid.UUID      `json:"unconfirmed-event-ids,omitzero"` // of each of the above
	Abandoned        []string         `json:"abandoned-metadata-locations,omitzero"`
	SHA256           journal.Digest   `json:"sha256,omitzero"`
	Size             int64            `json:"size,omitzero"`
	storedExtras
}

type storedIdentifier struct {
	Namespace journal.Namespace `json:"namespace"`
	Name      string            `json:"name"`
}

// storedNamespace is namespaces/<id>.json, in the order of its members.
type storedNamespace struct {
	FormatVersion int               `json:"format-version"`
	Kind          string            `json:"kind"`
	Warehouse     string            `json:"warehouse"`
	Namespace     journal.Namespace `json:"namespace"`
	UUID          uuid.UUID         `json:"uuid"`
	Properties    map[string]string `json:"properties"`
	State         State             `json:"state"`
	UpdatedAt     int64             `json:"updated-at-ms"`
	storedExtras
}

type storedExtras struct {
	WarehouseID uuid.UUID   `json:"warehouse-id,omitzero"`
	Incarnation uuid.UUID   `json:"incarnation,omitzero"`
	Seq         journal.Seq `json:"seq,omitzero"`
	EventID     uuid.UUID   `json:"event-id,omitzero"`
}

// Encode returns the bytes of a sidecar, or why it cannot be one: what it writes
// Decode reads.
func Encode(o Object) ([]byte, error) {
	s := storedObject{
		FormatVersion: FormatVersion, Kind: string(o.Kind), Warehouse: o.Warehouse,
		Identifier: storedIdentifier{o.Identifier.Namespace, o.Identifier.Name},
		UUID:       o.UUID, Location: o.Location, MetadataLocation: o.MetadataLocation, State: o.State, UpdatedAt: o.UpdatedAt.UnixMilli(),
		Abandoned: o.Abandoned, SHA256: o.SHA256, Size: o.Size, storedExtras: storedExtras(o.Extras),
	}
	known := false
	for _, u := range o.Unconfirmed {
		s.Unconfirmed = append(s.Unconfirmed, u.Location)
		s.UnconfirmedIDs = append(s.UnconfirmedIDs, u.EventID)
		known = known || u.EventID != uuid.Nil
	}
	if !known {
		s.UnconfirmedIDs = nil
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return encode(&s)
}

// EncodeNamespace is Encode for the sidecar of a namespace.
func EncodeNamespace(n Namespace) ([]byte, error) {
	s := storedNamespace{
		FormatVersion: FormatVersion, Kind: kindNamespace, Warehouse: n.Warehouse, Namespace: n.Name, UUID: n.ID,
		Properties: n.Properties, State: n.State, UpdatedAt: n.UpdatedAt.UnixMilli(), storedExtras: storedExtras(n.Extras),
	}
	if s.Properties == nil {
		s.Properties = map[string]string{}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return encode(&s)
}

func encode(value any) ([]byte, error) {
	data, err := json.Marshal(value, jsontext.WithIndent("  "), json.Deterministic(true))
	return append(data, '\n'), err
}

// Decode reads the sidecar of a table or view that lies under key. The error is an
// *Unusable.
func Decode(key string, data []byte) (Object, error) {
	var s storedObject
	if err := decode(Folder, key, data, maxObject, &s, func() (uuid.UUID, error) { return s.UUID, s.check() }); err != nil {
		return Object{}, err
	}
	o := Object{
		Kind: journal.ObjectKind(s.Kind), Warehouse: s.Warehouse,
		Identifier: journal.Identifier{Namespace: s.Identifier.Namespace, Name: s.Identifier.Name},
		UUID:       s.UUID, Location: s.Location, MetadataLocation: s.MetadataLocation, State: s.State, UpdatedAt: moment(s.UpdatedAt),
		Abandoned: s.Abandoned, SHA256: s.SHA256, Size: s.Size, Extras: Extras(s.storedExtras),
	}
	for i, at := range s.Unconfirmed {
		u := Unconfirmed{Location: at}
		if len(s.UnconfirmedIDs) > 0 {
			u.EventID = s.UnconfirmedIDs[i]
		}
		o.Unconfirmed = append(o.Unconfirmed, u)
	}
	return o, nil
}

// DecodeNamespace is Decode for the sidecar of a namespace.
func DecodeNamespace(key string, data []byte) (Namespace, error) {
	var s storedNamespace
	if err := decode(NamespacesFolder, key, data, maxNamespace, &s, func() (uuid.UUID, error) { return s.UUID, s.check() }); err != nil {
		return Namespace{}, err
	}
	return Namespace{
		ID: s.UUID, Warehouse: s.Warehouse, Name: s.Namespace, Properties: s.Properties, State: s.State,
		UpdatedAt: moment(s.UpdatedAt), Extras: Extras(s.storedExtras),
	}, nil
}

func moment(millis int64) time.Time { return time.UnixMilli(millis).UTC() }

// decode reads a file of a folder into value; check judges it, and says whose it
// is.
func decode(folder, key string, data []byte, limit int, value any, check func() (uuid.UUID, error)) error {
	stem, err := stemOf(folder, key)
	if err == nil {
		err = unmarshal(data, limit, value)
	}
	if err != nil {
		return &Unusable{key, err}
	}
	id, err := check()
	switch {
	case err != nil:
		return &Unusable{key, fmt.Errorf("%w: %w", ErrDamaged, err)}
	case id != stem:
		return &Unusable{key, fmt.Errorf("%w: it says the uuid %s", ErrMisplaced, id)}
	}
	return nil
}

func unmarshal(data []byte, limit int, value any) error {
	if len(data) > limit {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrDamaged, len(data), limit)
	}
	var version struct {
		FormatVersion int `json:"format-version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if version.FormatVersion > FormatVersion {
		return fmt.Errorf("%w: format-version %d, this build reads %d", ErrNewer, version.FormatVersion, FormatVersion)
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}
