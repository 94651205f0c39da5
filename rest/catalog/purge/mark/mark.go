package mark

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// FormatVersion is the version of the objects: 1.
const FormatVersion = 1

// Folder is where marks are, below a warehouse's own root.
const Folder = warehouse.ReservedFolder + "/purges"

// maxBytes is far above what a mark of a newer build could need.
const maxBytes = 64 << 10

// Mark says that the purge of a table has begun.
type Mark struct {
	Table   uuid.UUID
	Drop    uuid.UUID // id of the event that asked for the purge
	BegunAt time.Time // in milliseconds; zero: what is there cannot be read
}

// Key is where the mark of a purge is stored.
func Key(drop uuid.UUID) string { return Folder + "/" + drop.String() + ".json" }

// Write makes it durable that a purge has begun. It can be repeated: the moment of
// the first time stays.
func Write(ctx context.Context, store warehouse.Store, m Mark) error {
	before, there, err := Find(ctx, store, m.Drop)
	if err != nil {
		return err
	}
	if there && !before.BegunAt.IsZero() {
		m.BegunAt = before.BegunAt
	}
	data, err := encode(m)
	if err != nil {
		return err
	}
	return store.Put(ctx, Key(m.Drop), data) // also what was there: who wrote it may have been cut off before it was durable
}

// Find looks for the mark of a purge. One that is damaged, or of a newer build, is
// there as well. The error is the store's: nothing is known.
func Find(ctx context.Context, store warehouse.Reader, drop uuid.UUID) (m Mark, there bool, err error) {
	data, err := store.Get(ctx, Key(drop), maxBytes)
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return Mark{}, false, nil
	case errors.Is(err, warehouse.ErrTooLarge):
		return Mark{Drop: drop}, true, nil
	case err != nil:
		return Mark{}, false, fmt.Errorf("%s: %w", Key(drop), err)
	}
	if m, err = decode(data); err != nil || m.Drop != drop {
		m = Mark{Drop: drop}
	}
	return m, true, nil
}

// Remove removes the mark of a purge, durably. It can be repeated.
func Remove(ctx context.Context, store warehouse.Store, drop uuid.UUID) error {
	return store.Delete(ctx, Key(drop))
}

// All yields the marks that are there and can be read. The first error of the store
// ends it.
func All(ctx context.Context, store warehouse.Reader) iter.Seq2[Mark, error] {
	return func(yield func(Mark, error) bool) {
		for entry, err := range store.List(ctx, Folder) {
			if err != nil {
				yield(Mark{}, err)
				return
			}
			drop, err := uuid.Parse(strings.TrimSuffix(path.Base(entry.Key), ".json"))
			if err != nil || Key(drop) != entry.Key {
				continue
			}
			m, there, err := Find(ctx, store, drop)
			if err != nil {
				yield(Mark{}, err)
				return
			}
			if there && !m.BegunAt.IsZero() && !yield(m, nil) {
				return
			}
		}
	}
}

// stored is a mark as it is stored, in the order of its members.
type stored struct {
	FormatVersion int       `json:"format-version"`
	Table         uuid.UUID `json:"table"`
	Drop          uuid.UUID `json:"drop"`
	BegunAt       string    `json:"begun-at"`
}

const layout = "2006-01-02T15:04:05.000Z07:00"

func encode(m Mark) ([]byte, error) {
	data, err := json.Marshal(stored{FormatVersion, m.Table, m.Drop, m.BegunAt.UTC().Format(layout)}, jsontext.WithIndent("  "))
	return append(data, '\n'), err
}

var errUnreadable = errors.New("mark: no member may be missing, and the format-version is 1")

func decode(data []byte) (Mark, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return Mark{}, err
	}
	at, err := time.Parse(time.RFC3339, s.BegunAt)
	if at = at.UTC(); err != nil || at.Year() < 0 || at.Year() > 9999 || s.FormatVersion != FormatVersion || s.Table == uuid.Nil || s.Drop == uuid.Nil {
		return Mark{}, errUnreadable
	}
	return Mark{s.Table, s.Drop, at}, nil
}
