package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/rest/catalog"
)

// lookEvery is how often a server looks whether a second writer has come to a warehouse,
// besides each time that it writes there.
const lookEvery = 10 * time.Second

// secondWriter is another catalog that writes to a warehouse. When it was met nothing
// more is recorded, written behind the journal or removed until the process ends: a
// restart judges anew. Safe for concurrent use.
type secondWriter struct {
	once sync.Once
	is   context.Context // ends with what was seen of it
	meet context.CancelCauseFunc
}

// noSecondWriter is one that was not met yet.
func (w *warehouse) noSecondWriter() {
	w.second.is, w.second.meet = context.WithCancelCause(context.Background())
}

// seen is what was seen of it; nil: it was not met.
func (s *secondWriter) seen() error {
	if s.is == nil {
		return nil
	}
	return context.Cause(s.is)
}

// readOnly is why a warehouse takes no changes; nil: it does.
func (w *warehouse) readOnly() error {
	if w.behind != nil {
		return w.behind
	}
	return w.second.seen()
}

// meets tells whether an error is that of a second writer, which is then known, and told
// once.
func (n *node) meets(w *warehouse, err error) bool {
	if !errors.Is(err, anchor.ErrOtherHistory) {
		return false
	}
	w.second.once.Do(func() {
		why := fmt.Errorf("the catalog of warehouse %s is read only: another catalog writes to it: %w; "+
			"stop one of the two, and find out which one clients have used", w.Name, err)
		w.second.meet(why)
		n.log.Error().Str("warehouse", w.Name).Str("see", "docs/operations.md#a-second-catalog").Err(why).Msg("a second writer is in the warehouse")
	})
	return true
}

// What a look meets beside a second writer.
var (
	errIdentity = errors.New(anchor.IdentityKey + ", which says whose warehouse it is, is gone or damaged")
	errUnread   = errors.New("the journal cannot be asked")
)

// look asks a warehouse whether what it names is of its journal: its identity, the head
// that it saw last, and what its archive goes on in. anchor.ErrOtherHistory when one is not.
func (n *node) look(ctx context.Context, w *warehouse) error {
	own := w.roots[0].Store
	id, found, err := anchor.ReadIdentity(ctx, own)
	switch {
	case errors.Is(err, anchor.ErrDamaged), errors.Is(err, anchor.ErrNewer):
		return fmt.Errorf("%w: %w", errIdentity, err)
	case err != nil:
		return err
	case found && id.ID != w.id:
		return fmt.Errorf("%w: %s is of warehouse %s", anchor.ErrOtherHistory, anchor.IdentityKey, id.ID)
	}
	head, there, err := anchor.ReadHead(ctx, own)
	if err == nil && there {
		err = n.ownEvent(ctx, w, head.Incarnation, head.Seq)
	}
	if err == nil && there {
		err = n.holds(ctx, w, head)
	}
	if err != nil {
		return err
	}
	incarnation, first, there, err := archive.Named(ctx, own)
	if err == nil && there {
		err = n.ownEvent(ctx, w, incarnation, first)
	}
	if err == nil && !found {
		return errIdentity
	}
	return err
}

// ownEvent tells an event of a second writer from what the journal does not say.
func (n *node) ownEvent(ctx context.Context, w *warehouse, incarnation uuid.UUID, seq journal.Seq) error {
	err := anchor.CheckBeside(ctx, n.journal, w.id, incarnation, seq)
	if err != nil && !errors.Is(err, anchor.ErrOtherHistory) {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	return err
}

// heed tells, as long as it is so, what a look has met: commits may be refused, or the next
// start will be. Of the journal others tell, and head.json is written anew.
func (n *node) heed(w *warehouse, err error) {
	message := ""
	switch {
	case errors.Is(err, errUnread):
		return
	case errors.Is(err, errIdentity):
		message = fmt.Sprintf("%v; commits go on, and the next start will be refused: put it back from a copy, or an older version of the object, before it (docs/operations.md#when-it-refuses-to-start)", err)
	case err != nil && !errors.Is(err, anchor.ErrDamaged):
		message = "the warehouse cannot be looked at, and commits may be refused: " + w.hint(err).Error()
	}
	n.trouble(subject{w.Name, "what the warehouse holds"}, message)
}

// lookBeside looks for second writers until the node is closed. What cannot be looked at
// is told.
func (n *node) lookBeside(context.Context) error {
	if n.purpose != serving || n.config.Metastore.Type == config.Memory {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, w := range n.followed() {
		all.Go(func() {
			every(ctx, n.looks, func() {
				asked, enough := context.WithTimeout(ctx, lookEvery)
				defer enough()
				if err := n.look(asked, w); !n.meets(w, err) && ctx.Err() == nil {
					n.heed(w, err)
				}
			})
		})
	}
	n.onClose(func() error {
		stop()
		all.Wait()
		return nil
	})
	return nil
}

// every does something again and again, until ctx ends.
func every(ctx context.Context, pause time.Duration, do func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// purgeFence is the fence of a purge, which looks first: what a second writer has may be
// among the files of what was dropped here.
func (n *node) purgeFence(w *warehouse) func(context.Context) error {
	turn := n.fence(w.id)
	if n.config.Metastore.Type == config.Memory {
		return turn
	}
	return func(ctx context.Context) error {
		err := n.look(ctx, w)
		if n.meets(w, err); err != nil || turn == nil {
			return err
		}
		return turn(ctx)
	}
}

// soleWriter is a recorder that takes nothing beside a second writer.
type soleWriter struct {
	catalog.Recorder
	second *secondWriter
}

// Record implements catalog.Recorder.
func (s soleWriter) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if why := s.second.seen(); why != nil {
		return readOnly{why}.Record(ctx, d)
	}
	return s.Recorder.Record(ctx, d)
}
