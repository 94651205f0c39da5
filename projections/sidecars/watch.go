package sidecars

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"puddle/journal"
)

// What was written is looked at again after firstLook, then with pauses that double, and
// no more after lastLook: who was paused that long may set a sidecar back until the next
// event of its object.
const (
	firstLook = 10 * time.Second
	lastLook  = time.Hour
)

// watches are what was written, by key.
type watches map[string]*watched

// watched is a file that was seen to be as it is to be.
type watched struct {
	key   string
	seq   journal.Seq // of the event that it is the state after
	gone  bool        // there is to be none
	pause time.Duration
	due   time.Time // when it is looked at next
}

// watch has what was written looked at again.
func (w *work) watch(n *entry) {
	if !w.Others || w.seen[n.key] == nil && len(w.seen) >= w.room {
		return
	}
	w.seen[n.key] = &watched{
		key: n.key, seq: n.seq, gone: n.object == nil && n.namespace == nil, pause: firstLook, due: time.Now().Add(firstLook),
	}
}

// lookAgain looks at what was written a while ago. What another follower has set back
// since is held back from where that is, and so made again.
func (w *work) lookAgain(ctx context.Context, r *round) {
	now := time.Now()
	var due []*watched
	for _, s := range w.seen {
		if !now.Before(s.due) && w.pending[s.key] == nil {
			due = append(due, s)
		}
	}
	slices.SortFunc(due, func(a, b *watched) int { return cmp.Compare(a.key, b.key) })
	for i, err := range inParallel(due, func(s *watched) error { return w.look(ctx, s) }) {
		s := due[i]
		if back := (*setBack)(nil); errors.As(err, &back) {
			w.again(s, back)
		} else if err != nil {
			r.fail(failureOf(err))
		}
		if s.pause *= 2; s.pause > lastLook {
			delete(w.seen, s.key)
		}
		s.due = now.Add(s.pause)
	}
}

// look looks whether a file is as it was written, or more: else it is *setBack.
func (w *work) look(ctx context.Context, s *watched) error {
	found, there, err := find(ctx, w.Store, s.key)
	if err != nil {
		return err
	}
	x, says := found.extras()
	switch {
	case s.gone && there && says && x.Seq < s.seq:
		return &setBack{s.seq}
	case s.gone, says && x.Seq >= s.seq:
		return nil
	case !says:
		return &setBack{1}
	}
	return &setBack{x.Seq + 1}
}

// again has a file made again.
func (w *work) again(s *watched, back *setBack) {
	n := w.entry(s.key)
	if s.gone {
		n.seq, n.loaded, n.dirty = s.seq, true, true
		return
	}
	n.startOver(back)
}
