package recover

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/sidecars"
)

// Remains is what is left of a warehouse's catalog, wherever it lies.
type Remains struct {
	ID         uuid.UUID // the warehouse's; Nil: nobody knows it
	Identified bool      // by its identity file
	// Last is the newest position that anybody knows; nil: none is known. Known is the
	// highest seq.
	Last  *journal.Position
	Known journal.Seq
	// Said is the newest position that each witness in the warehouse knows. They have
	// no hashes, but for the anchor.
	Said map[Witness]journal.Position
	// Journaled tells that the journal has a history of it, Behind that this ends
	// before, or beside, what the warehouse has seen.
	Journaled bool
	Behind    error
	Sidecars  int
	Written   time.Time // when head.json was, by the clock of who wrote it; zero: not known
}

// Elsewhere warns, where the journal has no history of a warehouse that is somebody's, of
// who may still have it; empty: there is no need.
func (r *Remains) Elsewhere() string {
	if r.Journaled || !r.Identified {
		return ""
	}
	return takesOver(r.Written)
}

// Witness is something in a warehouse that names positions.
type Witness string

// The witnesses, in the words of people.
const (
	TheArchive  Witness = "the archive"
	TheAnchor   Witness = "head.json"
	TheSidecars Witness = "a sidecar"
	TheHint     Witness = "the archive's HEAD"
	TheDocument Witness = "a segment without events"
)

// Says takes a position into account that a witness names.
func (r *Remains) Says(by Witness, p journal.Position) {
	if p.Seq == 0 {
		return
	}
	if r.Said == nil {
		r.Said = map[Witness]journal.Position{}
	}
	if p.Seq > r.Said[by].Seq {
		r.Said[by] = p
	}
	r.seen(p)
}

// Later says in words what each witness knows that is after a position: of all of them,
// or of those that are named. The sidecars come last: anything may be written into one.
func (r *Remains) Later(end journal.Position, of ...Witness) (say []string) {
	if len(of) == 0 {
		of = []Witness{TheArchive, TheHint, TheDocument, TheAnchor, TheSidecars}
	}
	for _, by := range of {
		if p := r.Said[by]; p.Seq > end.Seq {
			say = append(say, fmt.Sprintf("%s says %s:%s", by, p.Incarnation, p.Seq))
		}
	}
	return say
}

// Look gathers what is left of a warehouse: in the journal, which may be empty, in
// its archive, which may be nil, and under its location. It changes nothing. What
// cannot be looked at is an error; a damaged identity or anchor is a *Refusal.
func Look(ctx context.Context, w Warehouse, j journal.Journal, archived journal.Histories, archivedID uuid.UUID) (Remains, error) {
	var r Remains
	if err := r.identity(ctx, w, j); err != nil {
		return r, err
	}
	if archived != nil && r.ID == uuid.Nil {
		r.ID = archivedID
	}
	if err := r.sidecars(ctx, w); err != nil {
		return r, err
	}
	if archived != nil {
		if err := r.positions(ctx, archived); err != nil {
			return r, err
		}
	}
	if err := r.positions(ctx, j); err != nil {
		return r, err
	}
	return r, r.anchor(ctx, w, j)
}

func (r *Remains) identity(ctx context.Context, w Warehouse, j journal.Journal) error {
	id, found, err := readIdentity(ctx, w)
	if err != nil {
		return err
	}
	r.Identified, r.ID = found, id.ID
	all, err := histories(ctx, j)
	if err != nil {
		return err
	}
	named := find(all, func(h history) bool { return h.name == w.Name })
	if named == nil {
		return nil
	}
	if r.ID != uuid.Nil && named.id != r.ID {
		return &Refusal{w.Name, fmt.Sprintf("%s belongs to warehouse %s, the journal's %s is %s: a wrong mount, or another journal",
			w.Location, r.ID, w.Name, named.id), "", nil}
	}
	r.ID, r.Journaled = named.id, true
	return nil
}

// sidecars counts them, and learns from them what they know of the history.
func (r *Remains) sidecars(ctx context.Context, w Warehouse) error {
	for found, err := range sidecars.List(ctx, w.Store) {
		if err != nil && found.Key == "" {
			return fmt.Errorf("warehouse %s: %w", w.Name, err)
		}
		var known sidecars.Extras
		switch {
		case found.Object != nil:
			known = found.Object.Extras
		case found.Namespace != nil:
			known = found.Namespace.Extras
		default:
			continue // the plan tells of it
		}
		r.Sidecars++
		if r.ID == uuid.Nil {
			r.ID = known.WarehouseID
		}
		if known.WarehouseID == r.ID && known.Incarnation != uuid.Nil {
			r.Says(TheSidecars, journal.Position{Incarnation: known.Incarnation, Seq: known.Seq})
		}
	}
	return nil
}

// seen takes a position into account. One without a hash gives way to the same with.
func (r *Remains) seen(p journal.Position) {
	if p.Seq > r.Known || r.Last == nil || p.Seq == r.Known && r.Last.Hash.IsZero() {
		r.Known, r.Last = p.Seq, &p
	}
}

func (r *Remains) positions(ctx context.Context, of journal.Histories) error {
	all, err := of.Incarnations(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, i := range all {
		r.seen(i.Head)
		if i.Parent != nil {
			r.Known = max(r.Known, i.Parent.Seq)
		}
	}
	return nil
}

// anchor compares what the warehouse has seen with the journal.
func (r *Remains) anchor(ctx context.Context, w Warehouse, j journal.Journal) error {
	head, found, err := anchor.ReadHead(ctx, w.Store)
	if errors.Is(err, anchor.ErrDamaged) || err == nil && !found {
		return nil // it is one witness of several
	}
	if err != nil {
		return err
	}
	r.Says(TheAnchor, head.Position)
	r.Written = head.WrittenAt
	if r.Journaled {
		r.Behind = head.CheckLineage(ctx, j, r.ID)
	}
	return nil
}
