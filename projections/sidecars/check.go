package sidecars

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Limits of files. One of an object is far smaller; one of a namespace holds
// properties of up to a MiB, each byte of which may be escaped.
const (
	maxObject    = 1 << 20
	maxNamespace = 8 << 20
)

// maxListed bounds how many files each of the lists of an Object names: the newest
// stay.
const maxListed = 128

// What an Unusable wraps.
var (
	// ErrDamaged: it is not what any build wrote.
	ErrDamaged = errors.New("damaged")

	// ErrNewer: it was written by a newer build, with another meaning.
	ErrNewer = errors.New("of a newer build")

	// ErrMisplaced: its name is no sidecar's, or that of another object.
	ErrMisplaced = errors.New("misplaced")
)

// Unusable is a file in the folder of sidecars that is none. It says so in one
// line, whatever is in the file.
type Unusable struct {
	Key string
	Err error // wraps ErrDamaged, ErrNewer, ErrMisplaced, or warehouse.ErrLink
}

// maxReason bounds the words about a file whose content may be anything.
const maxReason = 300

// Error is one line of printable characters.
func (u *Unusable) Error() string {
	reason := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, u.Err.Error())
	if len(reason) > maxReason {
		end := maxReason
		for !utf8.RuneStart(reason[end]) {
			end--
		}
		reason = reason[:end] + "…"
	}
	return fmt.Sprintf("sidecar %q is %s", u.Key, reason)
}

// Unwrap gives the reason.
func (u *Unusable) Unwrap() error { return u.Err }

// stemOf is the uuid that a key in a folder names, in any letter case (case 32).
func stemOf(folder, key string) (uuid.UUID, error) {
	name, ok := strings.CutPrefix(key, folder+"/")
	stem, isJSON := strings.CutSuffix(name, extension)
	id, err := uuid.Parse(stem)
	if !ok || !isJSON || err != nil || len(stem) != len(id.String()) {
		return uuid.Nil, fmt.Errorf("%w: its name is no sidecar's", ErrMisplaced)
	}
	return id, nil
}

// endOfTime is the first moment that does not have four digits for its year.
const endOfTime = 253402300800000

func (s *storedObject) check() error {
	switch {
	case s.FormatVersion < 1:
		return missing("format-version")
	case s.Kind != string(journal.Table) && s.Kind != string(journal.View):
		return fmt.Errorf("kind %q is not that of a table or view", s.Kind)
	case s.UUID == uuid.Nil:
		return missing("uuid")
	case s.Size < 0:
		return fmt.Errorf("size is %d", s.Size)
	case len(s.UnconfirmedIDs) > 0 && len(s.UnconfirmedIDs) != len(s.Unconfirmed):
		return fmt.Errorf("unconfirmed-event-ids are %d, of %d locations", len(s.UnconfirmedIDs), len(s.Unconfirmed))
	}
	if err := checkLife(s.Warehouse, s.State, s.UpdatedAt); err != nil {
		return err
	}
	if err := (journal.Identifier{Namespace: s.Identifier.Namespace, Name: s.Identifier.Name}).Check(); err != nil {
		return err
	}
	return errors.Join(
		checkLocations("location", s.Location),
		checkLocations("metadata-location", s.MetadataLocation),
		checkLocations("unconfirmed-metadata-locations", s.Unconfirmed...),
		checkLocations("abandoned-metadata-locations", s.Abandoned...),
	)
}

func (s *storedNamespace) check() error {
	switch {
	case s.FormatVersion < 1:
		return missing("format-version")
	case s.Kind != kindNamespace:
		return fmt.Errorf("kind %q is not that of a namespace", s.Kind)
	case s.UUID == uuid.Nil:
		return missing("uuid")
	case s.Properties == nil:
		return missing("properties")
	}
	if err := checkLife(s.Warehouse, s.State, s.UpdatedAt); err != nil {
		return err
	}
	return s.Namespace.Check()
}

// checkLife checks what both kinds have.
func checkLife(name string, state State, updated int64) error {
	switch {
	case name == "":
		return missing("warehouse")
	case state != Active && state != Dropped:
		return fmt.Errorf("state %q is not known", state)
	case updated <= 0 || updated >= endOfTime:
		return fmt.Errorf("updated-at-ms is %d", updated)
	}
	return nil
}

// checkLocations checks lengths. Whether a location may be an object's is decided
// by who uses it.
func checkLocations(member string, locations ...string) error {
	for _, at := range locations {
		switch {
		case at == "":
			return missing(member)
		case len(at) > warehouse.MaxLocation:
			return fmt.Errorf("%s is %d bytes long, the limit is %d", member, len(at), warehouse.MaxLocation)
		}
	}
	return nil
}

func missing(member string) error { return fmt.Errorf("%s is missing", member) }
