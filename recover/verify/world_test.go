package verify_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/anchor"
	"puddle/projections/recorder"
	"puddle/recover"
	"puddle/recover/verify"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

const location = "file:///w"

var cause = journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST}

// world is a catalog of its own: a journal on disk, pointer tables, a warehouse.
type world struct {
	*catalog.Catalog
	t        *testing.T
	path     string // of the journal
	journal  *bolt.Journal
	tables   projections.Store
	files    warehouse.Store
	recorder *recorder.Recorder
	id       uuid.UUID
}

func newWorld(t *testing.T) *world { return worldKeeping(t, journal.MaxDocumentBytes) }

// worldKeeping is one whose journal keeps documents up to a size.
func worldKeeping(t *testing.T, maxDocument int) *world {
	w := &world{t: t, path: filepath.Join(t.TempDir(), "journal.db"), tables: projections.NewMemory(), files: memory.New()}
	w.open()
	bound, err := recover.Binder{Journal: w.journal, Tables: w.tables, Clock: journal.NewClock(), Build: "test", Births: true}.
		Bind(t.Context(), recover.Warehouse{Name: "lake", Location: location, Store: w.files})
	w.must(err)
	w.id = bound.ID
	w.must(projections.CatchUp(t.Context(), w.journal.Warehouse(w.id), 0, w.tables.Warehouse(w.id)))
	w.recorder, err = recorder.New(t.Context(), w.journal, w.tables, recorder.Options{})
	w.must(err)
	t.Cleanup(func() { w.must(w.recorder.Close()) })
	w.Catalog = catalog.New(catalog.Options{
		ID: w.id, Roots: w.roots(), Reader: w.recorder.Reader(w.id), Recorder: w.recorder, Journal: w.journal.Warehouse(w.id),
		Now: time.Now, MaxDocument: maxDocument, DropKeep: time.Hour, PurgeGrace: time.Hour,
	})
	_, err = w.CreateNamespace(t.Context(), cause, journal.Namespace{"n"}, nil)
	w.must(err)
	return w
}

func (w *world) open() {
	var err error
	w.journal, err = bolt.Open(w.path, bolt.Options{})
	w.must(err)
	w.t.Cleanup(func() { w.must(w.journal.Close()) })
}

func (w *world) roots() warehouse.Roots {
	l, err := warehouse.ParseLocation(location)
	w.must(err)
	return warehouse.Roots{{URL: location, Location: l, Store: w.files}}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func name(s string) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{"n"}, Name: s}
}

// table creates a table, gzipped if its name says so, at a location of its name.
func (w *world) table(s string) projections.Object {
	w.t.Helper()
	properties := map[string]string{}
	if s == "gzip" {
		properties["write.metadata.compression-codec"] = "gzip"
	}
	_, err := w.CreateTable(w.t.Context(), cause, catalog.NewTable{
		Identifier: name(s), Location: location + "/" + s, Properties: properties,
		Schema: []byte(`{"type":"struct","fields":[{"id":1,"name":"a","type":"int","required":false}]}`),
	})
	w.must(err)
	return w.object(s)
}

func (w *world) object(s string) projections.Object {
	w.t.Helper()
	o, err := w.recorder.Reader(w.id).Object(w.t.Context(), name(s))
	w.must(err)
	return o
}

// commit makes another version of a table.
func (w *world) commit(s string) projections.Object {
	w.t.Helper()
	_, updates, err := metadata.DecodeCommit(fmt.Appendf(nil, `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":%q}}]}`, uuid.NewString()))
	w.must(err)
	_, err = w.CommitTables(w.t.Context(), cause, catalog.Change{Identifier: name(s), Updates: updates})
	w.must(err)
	return w.object(s)
}

// anchored writes head.json, as a server that stops does.
func (w *world) anchored() {
	w.t.Helper()
	w.must(anchor.Follow(w.files, w.journal, w.id, func(err error) { w.t.Error(err) }).Close(w.t.Context()))
}

// key is where a file of the warehouse is stored.
func (w *world) key(at string) string {
	_, key, err := w.roots().Resolve(at)
	w.must(err)
	return key
}

func (w *world) get(at string) []byte {
	w.t.Helper()
	data, err := w.files.Get(w.t.Context(), w.key(at), 1<<20)
	w.must(err)
	return data
}

func (w *world) put(at string, data []byte) {
	w.t.Helper()
	w.must(w.files.Put(w.t.Context(), w.key(at), data))
}

func (w *world) subject() verify.Warehouse {
	return verify.Warehouse{Name: "lake", Location: location, ID: w.id, Roots: w.roots(), Journal: w.journal, Auditor: w.journal, Tables: w.tables}
}

// told is a sink that keeps what it is told.
type told struct {
	mu       sync.Mutex
	findings []verify.Finding
	unseen   []verify.Unseen
}

func (s *told) Found(f verify.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findings = append(s.findings, f)
}

func (s *told) Unseen(u verify.Unseen) { s.unseen = append(s.unseen, u) }

func (s *told) Progress(string, int, int64, int64) {}

// kinds are the kinds of what was found, but for notes.
func (s *told) kinds() (all []verify.Kind) {
	for _, f := range s.findings {
		if f.Severity != verify.Note {
			all = append(all, f.Kind)
		}
	}
	return all
}

func (w *world) run(subject verify.Warehouse, level int) (verify.Result, *told) {
	w.t.Helper()
	s := &told{}
	result, err := verify.Run(w.t.Context(), subject, verify.Options{Level: level}, s)
	w.must(err)
	return result, s
}

// changed are tables that say something else than they hold.
type changed struct {
	projections.Store
	change func(*projections.Dump)
}

func (c changed) Warehouse(id uuid.UUID) projections.Warehouse {
	return changedOne{c.Store.Warehouse(id), c.change}
}

type changedOne struct {
	projections.Warehouse
	change func(*projections.Dump)
}

func (c changedOne) Moment(ctx context.Context) (projections.Moment, error) {
	d, err := c.Warehouse.Dump(ctx)
	c.change(&d)
	return dumped{d}, err
}

func (c changedOne) Cursor(ctx context.Context) (journal.Position, error) {
	m, err := c.Moment(ctx)
	return m.Cursor(), err
}

// dumped is the moment of a dump.
type dumped struct{ d projections.Dump }

func (m dumped) Cursor() journal.Position { return m.d.Cursor }

func (m dumped) About() (name, location string) { return m.d.Name, m.d.Location }

func (m dumped) Close() error { return nil }

func (m dumped) Namespaces() iter.Seq2[projections.Namespace, error] { return each(m.d.Namespaces) }

func (m dumped) Objects() iter.Seq2[projections.HeldObject, error] { return each(m.d.Objects) }

func (m dumped) Purges() iter.Seq2[projections.Purge, error] { return each(m.d.Purges) }

func (m dumped) Steps() iter.Seq2[projections.Step, error] { return each(m.d.Steps) }

func (m dumped) History() iter.Seq2[projections.Step, error] { return each(m.d.Steps) }

func each[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// damaged opens the journal to be read only, as it is.
func (w *world) damaged() (journal.Journal, journal.Auditor) {
	j, err := bolt.Open(w.path, bolt.Options{ReadOnly: true})
	w.must(err)
	w.t.Cleanup(func() { w.must(j.Close()) })
	return j, j
}
