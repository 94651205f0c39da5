package recorder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// How long the recorder waits before it tries again to bring the pointer tables
// up to the journal: doubling from the first to the longest.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = time.Second
)

// bringUp repairs a step 4 that failed. It is here until the pointer tables hold
// what the journal has, and then opens the gate. An error says that this does
// not happen in this life: the recorder was closed, or the tables contradict the
// journal; the readers then get ErrStopped.
func (r *Recorder) bringUp(reason error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		r.behind(reason)
		if reason = r.catchUp(); reason == nil {
			r.gate.open()
			r.behind(nil)
			return nil
		}
		if hopeless(reason) || !r.rest(pause) {
			reason = fmt.Errorf("%w: %w", ErrBehind, reason)
			r.gate.fail(stopped(reason))
			return reason
		}
	}
}

// rest pauses. It is false when the recorder was closed meanwhile.
func (r *Recorder) rest(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.life.Done():
		return false
	}
}

func (r *Recorder) catchUp() error {
	for id := range r.chains {
		if err := projections.CatchUp(r.life, r.journal.Warehouse(id), 0, r.store.Warehouse(id)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) behind(reason error) {
	if r.options.OnBehind != nil {
		r.options.OnBehind(reason)
	}
}

// hopeless tells whether trying again cannot help.
func hopeless(err error) bool {
	var damage *journal.Damage
	return errors.As(err, &damage) || errors.Is(err, journal.ErrClosed) || errors.Is(err, projections.ErrGap) ||
		errors.Is(err, projections.ErrDiverged) || errors.Is(err, projections.ErrAhead)
}

// loadChains reads where the histories end, and when the newest event in them
// was dated by the raw clock.
func loadChains(ctx context.Context, j journal.Journal, s projections.Store) (map[uuid.UUID]journal.Chain, time.Time, error) {
	var newest time.Time
	ids, err := j.Warehouses(ctx)
	if err != nil {
		return nil, newest, err
	}
	chains := make(map[uuid.UUID]journal.Chain, len(ids))
	for _, id := range ids {
		last, err := lastEvent(ctx, j.Warehouse(id))
		if err != nil {
			return nil, newest, err
		}
		cursor, err := s.Warehouse(id).Cursor(ctx)
		if err != nil {
			return nil, newest, err
		}
		if err := compare(cursor, last.Position); err != nil {
			return nil, newest, fmt.Errorf("warehouse %s: %w", id, err)
		}
		chains[id] = journal.ChainAt(last)
		if last.Wall.After(newest) {
			newest = last.Wall
		}
	}
	return chains, newest, nil
}

func lastEvent(ctx context.Context, from journal.Reader) (journal.Event, error) {
	for e, err := range from.ScanBack(ctx, 0) {
		return e, err
	}
	return journal.Event{}, journal.ErrNoWarehouse
}

// compare tells how a cursor differs from the journal's head.
func compare(cursor, head journal.Position) error {
	switch {
	case cursor == head:
		return nil
	case cursor.IsZero() || cursor.Incarnation == head.Incarnation && cursor.Seq < head.Seq:
		return fmt.Errorf("%w: they stand at %s, the journal ends at %s", ErrBehind, cursor, head)
	case cursor.Incarnation == head.Incarnation && cursor.Seq > head.Seq:
		return fmt.Errorf("%w: it stands at %s, the journal ends at %s", projections.ErrAhead, cursor, head)
	}
	return fmt.Errorf("%w: it stands at %s, the journal ends at %s", projections.ErrDiverged, cursor, head)
}
