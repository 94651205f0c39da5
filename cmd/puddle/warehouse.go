package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/recover"
	"puddle/rest"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// warehouse is one configured warehouse of a node.
type warehouse struct {
	config.Warehouse
	roots store.Roots // its own first
	reads store.Roots // those, and the external warehouses
	id    uuid.UUID   // known once it is bound

	probed []probed // what the object stores do that its places are in
	unfit  error    // why that of its root must not be written to; nil: it may

	behind error        // why it is read only; nil: it is not
	second secondWriter // another catalog that writes to it

	follows bool                 // sidecars and archive are written behind its journal, here or by another replica
	term    atomic.Pointer[term] // what follows its journal here; nil: nothing, or another replica does
	decides *catalog.Catalog     // where one is offered

	lacks struct{ anchor, sidecars, archive lacking } // by what follows its journal, here or elsewhere
}

// openWarehouses opens the places that warehouses use.
func (n *node) openWarehouses(ctx context.Context) error {
	if err := n.openExternals(ctx); err != nil {
		return err
	}
	for _, configured := range n.config.Warehouses {
		w := &warehouse{Warehouse: configured}
		w.noSecondWriter()
		roots, closers, err := openPlaces(ctx, configured, n.metrics.Store(configured.Name))
		n.closers = append(n.closers, closers...)
		if err != nil {
			return err
		}
		w.roots = roots
		n.warehouses = append(n.warehouses, w)
	}
	for _, w := range n.warehouses {
		w.reads = slices.Concat(w.roots, n.externals)
	}
	return apart(n.warehouses, n.config.Externals...)
}

// maxBinds bounds how often a warehouse is looked for again because others were born
// meanwhile.
const maxBinds = 100

// bind ties a warehouse to its history.
func (n *node) bind(ctx context.Context, w *warehouse) error {
	b := recover.Binder{
		Journal: n.births(), Tables: n.tables, Clock: n.clock, Build: build(),
		Births: n.purpose == serving && w.unfit == nil, Ephemeral: n.config.Metastore.Type == config.Memory,
	}
	bound, err := b.Bind(ctx, w.bound())
	for again := 0; errors.Is(err, journal.ErrNotNext) && again < maxBinds; again++ {
		bound, err = b.Bind(ctx, w.bound())
	}
	if err = n.besideArchive(ctx, w, b, bound, w.unborn(err)); err != nil || w.behind != nil {
		return err
	}
	w.id, w.behind = bound.ID, w.unfit
	if n.purpose != reporting {
		if err := recover.CheckComplete(ctx, w.Name, n.journal.Warehouse(w.id)); err != nil {
			return err
		}
	}
	if bound.Born {
		n.log.Info().Str("warehouse", w.Name).Stringer("id", w.id).Str("location", w.Root.URL).Msg("warehouse is born")
	}
	return nil
}

// options are those of a handler that do not depend on what is open.
func (n *node) options() (rest.Options, error) {
	var tokens []access.Token
	for _, t := range n.config.Tokens {
		tokens = append(tokens, access.Token(t))
	}
	guard, err := access.NewGuard(tokens...)
	return rest.Options{
		Access: guard, Log: logRequest(n.log), Metrics: n.metrics, Build: build(),
		MaxBody: n.config.Server.MaxBodyBytes, MaxInflight: n.config.Server.MaxInflightBytes,
		RequestTimeout: n.patience(), KeyLifetime: n.config.KeyLifetime,
		Now: n.steady.now,
	}, err
}

// handle makes the handler of everything.
func (n *node) handle(ctx context.Context) error {
	options, err := n.options()
	if err != nil {
		return err
	}
	options.Ready, options.Writer, options.Room, options.Database = n.ready, n.writer, n.room, n.connections()
	options.Warnings = n.troubles.all
	for _, w := range n.warehouses {
		options.Warehouses = append(options.Warehouses, n.offer(w))
		n.onClose(func() error { w.decides.Close(); return nil })
	}
	if err := n.tellClients(ctx, options.Warehouses); err != nil {
		return err
	}
	n.handler = rest.New(options)
	return nil
}

// offer is a warehouse as it is served.
func (n *node) offer(w *warehouse) rest.Warehouse {
	reader, events := n.recorder.Reader(w.id), journal.Lineage(n.journal, w.id)
	var records catalog.Recorder = n.recorder
	if follower := n.sealing(w); follower != nil {
		records, events = archiving{n.recorder, follower}, repeats{events, follower}
	}
	records = soleWriter{records, &w.second}
	if w.behind != nil {
		records = readOnly{w.behind}
	}
	w.decides = catalog.New(catalog.Options{
		ID: w.id, Roots: w.roots, Externals: n.externals, Reader: reader, Recorder: records, Journal: events,
		Now: n.steady.now, MaxDocument: int(n.config.Journal.MaxDocument),
		PurgeMode: catalog.PurgeMode(w.Purge.Mode), PurgeGrace: w.Purge.Grace, DropKeep: w.DropKeep,
		Unconfirmed: n.unconfirmed(w), Left: n.left(w), Named: w.named(),
	})
	return rest.Warehouse{
		Name: w.Name, Location: w.Root.URL, ID: w.id,
		Catalog: w.decides, Journal: events, State: reader, Present: w.present,
		Past:   projections.NewPast(w.id, events, reader),
		Left:   projections.NewLeft(w.id, n.journal).Past,
		Cursor: n.tables.Warehouse(w.id).Cursor, Archive: n.archived(w),
		Storage: w.storage(), Anchor: n.anchored(w), Sidecars: n.sidecarsNow(w), Purging: n.purging(w),
		ReadOnly: w.readOnly,
		Proofs:   func() []rest.Proof { return n.proofs(w.Name) },
		Remember: func(ctx context.Context, a journal.Answer) error {
			if w.readOnly() != nil {
				return nil
			}
			return n.recorder.Remember(ctx, w.id, a)
		},
	}
}

// left tells of a file that a change has left in the warehouse.
func (n *node) left(w *warehouse) func(context.Context, string, error) {
	return func(_ context.Context, location string, err error) {
		n.log.Warn().Str("warehouse", w.Name).Str("location", location).Err(err).
			Str("see", "puddle verify --level 4, which lists those of changes that were refused").Msg("a metadata file that is not needed was not removed")
	}
}

// present looks whether a file is in the warehouse.
func (w *warehouse) present(ctx context.Context, location string) (bool, error) {
	root, key, err := w.reads.Resolve(location)
	if err != nil {
		return false, err
	}
	_, err = root.Store.Stat(ctx, key)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrLink):
		return false, nil
	}
	return err == nil, err
}
