package anchor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/internal/warehouse"
)

// FormatVersion is the version of both files.
//
//	1: the members of storedIdentity and storedHead.
const FormatVersion = 1

// maxFile is far above what a file of a newer build could need.
const maxFile = 64 << 10

// Errors of reading.
var (
	// ErrDamaged: the file is not what any build wrote.
	ErrDamaged = errors.New("anchor: damaged file")

	// ErrNewer: the file was written by a newer build, with another meaning.
	ErrNewer = errors.New("anchor: file of a newer build")
)

// stamp is a moment as it is stored, in milliseconds.
type stamp struct{ Time time.Time }

const stampLayout = "2006-01-02T15:04:05.000Z07:00"

func stampOf(t time.Time) stamp { return stamp{t.UTC().Truncate(time.Millisecond)} }

// MarshalText writes the stored form.
func (s stamp) MarshalText() ([]byte, error) { return []byte(s.Time.Format(stampLayout)), nil }

// IsZero tells that there is none.
func (s stamp) IsZero() bool { return s.Time.IsZero() }

// UnmarshalText reads RFC 3339 with an offset, of what is a year of four digits in UTC too.
func (s *stamp) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	if *s = stampOf(t); err == nil && (s.Time.Year() < 0 || s.Time.Year() > 9999) {
		err = fmt.Errorf("%q is no year of four digits in UTC", text)
	}
	return err
}

// stored is the form of one file. missing names a member without a value.
type stored interface{ missing() string }

// encode returns the bytes of a file, or says which member has no value.
func encode(value stored) ([]byte, error) {
	if member := value.missing(); member != "" {
		return nil, fmt.Errorf("anchor: %s is missing", member)
	}
	data, err := json.Marshal(value, jsontext.WithIndent("  "))
	return append(data, '\n'), err
}

// read decodes the file under key into value; false when there is none.
func read(ctx context.Context, store warehouse.Reader, key string, value stored) (bool, error) {
	data, err := store.Get(ctx, key, maxFile)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return false, nil
	case errors.Is(err, warehouse.ErrTooLarge):
		return false, fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return false, err
	}
	if err := decode(data, value); err != nil {
		return false, fmt.Errorf("%w (%s)", err, key)
	}
	return true, nil
}

func decode(data []byte, value stored) error {
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
	if member := value.missing(); member != "" {
		return fmt.Errorf("%w: %s is missing", ErrDamaged, member)
	}
	return nil
}
