package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/rest"
)

// lateSidecar is what the log says of each sidecar that could not be written.
const lateSidecar = "failed to write catalog sidecar"

// followSidecars starts what keeps a copy of the catalog in its warehouses. A
// recovery reads that copy, so it does not change meanwhile.
func (n *node) followSidecars(context.Context) error {
	if n.purpose != serving && n.purpose != changing || n.config.Metastore.Type == config.Memory {
		return nil
	}
	for _, w := range n.followed() {
		w.sidecars = sidecars.Follow(sidecars.Options{
			ID: w.id, Name: w.Name, Store: w.roots[0].Store, Roots: w.roots, From: journal.Lineage(n.journal, w.id),
			Failed: func(err error, requestID string) { n.tellSidecar(w, err, requestID) },
		})
		n.onClose(func() error {
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			defer cancel()
			if err := w.sidecars.Close(ctx); err != nil {
				n.tellSidecar(w, err, "") // the next start goes on
			}
			return nil
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
	if follower, ok := n.anchors[warehouse]; ok {
		follower.Wake()
	}
	if w := n.named(warehouse); w != nil && w.sidecars != nil {
		w.sidecars.Wake()
	}
}

// unconfirmed keeps the files of a change of unknown outcome from being taken for
// history, best effort.
func (n *node) unconfirmed(w *warehouse) func(context.Context, journal.Cause, uuid.UUID, []journal.Move) {
	if w.sidecars == nil {
		return nil
	}
	return func(ctx context.Context, cause journal.Cause, event uuid.UUID, moves []journal.Move) {
		ctx, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		if err := w.sidecars.Unconfirmed(ctx, event, moves...); err != nil {
			n.tellSidecar(w, err, cause.RequestID)
		}
	}
}

// named is what asks a warehouse's sidecars; nil where there are none.
func (w *warehouse) named() func(context.Context, uuid.UUID) (string, error) {
	if w.sidecars == nil {
		return nil
	}
	return func(ctx context.Context, table uuid.UUID) (string, error) {
		return sidecars.Named(ctx, w.roots[0].Store, table)
	}
}

// forget is what deletes one of a warehouse's sidecars; nil where there are none.
func (w *warehouse) forget() func(context.Context, uuid.UUID) error {
	if w.sidecars == nil {
		return nil
	}
	return func(ctx context.Context, table uuid.UUID) error {
		ctx, cancel := context.WithTimeout(ctx, forgetTime)
		defer cancel()
		return w.sidecars.Forget(ctx, table)
	}
}

// forgetTime bounds how long a purge waits for the sidecar to go before it tries
// again later.
const forgetTime = time.Minute

// sidecarsNow are a warehouse's sidecars for those who ask; nil where there are
// none.
func (w *warehouse) sidecarsNow() func() rest.Sidecars {
	if w.sidecars == nil {
		return nil
	}
	return func() rest.Sidecars {
		p := w.sidecars.Progress()
		return rest.Sidecars{Seq: p.Cursor.Seq, Behind: p.Behind, Oldest: p.Oldest, Err: p.Err, Failed: p.Failed}
	}
}
