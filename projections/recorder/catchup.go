package recorder

import (
	"errors"
	"fmt"
	"time"

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
	return errors.As(err, &damage) || errors.Is(err, projections.ErrDamaged) || errors.Is(err, journal.ErrClosed) || errors.Is(err, projections.ErrGap) ||
		errors.Is(err, projections.ErrDiverged) || errors.Is(err, projections.ErrAhead)
}
