package recover_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/archive"
	"puddle/projections/recorder"
	"puddle/projections/sidecars"
	"puddle/recover"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

const (
	lifeURL  = "s3://lake/life"
	lifeName = "life"
)

// life is a catalog through losses: its warehouse stays, its journal and pointer tables do
// not.
type life struct {
	*rapid.T
	clock   *ticking
	files   *memory.Store
	roots   warehouse.Roots
	journal *journal.Memory
	tables  *projections.Memory
	id      uuid.UUID
	commits int
	then    map[journal.Seq][]string // what was true as of each event of the lineage
	left    bool                     // something was left behind by going back
}

// ticking goes on with each look.
type ticking struct {
	mu sync.Mutex
	at time.Time // guarded by mu
}

func (c *ticking) Read() journal.Instant { return journal.At(c.now()) }

func (c *ticking) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(700 * time.Millisecond)
	return c.at
}

func beginLife(t *rapid.T) *life {
	l := &life{
		T: t, clock: &ticking{at: time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC)}, files: memory.New(), journal: journal.NewMemory(),
		tables: projections.NewMemory(), then: map[journal.Seq][]string{},
	}
	at, err := warehouse.ParseLocation(lifeURL)
	l.must(err)
	l.roots = warehouse.Roots{{URL: lifeURL, Location: at, Store: l.files}}
	bound, err := recover.Binder{Journal: l.journal, Tables: l.tables, Clock: l.clock, Build: "test", Births: true}.Bind(context.Background(), l.warehouse())
	l.must(err)
	l.id = bound.ID
	return l
}

func (l *life) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *life) warehouse() recover.Warehouse {
	return recover.Warehouse{Name: lifeName, Location: lifeURL, Store: l.files}
}

func (l *life) lineage() journal.Reader { return journal.Lineage(l.journal, l.id) }

// over runs a catalog over what there is, until it is done.
func (l *life) over(do func(*catalog.Catalog)) {
	l.Helper()
	ctx := context.Background()
	l.must(projections.CatchUp(ctx, l.lineage(), 0, l.tables.Warehouse(l.id)))
	r, err := recorder.New(ctx, l.journal, l.tables, recorder.Options{Clock: l.clock})
	l.must(err)
	do(catalog.New(catalog.Options{
		ID: l.id, Roots: l.roots, Reader: r.Reader(l.id), Recorder: r, Journal: journal.Lineage(l.journal, l.id), Now: l.clock.now, MaxDocument: 1 << 20, DropKeep: 1000 * time.Hour,
	}))
	l.must(r.Close())
}

// quiet brings sidecars and archive up to the journal.
func (l *life) quiet() {
	l.Helper()
	ctx := context.Background()
	l.must(sidecars.Follow(sidecars.Options{
		ID: l.id, Name: lifeName, Store: l.files, Roots: l.roots, From: l.lineage(), Failed: func(err error, _ string) { l.Error(err) },
	}).Close(ctx))
	l.must(archive.Follow(archive.Options{
		ID: l.id, Store: l.files, From: l.journal, Mode: archive.Async, Failed: func(err error) { l.Error(err) },
	}).Close(ctx))
}

// remember notes what is true as of each event that was not there before, by a fold of its
// own.
func (l *life) remember() {
	l.Helper()
	ctx, state := context.Background(), projections.NewState(l.id)
	for e, err := range l.lineage().Scan(ctx, 0) {
		l.must(err)
		l.must(state.Apply(ctx, e))
		if _, there := l.then[e.Seq]; !there {
			l.then[e.Seq] = l.saysOf(state)
		}
	}
}

// now is what is true.
func (l *life) now() []string {
	l.Helper()
	state := projections.NewState(l.id)
	l.must(projections.CatchUp(context.Background(), l.lineage(), 0, state))
	return l.saysOf(state)
}

func (l *life) saysOf(state projections.Dumper) (all []string) {
	l.Helper()
	moment, err := state.Moment(context.Background())
	l.must(err)
	defer moment.Close()
	for n, err := range moment.Namespaces() {
		l.must(err)
		all = append(all, fmt.Sprint("namespace ", n.Name, n.Properties))
	}
	for o, err := range moment.Objects() {
		l.must(err)
		if !o.Dropped {
			all = append(all, fmt.Sprint(o.Kind, " ", o.UUID, o.Identifier, o.Pointer, o.Places))
		}
	}
	return all
}

// lives is a stretch of a life: clients do this and that.
func (l *life) lives() {
	l.Helper()
	l.over(func(c *catalog.Catalog) {
		for _, n := range lifeNamespaces { // more can happen where there are some
			_, _ = c.CreateNamespace(context.Background(), lifeCause, n, map[string]string{})
		}
		for range rapid.IntRange(1, 12).Draw(l.T, "commands") {
			var refused *catalog.Error
			if err := l.act(c); err != nil && !errors.As(err, &refused) {
				l.Fatal(err)
			}
		}
	})
	l.remember()
}

var (
	lifeCause      = journal.Cause{Actor: journal.Anonymous, Origin: journal.OriginREST}
	lifeSchema     = []byte(`{"type":"struct","schema-id":0,"fields":[]}`)
	lifeNamespaces = []journal.Namespace{{"n"}, {"n"}, {"n", "deep"}}
)

func (l *life) name(label string) journal.Identifier {
	return journal.Identifier{Namespace: rapid.SampledFrom(lifeNamespaces).Draw(l.T, label+" in"), Name: rapid.SampledFrom([]string{"a", "a", "é.x"}).Draw(l.T, label)}
}

func (l *life) act(c *catalog.Catalog) (err error) {
	ctx, name := context.Background(), l.name("name")
	switch rapid.SampledFrom([]string{"namespace", "namespace", "properties", "end", "create", "create", "create", "commit", "commit", "commit", "commit",
		"together", "rename", "drop", "undrop", "unregister", "register", "back", "newest", "view", "replace", "rename view", "drop view"}).Draw(l.T, "command") {
	case "namespace":
		_, err = c.CreateNamespace(ctx, lifeCause, name.Namespace, map[string]string{"owner": name.Name})
	case "properties":
		_, err = c.UpdateNamespace(ctx, lifeCause, name.Namespace, []string{"owner"}, map[string]string{"k": name.Name})
	case "end":
		err = c.DropNamespace(ctx, lifeCause, name.Namespace)
	case "create":
		_, err = c.CreateTable(ctx, lifeCause, catalog.NewTable{Identifier: name, Schema: lifeSchema, Properties: map[string]string{}})
	case "commit":
		_, err = c.CommitTables(ctx, lifeCause, l.change(name))
	case "together":
		_, err = c.CommitTables(ctx, lifeCause, l.change(name), l.change(l.name("other")))
	case "rename":
		err = c.RenameTable(ctx, lifeCause, name, l.name("to"))
	case "drop":
		err = c.DropTable(ctx, lifeCause, name, false)
	case "undrop":
		_, err = c.Undrop(ctx, lifeCause, catalog.Undrop{Identifier: name})
	case "unregister":
		_, err = c.UnregisterTable(ctx, lifeCause, name)
	case "register":
		_, err = c.RegisterTable(ctx, lifeCause, name, l.file(""), rapid.Bool().Draw(l.T, "overwrite"))
	case "back":
		_, err = c.Repoint(ctx, lifeCause, catalog.Repoint{Identifier: name, To: l.file(folderOf(c, name)), AllowRewind: true, Force: true, Reason: "back"})
	case "newest":
		_, err = c.Repoint(ctx, lifeCause, catalog.Repoint{Identifier: name, Newest: true, Reason: "newest"})
	default:
		err = l.actOnViews(c, name)
	}
	return err
}

func (l *life) actOnViews(c *catalog.Catalog, name journal.Identifier) (err error) {
	ctx := context.Background()
	l.commits++
	version := fmt.Appendf(nil, `{"version-id":1,"timestamp-ms":%d,"schema-id":0,"summary":{},"default-namespace":["n"],`+
		`"representations":[{"type":"sql","sql":"SELECT %d","dialect":"spark"}]}`, l.clock.now().UnixMilli(), l.commits)
	switch rapid.SampledFrom([]string{"create", "create", "replace", "replace", "rename", "drop"}).Draw(l.T, "of a view") {
	case "create":
		_, err = c.CreateView(ctx, lifeCause, catalog.NewView{Identifier: name, Schema: lifeSchema, Version: version, Properties: map[string]string{}})
	case "replace":
		requirements, updates, bad := metadata.DecodeViewCommit(fmt.Appendf(nil,
			`{"requirements":[],"updates":[{"action":"add-view-version","view-version":%s},{"action":"set-current-view-version","view-version-id":-1}]}`, version))
		l.must(bad)
		_, err = c.CommitView(ctx, lifeCause, name, requirements, updates)
	case "rename":
		err = c.RenameView(ctx, lifeCause, name, l.name("to"))
	case "drop":
		err = c.DropView(ctx, lifeCause, name)
	}
	return err
}

func (l *life) change(name journal.Identifier) catalog.Change {
	l.commits++
	requirements, updates, err := metadata.DecodeCommit(fmt.Appendf(nil,
		`{"requirements":[],"updates":[{"action":"set-properties","updates":{"commit":"%d","write.metadata.previous-versions-max":"%d"}}]}`,
		l.commits, rapid.SampledFrom([]int{1, 2, 100}).Draw(l.T, "log")))
	l.must(err)
	return catalog.Change{Identifier: name, Requirements: requirements, Updates: updates}
}

// folderOf is where the metadata files of a table are.
func folderOf(c *catalog.Catalog, name journal.Identifier) string {
	o, err := c.Reader.Object(context.Background(), name)
	if err != nil {
		return ""
	}
	return path.Dir(strings.TrimPrefix(o.Pointer.MetadataLocation, lifeURL+"/"))
}

// file is one of the metadata files that there are in a folder.
func (l *life) file(folder string) string {
	l.Helper()
	all := map[string]bool{lifeURL + "/none/metadata/none.metadata.json": true}
	for info, err := range l.files.List(context.Background(), folder) {
		l.must(err)
		if strings.HasSuffix(info.Key, ".metadata.json") {
			all[lifeURL+"/"+info.Key] = true
		}
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(l.T, "file")
}
