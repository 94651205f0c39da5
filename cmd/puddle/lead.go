package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
)

// followersLease names what a replica holds that follows a warehouse's journal.
const followersLease = "followers"

// pollTime is how often the ends of the journals are looked at for what other replicas
// have appended, and wakeTime how often followers look although there is nothing new:
// whether somebody who was paused has set something back.
const (
	pollTime = time.Second
	wakeTime = time.Minute
	pollWait = 10 * time.Second // a network that swallows everything tells nobody
)

// lead implements metastore: this replica follows the journals of warehouses, and removes
// what was dropped there, while it holds their leases.
func (n *shared) lead(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	var all, first sync.WaitGroup // the first attempts to gain a lease
	for _, w := range n.followed() {
		first.Add(1)
		lease := n.db.Lease(w.id, followersLease, journalpostgres.LeaseOptions{Tried: sync.OnceFunc(first.Done)})
		all.Go(func() {
			lease.Keep(ctx, func(ctx context.Context) { n.serveTerm(ctx, w, lease.Held) })
		})
	}
	all.Go(func() { poll(ctx, n.heads, n.wakeMoved) })
	n.onClose(func() error {
		first.Wait() // what was recorded meanwhile is written, if nobody else has it
		stop()
		all.Wait()
		return nil
	})
	return nil
}

// serveTerm follows a warehouse until ctx ends. What is behind is written in the end only
// if that is still allowed.
func (n *node) serveTerm(ctx context.Context, w *warehouse, held func() error) {
	n.log.Info().Str("warehouse", w.Name).Msg("this replica follows the journal")
	t := n.begin(w, held)
	t.purge(n.purgesOf(w, t))
	select {
	case <-ctx.Done():
	case <-w.second.is.Done():
	}
	t.idle()
	<-ctx.Done() // who does not know yet of a second writer is not to follow instead
	w.term.Store(nil)
	line, err := n.log.Info(), errors.Join(w.second.seen(), held())
	if err == nil {
		var late error
		if late, err = t.close(); late != nil {
			n.tellSidecar(w, late, "")
		}
	} else if stopped := t.stop(); stopped != nil {
		line = n.log.Warn().AnErr("stop", stopped) // a store hangs: what comes of it is not written
	}
	line.Str("warehouse", w.Name).Err(err).Msg("this replica follows the journal no more")
}

// wakeMoved has followers and purges of this replica look at warehouses whose journal has
// moved, or at all.
func (n *node) wakeMoved(moved func(uuid.UUID) bool) {
	for _, w := range n.warehouses {
		if t := w.term.Load(); t != nil && moved(w.id) {
			t.wake()
			t.wakePurges()
		}
	}
}

// poll asks for the heads of all warehouses, and says which have moved since it asked last;
// now and then that all have. It ends with ctx.
func poll(ctx context.Context, heads func(context.Context) (journal.Heads, error), wake func(moved func(uuid.UUID) bool)) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	last, since := journal.Heads{}, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked, enough := context.WithTimeout(ctx, pollWait)
		now, err := heads(asked)
		enough()
		if err != nil && len(now) == 0 {
			continue // the next time tells
		}
		everyone := time.Since(since) >= wakeTime
		if everyone {
			since = time.Now()
		}
		wake(func(id uuid.UUID) bool { return everyone || now[id].Head != last[id].Head })
		last = now
	}
}
