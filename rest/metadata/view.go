package metadata

import (
	"github.com/google/uuid"
)

// View is one version of a view's metadata: the bytes of its file and what
// commits need to know of them. It never changes and may be shared between
// goroutines.
type View struct {
	bytes            []byte
	metadataLocation string
	top              object
	state            viewState
}

// Bytes returns the exact bytes of the file, inflated. They must not be modified.
func (v *View) Bytes() []byte { return v.bytes }

// MetadataLocation is where the file is, or is to be written; gzipped when its
// name says so (IsCompressedName).
func (v *View) MetadataLocation() string { return v.metadataLocation }

// UUID is the view's UUID.
func (v *View) UUID() uuid.UUID { return v.state.uuid }

// FormatVersion is the version of the view spec: 1.
func (v *View) FormatVersion() int { return v.state.formatVersion }

// Location is the view's base location as the file spells it.
func (v *View) Location() string { return v.state.location }

// Property returns a view property and whether it is set.
func (v *View) Property(key string) (string, bool) { return v.state.property(key) }

// Properties returns a copy of the view properties.
func (v *View) Properties() map[string]string {
	properties := make(map[string]string, len(v.state.properties.items))
	for _, it := range v.state.properties.items {
		properties[it.of.key] = it.of.value
	}
	return properties
}

// MetadataFolder is where new metadata files go: the property
// write.metadata.path, or <location>/metadata. It has no trailing slash.
func (v *View) MetadataFolder() string { return v.state.metadataFolder() }

// viewState is the typed index of a view: what commits look at.
type viewState struct {
	formatVersion int
	uuid          uuid.UUID
	location      string
	current       int // version id

	schemas    sequence[schema]
	properties sequence[property]
	versions   sequence[viewVersion]
	history    sequence[viewHistoryEntry]
}

// viewFormatVersion is the only version of the view spec.
const viewFormatVersion = 1

// newViewState is a view before anything is known of it.
func newViewState(id uuid.UUID) viewState {
	return viewState{
		formatVersion: viewFormatVersion,
		uuid:          id,
		current:       noID,
		schemas:       newArray[schema](),
		properties:    newObject[property](),
		versions:      newArray[viewVersion](),
		history:       newArray[viewHistoryEntry](),
	}
}

// list returns the sequence that a top-level member holds.
func (s *viewState) list(member string) (list, bool) {
	switch member {
	case "schemas":
		return &s.schemas, true
	case "properties":
		return &s.properties, true
	case "versions":
		return &s.versions, true
	case "version-log":
		return &s.history, true
	}
	return nil, false
}

func (s *viewState) schema(id int) (schema, bool) {
	return s.schemas.find(func(c schema) bool { return c.id == id })
}

func (s *viewState) version(id int) (viewVersion, bool) {
	return s.versions.find(func(c viewVersion) bool { return c.id == id })
}

func (s *viewState) property(key string) (string, bool) {
	p, ok := s.properties.find(func(c property) bool { return c.key == key })
	return p.value, ok
}

func (s *viewState) metadataFolder() string { return s.likeTable().metadataFolder() }

func (s *viewState) compresses() bool { return s.likeTable().compresses() }

// likeTable is a table that says of its files what the view says.
func (s *viewState) likeTable() *state { return &state{location: s.location, properties: s.properties} }
