package main

import (
	"context"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest"
	"puddle/rest/catalog"
	"puddle/rest/catalog/purge"
)

const (
	purgeRate    = 1000 // files a second that a warehouse's job removes at most
	findingsTold = 20   // in the log; the event has more
)

// purgesOf makes the job that removes the files of a warehouse's dropped tables.
func (n *node) purgesOf(w *warehouse, reader projections.Reader, guard *catalog.Catalog) *purge.Job {
	events, log := n.journal.Warehouse(w.id), n.log.With().Str("warehouse", w.Name).Logger()
	tells := purgeLog{log, events}
	return purge.New(purge.Options{
		Warehouse: w.id, Roots: w.roots, Reader: reader, Documents: events, Recorder: n.recorder, Guard: guard,
		Now: n.steady.now, Grace: w.Purge.Grace, Ephemeral: n.config.Metastore.Type == config.Memory, Rate: purgeRate, Forget: w.forget(), Began: tells.began, Observe: tells.ended,
	})
}

// startPurges runs the jobs of a node that serves, until it is closed.
func (n *node) startPurges(context.Context) error {
	for _, w := range n.warehouses {
		if w.purges == nil {
			continue
		}
		if w.Purge.Grace == 0 {
			n.log.Warn().Str("warehouse", w.Name).Msg("purge.grace is 0s: a drop with a purge cannot be undone")
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.purges.Run(ctx)
		}()
		n.onClose(func() error {
			stop()
			<-done
			return nil
		})
	}
	return nil
}

// wakePurges has a drop's files removed when its grace ends.
func (n *node) wakePurges(e journal.Event) {
	if dropped, ok := e.Body.(journal.TableDropped); !ok || !dropped.Purge {
		return
	}
	if w := n.named(e.Warehouse); w != nil && w.purges != nil {
		w.purges.Wake()
	}
}

// purging is what the job does, for those who ask.
func (w *warehouse) purging() rest.Purging {
	p := w.purges.Progress()
	shown := rest.Purging{Tables: p.Closed, Files: rest.PurgeCounts(p.Files), Err: p.Err, ErrAt: p.ErrAt}
	if c := p.Current; c != nil {
		shown.Current = &rest.PurgingTable{
			UUID: c.Table, Drop: c.Drop, Identifier: c.Identifier, Began: c.Began,
			Kind: string(c.Kind), Files: rest.PurgeCounts(c.Files),
		}
	}
	return shown
}

// purgeLog tells of purges.
type purgeLog struct {
	log    zerolog.Logger
	events journal.Reader
}

func (l purgeLog) began(p projections.Purge) { l.about(l.log.Info(), p).Msg("purge begins") }

// ended tells how a pass over a table ended, and which files stay.
func (l purgeLog) ended(o purge.Outcome) {
	r := o.Report
	line := l.log.Info()
	if o.Result == purge.Waiting || r.Kept+r.Failed > 0 {
		line = l.log.Warn()
	}
	l.about(line, o.Purge).Int64("removed", r.Removed).Int64("bytes", r.Bytes).Int64("kept", r.Kept).Int64("failed", r.Failed)
	if o.Result == purge.Waiting {
		line.Err(o.Err).Time("next", o.Next).Msg("purge waits")
		return
	}
	line.Msg("purge is " + string(o.Result))
	for i, finding := range r.Findings {
		if i == findingsTold {
			l.log.Warn().Int("more", len(r.Findings)-i).Msg("purge left more: puddle log --kind table-purged --json")
			return
		}
		l.log.Warn().Str("file", finding.Location).Str("reason", finding.Reason).Msg("purge left")
	}
}

// about names the table, and the request that dropped it.
func (l purgeLog) about(line *zerolog.Event, p projections.Purge) *zerolog.Event {
	line.Stringer("table", p.Table).Str("name", p.Identifier.Quoted())
	if drop, found, err := l.events.Find(context.Background(), p.Drop); err == nil && found {
		optional(line, "request-id", drop.Cause.RequestID)
	}
	return line
}
