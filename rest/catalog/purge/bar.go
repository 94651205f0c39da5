package purge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/purge/mark"
)

// ErrLate: a turn has waited for the warehouse for as long as its bar lets it.
var ErrLate = errors.New("the warehouse did not say in time which purges have begun")

// Bar keeps what many processes decide away from purges that have begun: it is asked about
// an event under the lock that events are recorded under, which Options.Fence waits for.
// So either the purge sees the event, or the event the mark.
type Bar struct {
	Own   warehouse.Reader // where marks are
	Roots warehouse.Roots  // where metadata files are
	Limit time.Duration    // of what a turn waits for, in all; 0: none
}

// Standing says what was recorded last, under the lock. [recorder.Turn] is one.
type Standing interface {
	PurgesOf(ctx context.Context, tables ...uuid.UUID) (map[uuid.UUID]projections.Purge, error)
	PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error)
}

// Watch is a bar in one turn. It looks for marks once: whoever begins a purge later
// waits for the turn. It is for one goroutine.
type Watch struct {
	bar      Bar
	standing Standing
	left     time.Duration // of the limit
	looked   bool
	begun    []projections.Purge // that have marks and are not over
}

// In is the bar in a turn that has begun.
func (b Bar) In(turn Standing) *Watch { return &Watch{bar: b, standing: turn, left: b.Limit} }

// Refuse answers nil, or a *projections.Conflict, PurgeBegun: for an event that brings a
// table back whose purge has begun, or was closed since that was decided, or gives an object a place that is one of such a
// table's, above or below, until the purge is closed; and, without a Holder, for an event
// of which the warehouse does not tell that. ErrLate: it did not answer within the limit.
// With any other error, which is the turn's, and with that one the turn is over.
func (w *Watch) Refuse(ctx context.Context, e journal.Event) error {
	moves := slices.DeleteFunc(slices.Clone(e.Moves()), func(m journal.Move) bool { return m.To == nil })
	if len(moves) == 0 {
		return nil
	}
	limited, end := w.limit(ctx)
	defer end()
	err := w.returns(limited, e, moves)
	if err == nil {
		err = w.settles(limited, moves)
	}
	var conflict *projections.Conflict
	switch {
	case err == nil || errors.As(err, &conflict):
		return err
	case limited.Err() != nil && ctx.Err() == nil:
		return fmt.Errorf("%w: %v", ErrLate, err)
	case errors.As(err, new(silent)):
		return &projections.Conflict{Kind: projections.PurgeBegun, Identifier: moves[0].To.Identifier, UUID: moves[0].UUID}
	}
	return err
}

// limit is what is left of the limit, and takes off what is used of it until end.
func (w *Watch) limit(ctx context.Context) (limited context.Context, end func()) {
	if w.bar.Limit == 0 {
		return ctx, func() {}
	}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, w.left)
	return limited, func() {
		cancel()
		w.left -= time.Since(start)
	}
}

// silent is an error of the warehouse: it does not tell.
type silent struct{ error }

func (s silent) Unwrap() error { return s.error }

// returns refuses what comes back from a purge that has begun.
func (w *Watch) returns(ctx context.Context, e journal.Event, moves []journal.Move) error {
	var tables []uuid.UUID
	for _, m := range moves {
		if m.From == nil { // else it is there, and no purge of it asked for
			tables = append(tables, m.UUID)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	asked, err := w.standing.PurgesOf(ctx, tables...)
	if err != nil {
		return err
	}
	for _, m := range moves {
		p, ok := asked[m.UUID]
		if m.From != nil || !ok {
			continue
		}
		var begun bool
		if p.Done {
			begun, err = w.bar.removed(ctx, e, m)
		} else {
			_, begun, err = mark.Find(ctx, w.bar.Own, p.Drop)
		}
		if err != nil {
			return silent{err}
		}
		if begun {
			return begunBy(p, m, "")
		}
	}
	return nil
}

// removed tells whether a table whose purge is closed lacks its files. Who registers one has
// put them back; who decided before the purge and was stopped until now has not.
func (b Bar) removed(ctx context.Context, e journal.Event, m journal.Move) (bool, error) {
	if _, undropped := e.Body.(journal.TableUndropped); undropped {
		return true, nil
	}
	root, key, err := b.Roots.Resolve(m.To.Pointer.MetadataLocation)
	if err != nil {
		return false, err
	}
	_, err = root.Store.Stat(ctx, key)
	if errors.Is(err, warehouse.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// settles refuses places near those of purges that have begun, which their objects do not
// have yet.
func (w *Watch) settles(ctx context.Context, moves []journal.Move) error {
	if err := w.look(ctx); err != nil {
		return err
	}
	for _, p := range w.begun {
		for _, m := range moves {
			if err := w.apart(ctx, p, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// look finds the purges that have begun.
func (w *Watch) look(ctx context.Context) error {
	if w.looked {
		return nil
	}
	var marks []mark.Mark
	var tables []uuid.UUID
	for m, err := range mark.All(ctx, w.bar.Own) {
		if err != nil {
			return silent{err}
		}
		marks, tables = append(marks, m), append(tables, m.Table)
	}
	if len(marks) > 0 {
		asked, err := w.standing.PurgesOf(ctx, tables...)
		if err != nil {
			return err
		}
		for _, m := range marks {
			if p, ok := asked[m.Table]; ok && !p.Done && p.Drop == m.Drop { // else it is over, and its mark was left
				w.begun = append(w.begun, p)
			}
		}
	}
	w.looked = true
	return nil
}

func (w *Watch) apart(ctx context.Context, p projections.Purge, m journal.Move) error {
	for _, place := range m.To.Places {
		if !near(p.Places, place.Path) {
			continue
		}
		holder, held, err := w.standing.PlaceHolder(ctx, place.Path, uuid.Nil)
		if err != nil {
			return err
		}
		if !held || holder != m.UUID {
			return begunBy(p, m, place.Path)
		}
	}
	return nil
}

// near tells whether a path is one of these places, above or below.
func near(places []journal.Place, path string) bool {
	return slices.ContainsFunc(places, func(p journal.Place) bool { return warehouse.Overlaps(p.Path, path) })
}

func begunBy(p projections.Purge, m journal.Move, path string) error {
	return &projections.Conflict{Kind: projections.PurgeBegun, Identifier: m.To.Identifier, UUID: m.UUID, Path: path, Holder: p.Table, Drop: p.Drop}
}
