package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/recover"
	"puddle/rest"
)

// purpose is what a node is opened for.
type purpose int

const (
	reporting purpose = iota // nothing is born, no follower runs
	changing                 // nothing is born; the followers see what one command changes
	rescuing                 // a recovery, which begins incarnations itself
	serving
)

// node is one opened data folder: the journal, the pointer tables that follow
// it, the configured warehouses, and the handler over them.
type node struct {
	config  config.Config
	log     zerolog.Logger
	purpose purpose
	clock   recorder.Clock // of this machine; once a database is open, the database's
	steady  *steady        // what dates documents, answers and graces
	looks   time.Duration  // how often second writers are looked for
	metrics *rest.Metrics

	metastore
	journal    journal.Journal
	tables     projections.Store
	warehouses []*warehouse
	externals  store.Roots // which are only read
	reserves   reserves    // none where nothing is kept, and of commands
	recorder   *recorder.Recorder
	handler    http.Handler
	opening    opening
	verifying  sync.Mutex // held while a verification runs: one at a time

	refused bool           // the start was, for safety
	closers []func() error // in the order of opening

	troubles   troubles
	background sync.WaitGroup // of what was begun beside the start
}

// openNode opens everything, in the order in which later parts need earlier
// ones. It takes the lock over, also when it fails.
func openNode(ctx context.Context, c config.Config, log zerolog.Logger, l *lock, p purpose) (*node, error) {
	return newNode(c, log, p, journal.NewClock()).open(ctx, l.release)
}

// newNode is a node that keeps what it has as the configuration says.
func newNode(c config.Config, log zerolog.Logger, p purpose, clock recorder.Clock) *node {
	if c.Metastore.Type == config.Postgres {
		return newShared(c, log, p, clock).node
	}
	n := bareNode(c, log, p, clock)
	n.metastore = embedded{n}
	if c.Metastore.Type == config.Memory {
		n.metastore = inMemory{embedded{n}}
	}
	return n
}

// bareNode is a node without a metastore.
func bareNode(c config.Config, log zerolog.Logger, p purpose, clock recorder.Clock) *node {
	n := &node{config: c, log: log, purpose: p, clock: clock, steady: &steady{clock: clock}, looks: lookEvery}
	if c.Metrics {
		n.metrics = rest.NewMetrics(build())
	}
	return n
}

// opens is one step of opening a node, and what is said of it meanwhile.
type opens struct {
	what string
	do   func(context.Context) error
}

// open opens the node. What it releases in the end is the last that it gives
// back, also when it fails.
func (n *node) open(ctx context.Context, release func() error) (*node, error) {
	return n.take(ctx, release, n.steps())
}

// steps are those of open, in their order.
func (n *node) steps() []opens {
	return []opens{
		{"opening the journal", n.findReserves}, {"opening the journal", n.openJournal}, {"opening the pointer tables", n.openTables},
		{"opening the warehouses", n.openWarehouses}, {"trying what the object stores do", n.probeStores}, {"comparing the pointer tables with the journal", n.bring},
		{"starting", n.watch}, {"starting", n.follow}, {"starting", n.record}, {"starting", n.handle}, {"starting", n.mountVerify}, {"starting", n.startPurges},
		{"starting", n.lookBeside}, {"starting", n.tryVending},
	}
}

func (n *node) take(ctx context.Context, release func() error, steps []opens) (*node, error) {
	n.onClose(release)
	for _, step := range steps {
		n.opening.say(step.what)
		if err := step.do(ctx); err != nil {
			err = noLook(damaged(err))
			n.refused = exitCode(err) == codeRefused
			return nil, errors.Join(err, n.Close())
		}
	}
	return n, nil
}

func (n *node) onClose(f func() error) { n.closers = append(n.closers, f) }

// Close finishes what was accepted and gives everything back, the newest first:
// the recorder drains while the journal is still open. The handler must not be
// called any more. Idempotent.
func (n *node) Close() error {
	var errs []error
	for i := len(n.closers) - 1; i >= 0; i-- {
		errs = append(errs, n.closers[i]())
	}
	n.closers = nil
	return errors.Join(errs...)
}

// bring ties the warehouses to their histories and the pointer tables to the journal. An
// object store may go away meanwhile.
func (n *node) bring(ctx context.Context) error {
	return n.patiently(ctx, "waiting for an object store", n.bucketPasses, func() error {
		return n.await(ctx, func() error { return n.bringOrReplace(ctx) })
	})
}

// bringOrReplace does it with fresh tables where the old ones turn out to be damaged.
func (n *node) bringOrReplace(ctx context.Context) error {
	err := n.bringOnce(ctx)
	if !replaceable(err) {
		return err
	}
	if err := n.replaceTables(err); err != nil {
		return err
	}
	return n.bringOnce(ctx)
}

func (n *node) bringOnce(ctx context.Context) error {
	if err := n.stray(ctx); err != nil {
		return err
	}
	for _, w := range n.warehouses {
		err := n.bind(ctx, w)
		if errors.Is(err, store.ErrNoBucket) || errors.Is(err, store.ErrDenied) {
			return w.hint(err)
		}
		if err != nil {
			return err
		}
		if err := n.replay(ctx, w); err != nil {
			return err
		}
	}
	if err := n.replayOthers(ctx); err != nil {
		return err
	}
	n.trust()
	return nil
}

// replayOthers brings up the tables of warehouses that the journal has and the
// configuration has not: the recorder starts at all heads.
func (n *node) replayOthers(ctx context.Context) error {
	ids, err := n.journal.Warehouses(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if n.named(id) == nil {
			if err := n.replay(ctx, n.known(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// known is the warehouse with an id, or one of that name that is not configured.
func (n *node) known(id uuid.UUID) *warehouse {
	if w := n.named(id); w != nil {
		return w
	}
	return &warehouse{Warehouse: config.Warehouse{Name: id.String()}, id: id}
}

func (n *node) named(id uuid.UUID) *warehouse {
	for _, w := range n.warehouses {
		if w.id == id {
			return w
		}
	}
	return nil
}

// replay brings the pointer tables of one warehouse up to its journal.
func (n *node) replay(ctx context.Context, w *warehouse) error {
	const step = 100_000
	told := journal.Seq(0)
	progress := func(done, head journal.Seq) {
		n.opening.replayed(w.Name, done, head)
		if done >= told+step {
			told = done
			n.log.Info().Str("warehouse", w.Name).Stringer("seq", done).Stringer("head", head).Msg("replaying")
		}
	}
	if !n.replays() {
		return nil
	}
	if err := n.compare(ctx, w); err != nil {
		return err
	}
	defer since(time.Now(), n.metrics.CaughtUp)
	done, err := recover.Replay(ctx, w.Name, journal.Lineage(n.journal, w.id), n.tables.Warehouse(w.id), progress)
	if err != nil {
		return err
	}
	line := n.log.Debug()
	switch {
	case done.Because != nil:
		line = n.log.Warn().Err(done.Because)
	case done.Outcome == recover.CaughtUp && n.purpose == rescuing:
		line = n.log.Info()
	case done.Outcome == recover.CaughtUp && n.config.Metastore.Type == config.Postgres: // with what others record meanwhile
	case done.Outcome == recover.CaughtUp: // a process that was killed leaves some events, too
		line = n.log.Warn().Str("see", "puddle recover --at, if they were put back to go back in time")
	case done.Outcome == recover.Rebuilt && done.Events > 1: // one: it was just born
		line = n.log.Info()
	}
	line.Str("warehouse", w.Name).Str("outcome", string(done.Outcome)).Uint64("events", done.Events).Msg("pointer tables")
	return nil
}

// record starts the recorder.
func (n *node) record(ctx context.Context) (err error) {
	var behind time.Time // since when the pointer tables are; zero: they are not
	n.recorder, err = n.newRecorder(ctx, recorder.Options{
		Clock: n.clock,
		Observe: func(g recorder.Group) {
			n.metrics.Recorded(rest.Group{
				Drafts: g.Drafts, Recorded: g.Recorded, Refused: g.Refused, Unknown: g.Unknown, Bytes: g.Bytes,
				Apply: g.Apply, Append: g.Append, Commit: g.Commit,
			})
			n.reserves.spend(g.Err)
			n.observe(g.Err)
			if g.Err != nil {
				n.log.WithLevel(recordingLevel(g.Err)).Err(g.Err).Int("drafts", g.Drafts).Msg("recording")
			}
		},
		OnAppended: func(e journal.Event) {
			n.wakeFollowers(e.Warehouse)
			n.wakePurges(e)
		},
		OnBehind: func(reason error) {
			n.reserves.spend(reason)
			if reason != nil {
				if behind.IsZero() {
					behind = time.Now()
				}
				n.log.Error().Err(reason).Msg("pointer tables are behind")
				return
			}
			n.metrics.CaughtUp(time.Since(behind))
			behind = time.Time{}
			n.log.Info().Msg("pointer tables have caught up")
		},
	})
	if err == nil {
		n.onClose(n.recorder.Close)
	}
	return err
}
