package journal

import (
	"fmt"

	"github.com/google/uuid"
)

// ObjectKind tells tables and views apart.
type ObjectKind string

// The kinds of objects.
const (
	Table ObjectKind = "table"
	View  ObjectKind = "view"
)

// Encoding is how a metadata file is stored.
type Encoding string

// The encodings of metadata files.
const (
	EncodingNone Encoding = "none"
	EncodingGzip Encoding = "gzip"
)

// Pointer is the location of a current metadata file with what proves its
// bytes: size and SHA-256 of the file, and SHA-256 of the inflated document
// (the same when the file is not compressed).
type Pointer struct {
	DocumentSHA256   Digest   `json:"document-sha256"`
	Encoding         Encoding `json:"encoding"`
	MetadataLocation string   `json:"metadata-location"`
	SHA256           Digest   `json:"sha256"`
	Size             int64    `json:"size"`
}

// Place is a location that an object owns, in the normalised form of
// internal/warehouse, and why it owns it: "location" or the property's name.
type Place struct {
	Path string `json:"path"`
	Role string `json:"role"`
}

// From is where an object was before a move.
type From struct {
	Identifier Identifier `json:"identifier"`
	Pointer    Pointer    `json:"pointer"`
}

// To is where an object is after a move, with everything that projections hold
// of it, so that replay reads no storage.
type To struct {
	Identifier Identifier `json:"identifier"`
	Location   string     `json:"location"`
	Places     []Place    `json:"places"`
	Pointer    Pointer    `json:"pointer"`
}

// Move is one object's step: no From means born, no To means gone. SnapshotID
// is main's after the move, absent when there is none. Updates are the actions
// of the updates that made it, in order.
type Move struct {
	From       *From      `json:"from,omitempty"`
	Kind       ObjectKind `json:"kind"`
	SnapshotID *int64     `json:"snapshot-id,omitempty"`
	To         *To        `json:"to,omitempty"`
	Updates    []string   `json:"updates,omitempty"`
	UUID       uuid.UUID  `json:"uuid"`
}

// Identifier is the object's name after the move, or before it when it is gone.
func (m Move) Identifier() Identifier {
	if m.To != nil {
		return m.To.Identifier
	}
	if m.From != nil {
		return m.From.Identifier
	}
	return Identifier{}
}

// sides is which ends a move must have.
type sides int

const (
	birth sides = iota
	step
	death
)

// birthOrStep is what a move is that need not be the one or the other.
func birthOrStep(m Move) sides {
	if m.From == nil {
		return birth
	}
	return step
}

func (m Move) check(kind ObjectKind, want sides) error {
	if m.Kind != kind {
		return fmt.Errorf("move of %s is of a %q, not of a %s", m.UUID, m.Kind, kind)
	}
	if m.UUID == uuid.Nil {
		return fmt.Errorf("move of %s has no uuid", m.Identifier())
	}
	if (m.From != nil) != (want != birth) || (m.To != nil) != (want != death) {
		return fmt.Errorf("move of %s has the wrong ends", m.UUID)
	}
	if m.To != nil {
		return m.To.Identifier.Check()
	}
	return nil
}
