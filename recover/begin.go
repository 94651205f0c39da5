package recover

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/anchor"
)

// million is the distance that keeps a seq from ever meaning two things.
const million = 1_000_000

// Beginning says how a recovery begins.
type Beginning struct {
	ID     uuid.UUID // of the warehouse
	From   Source
	Later  bool              // see Choice
	Parent *journal.Position // where its lineage left off; nil: nothing is known of a past
	Known  journal.Seq       // the highest that anybody knows
	Cause  journal.Cause
}

// Begin appends the start of the incarnation that a recovery fills: above all seqs that
// are known, and where none is, as a birth. Of one that is under way see UnderWay.
func (b Binder) Begin(ctx context.Context, w Warehouse, r Beginning) (journal.Event, error) {
	entry, err := b.start(ctx, w, r, b.Journal)
	if err != nil {
		return journal.Event{}, err
	}
	// A crash before this leaves all as it was.
	if err := b.Journal.Append(ctx, entry); err != nil {
		return journal.Event{}, fmt.Errorf("warehouse %s: the start of the recovery: %w", w.Name, err)
	}
	// Begun. A crash from here on leaves a recovery that is under way.
	return entry.Event, nil
}

// BeginAfter carries what an archive has into the journal and begins after it, see Carry
// and Begin. The start is appended together with the last event that is carried: a journal
// is never as whole as its archive without the recovery being under way.
func (b Binder) BeginAfter(ctx context.Context, w Warehouse, r Beginning, archived journal.Histories) (journal.Event, error) {
	entry, err := b.start(ctx, w, r, archived)
	if err != nil {
		return journal.Event{}, err
	}
	// A crash before it has ended leaves a journal that is behind its archive.
	if _, err := carryTo(ctx, archived, b.Journal, r.ID, entry); err != nil {
		return journal.Event{}, fmt.Errorf("warehouse %s: the start of the recovery: %w", w.Name, err)
	}
	return entry.Event, nil
}

// start is the entry that begins a recovery; its parent is looked up in a past.
func (b Binder) start(ctx context.Context, w Warehouse, r Beginning, past journal.Histories) (journal.Entry, error) {
	incarnation, err := uuid.NewRandom()
	if err != nil {
		return journal.Entry{}, err
	}
	event, err := uuid.NewV7()
	if err != nil {
		return journal.Entry{}, err
	}
	why := reason + string(r.From)
	if r.Later {
		why += reasonLater
	}
	before := journal.Seq(0)
	if r.Parent != nil {
		before = (max(r.Known, r.Parent.Seq)/million + 1) * million
	}
	chain := journal.NewChain(r.ID, incarnation, before)
	if chain.At, err = left(ctx, r, past); err != nil {
		return journal.Entry{}, err
	}
	entry, _, err := chain.Next(journal.Draft{
		Warehouse: r.ID, ID: event, Cause: r.Cause,
		Body: journal.IncarnationStarted{Build: b.Build, Location: w.Location, Name: w.Name, Parent: r.Parent, Reason: why},
	}, b.Clock.Read())
	return entry, err
}

// left is when the event happened at which the lineage is left, so that its dates
// never go back; zero where the past does not have it.
func left(ctx context.Context, r Beginning, past journal.Histories) (at time.Time, err error) {
	if r.Parent == nil {
		return at, nil
	}
	for e, err := range past.Incarnation(r.ID, r.Parent.Incarnation).Scan(ctx, r.Parent.Seq-1) {
		if err != nil || e.Position != *r.Parent {
			return at, err
		}
		return e.At, nil
	}
	return at, nil
}

// Identify writes the identity of a warehouse that a recovery has begun, if it has
// none.
func (b Binder) Identify(ctx context.Context, w Warehouse, start journal.Event) error {
	err := anchor.CreateIdentity(ctx, w.Store, anchor.Identity{
		ID: start.Warehouse, Name: w.Name, Location: w.Location, Incarnation: start.Incarnation, CreatedAt: start.At,
	})
	if err == nil || !errors.Is(err, warehouse.ErrExists) {
		return err
	}
	there, _, err := readIdentity(ctx, w)
	if err == nil && there.ID != start.Warehouse {
		err = &Refusal{w.Name, fmt.Sprintf("%s belongs to warehouse %s, not to %s", w.Location, there.ID, start.Warehouse), "", nil}
	}
	return err
}
