package main

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/projections/sidecars"
	"puddle/rest"
)

// lateSidecar is what the log says of each sidecar that could not be written.
const lateSidecar = "failed to write catalog sidecar"

// forgetTime bounds how long a purge waits for the sidecar to go before it tries
// again later.
const forgetTime = time.Minute

// lookTime bounds how long a warehouse is asked what another replica has written.
const lookTime = 2 * time.Second

// followed are the warehouses whose journal something follows.
func (n *node) followed() (all []*warehouse) {
	for _, w := range n.warehouses {
		if w.behind == nil {
			all = append(all, w)
		}
	}
	return all
}

// follow starts what runs behind the journal, unless replicas take turns at it: then a
// server does when it has the lease, and a command leaves it to the servers. A recovery
// reads what is written by most followers, so it has the anchor alone.
func (n *node) follow(context.Context) error {
	if n.purpose == reporting {
		return nil
	}
	if n.config.Metastore.Type == config.Memory { // nothing outlasts the process
		for _, w := range n.followed() {
			w.term.Store(&term{roots: w.roots, idle: func() {}})
		}
		return nil
	}
	if n.purpose == serving && archive.Mode(n.config.Journal.Archive) == archive.Off {
		n.log.Warn().Msg(notArchived)
	}
	for _, w := range n.followed() {
		w.follows = n.purpose != rescuing
		if w.follows && n.turnsAtFollowing() {
			continue
		}
		t := n.begin(w, nil)
		n.onClose(func() error {
			if w.second.seen() != nil {
				return t.stop()
			}
			late, err := t.close()
			if late != nil {
				n.tellSidecar(w, late, "") // the next start goes on
			}
			return err
		})
	}
	return nil
}

func (n *node) tellSidecar(w *warehouse, err error, requestID string) {
	line := n.log.Warn().Str("warehouse", w.Name).Err(err)
	optional(line, "request-id", requestID)
	line.Msg(lateSidecar)
}

// wakeFollowers has what follows a warehouse's journal look for an event.
func (n *node) wakeFollowers(warehouse uuid.UUID) {
	if w := n.named(warehouse); w != nil {
		if t := w.term.Load(); t != nil {
			t.wake()
		}
	}
}

// unconfirmed keeps the files of a change of unknown outcome from being taken for
// history, best effort: by the follower, or beside the one that another replica has.
func (n *node) unconfirmed(w *warehouse) func(context.Context, journal.Cause, uuid.UUID, []journal.Move) {
	if !w.follows {
		return nil
	}
	return func(ctx context.Context, cause journal.Cause, event uuid.UUID, moves []journal.Move) {
		ctx, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		err := sidecars.ErrClosed
		if t := w.term.Load(); t != nil {
			err = t.sidecars.Unconfirmed(ctx, event, moves...)
		}
		if errors.Is(err, sidecars.ErrClosed) && n.turnsAtFollowing() {
			err = sidecars.AddUnconfirmed(ctx, w.roots[0].Store, event, moves...)
		}
		if err != nil {
			n.tellSidecar(w, err, cause.RequestID)
		}
	}
}

// named is what asks a warehouse's sidecars; nil where there are none.
func (w *warehouse) named() func(context.Context, uuid.UUID) (string, error) {
	if !w.follows {
		return nil
	}
	return func(ctx context.Context, table uuid.UUID) (string, error) {
		return sidecars.Named(ctx, w.roots[0].Store, table)
	}
}

// anchored is the anchor, for those who ask; nil where there is none.
func (n *node) anchored(w *warehouse) func() rest.Anchor {
	if t := w.term.Load(); !w.follows && (t == nil || t.anchor == nil) {
		return nil
	}
	return func() rest.Anchor {
		if t := w.term.Load(); t != nil {
			s := t.anchor.State()
			since := n.lag(w, &w.lacks.anchor, t, s.Written.Seq)
			return rest.Anchor{Seq: s.Written.Seq, Since: since, Err: s.Err, Failed: s.Failed}
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		head, _, err := anchor.ReadHead(ctx, w.roots[0].Store)
		seq, since, err := n.elsewhere(w, &w.lacks.anchor, head.Position, err)
		return rest.Anchor{Seq: seq, Since: since, Err: err, Elsewhere: true}
	}
}

// sidecarsNow are a warehouse's sidecars for those who ask; nil where there are
// none.
func (n *node) sidecarsNow(w *warehouse) func() rest.Sidecars {
	if !w.follows {
		return nil
	}
	return func() rest.Sidecars {
		if t := w.term.Load(); t != nil {
			p := t.sidecars.Progress()
			oldest := n.lag(w, &w.lacks.sidecars, t, p.Cursor.Seq)
			return rest.Sidecars{Seq: p.Cursor.Seq, Behind: p.Behind, Oldest: oldest, Err: p.Err, Failed: p.Failed}
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		cursor, _, err := sidecars.ReadCursor(ctx, w.roots[0].Store)
		seq, oldest, err := n.elsewhere(w, &w.lacks.sidecars, cursor, err)
		behind, asked := n.behindBy(w, cursor, seq, err)
		return rest.Sidecars{Seq: seq, Behind: behind, Oldest: oldest, Err: errors.Join(err, asked), Elsewhere: true}
	}
}

// behindBy is how many events sidecars that another replica writes may lack, at least.
func (n *node) behindBy(w *warehouse, cursor journal.Position, seq journal.Seq, unread error) (uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	head, err := n.journal.Warehouse(w.id).Head(ctx)
	switch {
	case err != nil:
		return 0, err
	case unread == nil && cursor.Incarnation != head.Incarnation:
		return 1, nil
	case seq < head.Seq:
		return uint64(head.Seq - seq), nil
	}
	return 0, nil
}
