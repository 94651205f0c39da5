package recover

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/anchor"
)

// ErrUnborn: the warehouse has no history yet, and Binder.Births is off.
var ErrUnborn = errors.New("the warehouse has no history yet")

// Warehouse is one warehouse as configured.
type Warehouse struct {
	Name     string
	Location string
	Store    warehouse.Store // of its root
}

// Bound says which history in the journal is a warehouse's.
type Bound struct {
	ID   uuid.UUID
	Born bool // just now
}

// Binder ties warehouses to their histories in a journal. It appends to the
// journal, so it is used while no recorder runs, by one goroutine.
type Binder struct {
	Journal journal.Journal
	Tables  projections.Store // only asked whether they know a warehouse
	Clock   interface{ Read() journal.Instant }
	Build   string // written into births
	Births  bool   // an unknown warehouse is born; else it is ErrUnborn
	// Ephemeral means that the journal ends with the process: nothing is
	// written into the warehouse, so that the next process can be born again.
	Ephemeral bool
}

// Bind finds the warehouse's history by the rules of formats §1. A warehouse
// that nobody knows is born: its first event is appended, then its identity is
// written; a crash in between is repaired by the next Bind. What does not belong
// together is a *Refusal. Other errors are those of looking: damaged files,
// journal.Damage, the store's.
func (b Binder) Bind(ctx context.Context, w Warehouse) (Bound, error) {
	seen, err := b.look(ctx, w)
	if err != nil {
		return Bound{}, err
	}
	found, err := decide(w, seen)
	if err != nil {
		return Bound{}, err
	}
	if found == nil {
		return b.birth(ctx, w)
	}
	if !seen.identified {
		return Bound{ID: found.id}, b.identify(ctx, w, found.id)
	}
	return Bound{ID: found.id}, checkAnchor(ctx, w, b.Journal, found.id)
}

// look gathers what journal, warehouse and pointer tables say. Another server may bear
// the warehouse meanwhile: what looks as if its identity were missing is looked at again
// where it is there by now.
func (b Binder) look(ctx context.Context, w Warehouse) (evidence, error) {
	e, err := b.lookOnce(ctx, w)
	if err != nil || e.identified || e.named == nil && !e.traces {
		return e, err
	}
	if _, identified, err := readIdentity(ctx, w); err != nil || !identified {
		return e, err
	}
	return b.lookOnce(ctx, w)
}

// lookOnce reads the identity first: a history is in the journal before its identity is
// written.
func (b Binder) lookOnce(ctx context.Context, w Warehouse) (e evidence, err error) {
	if e.identity, e.identified, err = readIdentity(ctx, w); err != nil {
		return e, err
	}
	all, err := histories(ctx, b.Journal)
	if err != nil {
		return e, err
	}
	e.named = find(all, func(h history) bool { return h.name == w.Name })
	e.sameID = find(all, func(h history) bool { return e.identified && h.id == e.identity.ID })
	e.sameLocation = find(all, func(h history) bool { return sameLocation(h.location, w.Location) })
	if !e.identified { // else it is the trace, and a long list need not be read
		e.traces, err = traces(ctx, w)
		return e, err
	}
	if e.sameID == nil {
		if head, found, err := anchor.ReadHead(ctx, w.Store); err == nil && found {
			e.written = head.WrittenAt
		}
		cursor, err := b.Tables.Warehouse(e.identity.ID).Cursor(ctx)
		if err != nil {
			return e, err
		}
		if e.tables = !cursor.IsZero(); e.tables {
			e.later, err = laterThan(ctx, w, b.Journal, cursor)
		}
		return e, err
	}
	return e, nil
}

// laterThan says what lies under a warehouse's location that is after a position.
func laterThan(ctx context.Context, w Warehouse, j journal.Journal, end journal.Position) (string, error) {
	r, err := Look(ctx, w, j, nil, uuid.Nil)
	return strings.Join(r.Later(end), ", "), err
}

// traces tells whether anything of a catalog is there below _puddle.
func traces(ctx context.Context, w Warehouse) (bool, error) {
	for entry, err := range w.Store.List(ctx, warehouse.ReservedFolder) {
		if err != nil {
			return false, fmt.Errorf("warehouse %s: %w", w.Name, err)
		}
		if !ofProbe(entry.Key) {
			return true, nil
		}
	}
	return false, nil
}

// ofProbe tells whether a file is what a probe could not remove: it says nothing of a
// catalog.
func ofProbe(key string) bool { return strings.HasPrefix(key, warehouse.ProbeFolder+"/") }

func readIdentity(ctx context.Context, w Warehouse) (anchor.Identity, bool, error) {
	id, found, err := anchor.ReadIdentity(ctx, w.Store)
	if refusal := unreadable(w, err); refusal != nil {
		return id, false, refusal
	}
	if err != nil {
		return id, false, fmt.Errorf("warehouse %s: %w", w.Name, err)
	}
	return id, found, nil
}

// unreadable refuses a file that is there and says nothing to this build.
func unreadable(w Warehouse, err error) error {
	switch {
	case errors.Is(err, anchor.ErrDamaged):
		return &Refusal{w.Name, err.Error() + "; see docs/operations.md, When it refuses to start", "", err}
	case errors.Is(err, anchor.ErrNewer):
		return &Refusal{w.Name, err.Error(), "", err}
	}
	return nil
}

// checkAnchor holds the journal against the head that the warehouse last saw.
func checkAnchor(ctx context.Context, w Warehouse, of journal.Histories, id uuid.UUID) error {
	head, found, err := anchor.ReadHead(ctx, w.Store)
	if refusal := unreadable(w, err); refusal != nil {
		return refusal
	}
	if err == nil && found {
		err = head.CheckLineage(ctx, of, id)
	}
	if errors.Is(err, anchor.ErrRolledBack) || errors.Is(err, anchor.ErrOtherHistory) {
		return &Refusal{w.Name, err.Error(), recoverCommand(w.Name), err}
	}
	if err != nil {
		return fmt.Errorf("warehouse %s: %w", w.Name, err)
	}
	return nil
}
