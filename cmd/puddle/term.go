package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/leased"
	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/projections/sidecars"
	"puddle/rest/catalog/purge"
)

// closeTime bounds the last writes of each follower.
const closeTime = 5 * time.Second

// term is the time in which this process follows the journal of a warehouse: what it
// writes behind the commits, and what it removes. It begins where the warehouse says that
// others have come to, and nothing of it outlasts it.
type term struct {
	began    time.Time                 // by the clock that dates events
	roots    store.Roots               // as followers have them
	anchor   *anchor.Follower          // nil: there is none, nor any of the next
	sidecars *sidecars.Follower        // nil: there are none
	archive  *archive.Follower         // nil: it is off
	purges   atomic.Pointer[purge.Job] // nil: none runs
	idle     func()                    // ends the job's goroutine
}

// begin starts to follow a warehouse's journal. held tells whether that is still allowed;
// nil: always, and nobody else does.
func (n *node) begin(w *warehouse, held func() error) *term {
	t := &term{began: n.steady.now(), idle: func() {}, roots: leased.Roots(w.roots, func() error {
		if err := w.second.seen(); err != nil || held == nil {
			return err
		}
		return held()
	})}
	own := t.roots[0].Store
	t.anchor = anchor.Follow(own, n.journal, w.id, func(err error) {
		if !n.meets(w, err) {
			n.log.Warn().Str("warehouse", w.Name).Err(err).Msg("anchor is late")
		}
	})
	if w.follows {
		t.sidecars = sidecars.Follow(sidecars.Options{
			ID: w.id, Name: w.Name, Store: own, Roots: t.roots, From: journal.Lineage(n.journal, w.id), Others: held != nil,
			Failed: func(err error, requestID string) {
				if !n.meets(w, err) {
					n.tellSidecar(w, err, requestID)
				}
			},
		})
	}
	if mode := archive.Mode(n.config.Journal.Archive); w.follows && mode != archive.Off {
		tell := archiveFailed(n.log, w.Name)
		t.archive = archive.Follow(archive.Options{
			ID: w.id, Store: own, From: n.journal, Mode: mode, Others: held != nil,
			Failed: func(err error) {
				if !n.meets(w, err) {
					tell(err)
				}
			},
		})
	}
	t.wake()
	w.term.Store(t)
	return t
}

// wake has what follows the journal look for an event.
func (t *term) wake() {
	if t.anchor != nil {
		t.anchor.Wake()
	}
	if t.sidecars != nil {
		t.sidecars.Wake()
	}
	if t.archive != nil {
		t.archive.Wake()
	}
}

// purge starts the job that removes files, if there is to be one.
func (t *term) purge(job *purge.Job) {
	if job == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.idle = func() {
		stop()
		<-done
	}
	t.purges.Store(job)
	go func() {
		defer close(done)
		job.Run(ctx)
	}()
}

// wakePurges has the job look for files that are to go.
func (t *term) wakePurges() {
	if job := t.purges.Load(); job != nil {
		job.Wake()
	}
}

// close ends the term and has all written that is there to be written.
func (t *term) close() (sidecars, others error) {
	return t.end(func(ctx context.Context, f follower) error { return f.Close(ctx) })
}

// stop ends the term as it is: its time is over.
func (t *term) stop() error {
	a, b := t.end(func(ctx context.Context, f follower) error { return f.Stop(ctx) })
	return errors.Join(a, b)
}

// follower is what can be ended, with its last writes or without.
type follower interface {
	Close(context.Context) error
	Stop(context.Context) error
}

func (t *term) end(how func(context.Context, follower) error) (late, err error) {
	bounded := func(f follower) error {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		return how(ctx, f)
	}
	if t.archive != nil {
		err = bounded(t.archive)
	}
	if t.sidecars != nil {
		late = bounded(t.sidecars)
	}
	return late, errors.Join(err, bounded(t.anchor))
}

// forget deletes the sidecar of a table; nil where there are none.
func (t *term) forget() func(context.Context, uuid.UUID) error {
	if t.sidecars == nil {
		return nil
	}
	return func(ctx context.Context, table uuid.UUID) error {
		ctx, cancel := context.WithTimeout(ctx, forgetTime)
		defer cancel()
		return t.sidecars.Forget(ctx, table)
	}
}
