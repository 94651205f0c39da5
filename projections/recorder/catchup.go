package recorder

import (
	"context"
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
// what the journal has, and then opens the gate. Once the pauses between the
// tries have become the longest, as on a disk that stays full, nobody is kept
// waiting any more. An error says that the tables do not come up in this life:
// the recorder was closed, or they contradict the journal; the readers then get
// ErrStopped.
func (b *embedded) bringUp(l *lane, reason error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		b.behind(reason)
		if reason = b.catchUp(l.life); reason == nil {
			b.hot.empty()
			b.gate.open()
			b.behind(nil)
			return nil
		}
		behind := fmt.Errorf("%w: %w", ErrBehind, reason)
		if hopeless(reason) || !b.rest(l, pause, behind) {
			b.gate.fail(stopped(behind))
			return behind
		}
	}
}

// rest pauses. The longest pauses send everybody away. It is false when the
// recorder was closed meanwhile.
func (b *embedded) rest(l *lane, pause time.Duration, reason error) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var calls chan *call
	var memos chan *memo
	if pause == longestPause {
		b.gate.delay(reason)
		calls, memos = l.drafts, l.memos
	}
	for {
		select {
		case <-timer.C:
			return true
		case <-l.life.Done():
			return false
		case c := <-calls:
			c.answer(journal.Event{}, notRecorded(reason))
		case m := <-memos:
			m.reply <- notRecorded(reason)
		}
	}
}

func (b *embedded) catchUp(ctx context.Context) error {
	for id := range b.chains {
		if err := projections.CatchUp(ctx, b.journal.Warehouse(id), 0, b.store.Warehouse(id)); err != nil {
			return err
		}
	}
	return nil
}

func (b *embedded) behind(reason error) {
	if b.options.OnBehind != nil {
		b.options.OnBehind(reason)
	}
}

// hopeless tells whether trying again cannot help.
func hopeless(err error) bool {
	var damage *journal.Damage
	return errors.As(err, &damage) || errors.Is(err, projections.ErrDamaged) || errors.Is(err, journal.ErrClosed) || errors.Is(err, projections.ErrGap) ||
		errors.Is(err, projections.ErrDiverged) || errors.Is(err, projections.ErrAhead)
}
