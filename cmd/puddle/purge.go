package main

import (
	"context"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest"
	"puddle/rest/catalog/purge"
)

const (
	purgeRate    = 1000 // files a second that a warehouse's job removes at most
	findingsTold = 20   // in the log; the event has more
)

// purgesOf makes the job that removes the files of a warehouse's dropped tables, for one
// term; nil where files stay.
func (n *node) purgesOf(w *warehouse, t *term) *purge.Job {
	if !n.purgesIn(w) {
		return nil
	}
	events, log := n.journal.Warehouse(w.id), n.log.With().Str("warehouse", w.Name).Logger()
	tells := purgeLog{log, events}
	return purge.New(purge.Options{
		Warehouse: w.id, Roots: t.roots, Externals: n.externals, Reader: n.recorder.Reader(w.id), Documents: events, Recorder: soleWriter{n.recorder, &w.second}, Guard: w.decides,
		Now: n.steady.now, Ask: n.asking(), Grace: w.Purge.Grace, Ephemeral: n.config.Metastore.Type == config.Memory, Rate: purgeRate,
		Fence: n.purgeFence(w), Forget: t.forget(), Began: tells.began, Observe: tells.ended,
	})
}

// purgesIn tells whether files of a warehouse are removed by the servers.
func (n *node) purgesIn(w *warehouse) bool {
	return n.purpose == serving && w.Purge.Mode == config.PurgeServer && w.behind == nil
}

// startPurges runs the jobs of a node that serves, until it is closed.
func (n *node) startPurges(ctx context.Context) error {
	for _, w := range n.warehouses {
		if n.purgesIn(w) && w.Purge.Grace == 0 {
			n.log.Warn().Str("warehouse", w.Name).Msg("purge.grace is 0s: a drop with a purge cannot be undone")
		}
	}
	return n.lead(ctx)
}

// lead implements metastore: the one server follows all journals, from its start.
func (n embedded) lead(context.Context) error {
	for _, w := range n.warehouses {
		t := w.term.Load()
		if t == nil {
			continue
		}
		t.purge(n.purgesOf(w, t))
		stay := context.AfterFunc(w.second.is, t.idle)
		n.onClose(func() error {
			stay()
			t.idle()
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
	if w := n.named(e.Warehouse); w != nil {
		if t := w.term.Load(); t != nil {
			t.wakePurges()
		}
	}
}

// purging is what the job does, for those who ask; nil where there is none.
func (n *node) purging(w *warehouse) func() rest.Purging {
	if !n.purgesIn(w) {
		return nil
	}
	return func() rest.Purging {
		if t := w.term.Load(); t != nil {
			if job := t.purges.Load(); job != nil {
				return progress(job)
			}
		}
		return rest.Purging{Elsewhere: n.turnsAtFollowing()}
	}
}

// progress is what a job does, for those who ask.
func progress(job *purge.Job) rest.Purging {
	p := job.Progress()
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
