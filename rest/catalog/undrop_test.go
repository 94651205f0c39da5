package catalog_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// uuidOf is the uuid of a table's version.
func uuidOf(tb rapid.TB, table catalog.Table) uuid.UUID {
	tb.Helper()
	return uuid.MustParse(read(tb, table.Metadata).UUID)
}

// undrop brings n.name back.
func (p *process) undrop(name string) (catalog.Undropped, error) {
	return p.Undrop(ctx, cause, catalog.Undrop{Identifier: id(name)})
}

// afterwards is the same catalog after a while.
func (p *process) afterwards(by time.Duration) *catalog.Catalog {
	return p.at(func() time.Time { return time.Now().Add(by) })
}

// at is the same catalog by another clock.
func (p *process) at(now func() time.Time) *catalog.Catalog {
	options := p.Options
	options.Now = now
	return catalog.New(options)
}

// dropped makes a table, commits to it, and drops it.
func (p *process) dropped(t *testing.T, name, location string, purge bool, properties ...string) catalog.Table {
	t.Helper()
	p.table(t, name, location, properties...)
	table, err := p.append(t, name, 7)
	must(t, err)
	must(t, p.DropTable(ctx, cause, id(name), purge))
	return table
}

// What was dropped comes back as it was: by name or by uuid, with its uuid, its
// history and its file, in one event.
func TestUndrop(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		for name, properties := range map[string][]string{"plain": nil, "gzip": {codec, "gzip"}} {
			table := p.dropped(t, name, "", false, properties...)
			had := files(t, g)
			for what, u := range map[string]catalog.Undrop{"name": {Identifier: id(name)}, "uuid": {UUID: uuidOf(t, table)}} {
				before := last(t, g)
				from := before.Moves()[0].From
				back, err := p.Undrop(ctx, called("undrop"), u)
				must(t, err)
				want := catalog.Undropped{
					Dropped: catalog.Dropped{Kind: journal.Table, UUID: uuidOf(t, table), Identifier: id(name), Pointer: from.Pointer, At: before.At},
					As:      id(name), Location: read(t, table.Metadata).Location, Others: back.Others,
				}
				if diff := cmp.Diff(want, back); diff != "" || len(back.Others) != 0 {
					t.Errorf("by %s: %s", what, diff)
				}
				if diff := cmp.Diff(table, p.load(t, name)); diff != "" {
					t.Errorf("by %s: %s", what, diff)
				}
				e := last(t, g)
				m := e.Body.(journal.TableUndropped).Moves[0]
				if m.From != nil || m.To.Pointer != from.Pointer || *m.SnapshotID != 7 || e.Cause.RequestID != "undrop" {
					t.Errorf("the event: %+v", m)
				}
				must(t, p.DropTable(ctx, cause, id(name), false))
			}
			if diff := cmp.Diff(had, files(t, g)); diff != "" {
				t.Errorf("files: %s", diff)
			}
		}
		_, err := p.undrop("plain")
		must(t, err)
		_, err = p.append(t, "plain", 8)
		must(t, err)
		audit(t, g)
	})
}

// A view comes back as well, and a file of format 1 without a uuid has the one that
// it was given (case 3).
func TestUndropOfOtherFiles(t *testing.T) {
	p := fresh(t)
	view := p.view(t, "v", "")
	must(t, p.DropView(ctx, cause, id("v")))
	_, err := p.undrop("v")
	must(t, err)
	if diff := cmp.Diff(view, p.loadView(t, "v")); diff != "" || last(t, p.ground).Kind() != journal.KindViewUndropped {
		t.Errorf("%s: %s", last(t, p.ground).Kind(), diff)
	}
	old, err := p.register("old", p.given(t, p.ground.url+"/old/metadata/v1.metadata.json", bare(p.ground.url+"/old", single)))
	must(t, err)
	must(t, p.DropTable(ctx, cause, id("old"), false))
	_, err = p.undrop("old")
	must(t, err)
	if diff := cmp.Diff(old, p.load(t, "old")); diff != "" {
		t.Error(diff)
	}
	audit(t, p.ground)
}

// Where it comes back to: another name, another namespace, or nowhere.
func TestUndropAs(t *testing.T) {
	p := fresh(t)
	p.namespace(t, nil, "m")
	table := p.dropped(t, "t", p.ground.url+"/place", false)
	p.table(t, "u", "")
	as := func(namespace, name string) catalog.Undrop {
		return catalog.Undrop{Identifier: id("t"), As: journal.Identifier{Namespace: journal.Namespace{namespace}, Name: name}}
	}
	events := len(audit(t, p.ground))
	for what, test := range map[string]struct {
		u    catalog.Undrop
		code catalog.Code
		says string
	}{
		"no namespace": {as("gone", "t"), catalog.NoSuchNamespace, "Namespace does not exist: gone"},
		"taken":        {as("n", "u"), catalog.AlreadyExists, "Table already exists: n.u"},
		"no name":      {as("n", "."), catalog.Invalid, ""},
	} {
		_, err := p.Undrop(ctx, cause, test.u)
		t.Run(what, func(t *testing.T) { refused(t, err, test.code, test.says) })
	}
	dry := as("m", "x")
	dry.DryRun = true
	would, err := p.Undrop(ctx, cause, dry)
	must(t, err)
	if n := len(audit(t, p.ground)); n != events || !would.As.Equal(dry.As) {
		t.Errorf("%d events after a dry run as %s, there were %d", n, would.As, events)
	}
	dry.DryRun = false
	_, err = p.Undrop(ctx, cause, dry)
	must(t, err)
	back, err := p.LoadTable(ctx, dry.As)
	must(t, err)
	if diff := cmp.Diff(table, back); diff != "" {
		t.Error(diff)
	}
	// The place is another's: told early, and also when only the recorder knows.
	must(t, p.DropTable(ctx, cause, dry.As, false))
	p.table(t, "holder", p.ground.url+"/place/below")
	for _, u := range []catalog.Undrop{{UUID: uuidOf(t, table), DryRun: true}, {UUID: uuidOf(t, table)}} {
		_, err = p.Undrop(ctx, cause, u)
		refused(t, err, catalog.AlreadyExists, "overlaps", "m.x")
	}
	audit(t, p.ground)
}

// By name: what had it when it was dropped, the last first, while the drop is kept.
func TestUndropByName(t *testing.T) {
	p := fresh(t)
	first := uuidOf(t, p.dropped(t, "t", "", false))
	second := uuidOf(t, p.dropped(t, "t", "", false))
	p.table(t, "moved", "")
	must(t, p.RenameTable(ctx, cause, id("moved"), id("t")))
	must(t, p.RenameTable(ctx, cause, id("t"), id("elsewhere")))
	must(t, p.DropTable(ctx, cause, id("elsewhere"), false))

	late := p.afterwards(169 * time.Hour)
	_, err := late.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.NoSuchTable, "Nothing was dropped as n.t in the last 168h, ", first.String()+" was dropped as n.t at ",
		second.String(), " was dropped as n.elsewhere at ")
	back, err := p.undrop("t")
	must(t, err)
	if back.UUID != second || len(back.Others) != 1 || back.Others[0].UUID != first {
		t.Errorf("%s came back, others %+v", back.UUID, back.Others)
	}
	_, err = p.undrop("t")
	refused(t, err, catalog.AlreadyExists, "Table already exists: n.t; it can come back under another name (as)")
	_, err = late.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.AlreadyExists, second.String()+" is n.t")
	must(t, p.RenameTable(ctx, cause, id("t"), id("u")))
	_, err = late.Undrop(ctx, cause, catalog.Undrop{UUID: first}) // however old
	must(t, err)
	_, err = p.undrop("never")
	refused(t, err, catalog.NoSuchTable, "No table or view ever had the name n.never")
	audit(t, p.ground)
}

// What is not undropped, and why.
func TestUndropIsRefused(t *testing.T) {
	p := fresh(t)
	there := uuidOf(t, p.table(t, "there", ""))
	handed := p.table(t, "handed", "")
	_, err := p.UnregisterTable(ctx, cause, id("handed"))
	must(t, err)
	gone := p.dropped(t, "gone", "", false)
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, gone.MetadataLocation)))
	torn := p.dropped(t, "torn", "", false)
	must(t, p.ground.files.Put(ctx, key(t, p.ground, torn.MetadataLocation), torn.Metadata[:100]))
	events := len(audit(t, p.ground, torn.MetadataLocation, gone.MetadataLocation))
	unknown := uuid.New()
	for what, test := range map[string]struct {
		u    catalog.Undrop
		code catalog.Code
		says string
	}{
		"it is there":        {catalog.Undrop{UUID: there}, catalog.AlreadyExists, there.String() + " is n.there"},
		"by a living name":   {catalog.Undrop{Identifier: id("there")}, catalog.AlreadyExists, there.String() + " is n.there"},
		"never seen":         {catalog.Undrop{UUID: unknown}, catalog.NoSuchTable, "never seen the uuid " + unknown.String()},
		"unregistered":       {catalog.Undrop{UUID: uuidOf(t, handed)}, catalog.Unsafe, "register " + handed.MetadataLocation},
		"unregistered, name": {catalog.Undrop{Identifier: id("handed")}, catalog.NoSuchTable, "was unregistered as n.handed at "},
		"its file is gone":   {catalog.Undrop{Identifier: id("gone")}, catalog.FileMissing, "Failed to open input stream for file: " + gone.MetadataLocation + "; put that file back"},
		"its file is torn":   {catalog.Undrop{Identifier: id("torn")}, catalog.FileMissing, "not those that were committed); put that file back"},
	} {
		_, err := p.Undrop(ctx, cause, test.u)
		t.Run(what, func(t *testing.T) { refused(t, err, test.code, test.says) })
	}
	if n := len(audit(t, p.ground, torn.MetadataLocation, gone.MetadataLocation)); n != events {
		t.Errorf("%d events, there were %d", n, events)
	}
	must(t, p.ground.files.Put(ctx, key(t, p.ground, torn.MetadataLocation), torn.Metadata))
	_, err = p.undrop("torn")
	must(t, err)
}

// purged records that a purge has ended.
func (p *process) purged(t *testing.T, table uuid.UUID) {
	t.Helper()
	purge, ok, err := p.Reader.Purge(ctx, table)
	if must(t, err); !ok {
		t.Fatal("there is no purge")
	}
	_, err = p.recorder.Record(ctx, journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: journal.TablePurged{Table: table, Drop: purge.Drop},
	})
	must(t, err)
}

// Until its purge is due a table comes back and the purge is off; then it is
// refused, and so is registering its file, which may be the next to go.
func TestUndropDuringThePurge(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", true)
	late := p.afterwards(25 * time.Hour)
	_, err := late.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.Unsafe, "The purge of table n.t", "is due since ")
	_, err = late.RegisterTable(ctx, cause, id("t"), table.MetadataLocation, false)
	refused(t, err, catalog.Unsafe, "The purge of table n.t", "is due since ")

	back, err := p.undrop("t")
	if must(t, err); !back.Purge {
		t.Error("the answer does not know of the purge")
	}
	if _, ok, err := p.Reader.Purge(ctx, uuidOf(t, table)); ok || err != nil {
		t.Errorf("the purge is still there: %v", err)
	}
	if diff := cmp.Diff(table, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
	must(t, p.DropTable(ctx, cause, id("t"), true))
	p.purged(t, uuidOf(t, table))
	_, err = p.undrop("t")
	refused(t, err, catalog.FileMissing, "The files of table n.t", "were removed by its purge")
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, table.MetadataLocation)))
	_, err = p.undrop("t")
	refused(t, err, catalog.FileMissing, "The files of table n.t", "were removed by its purge")
	// Whoever has put the files back may register them.
	p.given(t, table.MetadataLocation, table.Metadata)
	_, err = late.RegisterTable(ctx, cause, id("t"), table.MetadataLocation, false)
	must(t, err)
	audit(t, p.ground)
}

// The job may begin in the very moment in which a purge is due, and so an undrop may
// not; the moment before it may.
func TestUndropWhenThePurgeIsDue(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", true)
	purge, _, err := p.Reader.Purge(ctx, uuidOf(t, table))
	must(t, err)
	due := purge.At.Add(p.PurgeGrace)
	_, err = p.at(func() time.Time { return due }).Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.Unsafe, "The purge of table n.t", "is due since ")
	back, err := p.at(func() time.Time { return due.Add(-1) }).Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	if must(t, err); !back.Purge {
		t.Error("the answer does not know of the purge")
	}
}

// A purge that deletes files is waited for, and what it meant for the table is seen.
func TestUndropWaitsForWhoClears(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", true)
	purge, _, err := p.Reader.Purge(ctx, uuidOf(t, table))
	must(t, err)
	release, err := p.Clear(ctx, purge.Places)
	must(t, err)
	done := make(chan error)
	go func() {
		_, err := p.undrop("t")
		done <- err
	}()
	p.table(t, "other", "") // whose places do not overlap waits for nobody
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	p.purged(t, uuidOf(t, table))
	release()
	refused(t, <-done, catalog.FileMissing, "were removed by its purge")
}

// Of many at once one wins, over servers too; the others are told.
func TestUndropRaces(t *testing.T) {
	p := fresh(t)
	table := p.dropped(t, "t", "", false)
	servers := []*catalog.Catalog{p.Catalog, p.another(t, p.ground.files)}
	errs := make([]error, 16)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			u := catalog.Undrop{UUID: uuidOf(t, table), As: id([]string{"a", "b", "c"}[i%3])}
			_, errs[i] = servers[i%2].Undrop(ctx, cause, u)
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		refused(t, err, catalog.AlreadyExists)
	}
	if won != 1 {
		t.Errorf("%d came back", won)
	}
	audit(t, p.ground)
}

// What came back and was dropped again between the look and the record does not
// lose what was committed meanwhile.
func TestUndropAgainstItsReturn(t *testing.T) {
	p := fresh(t)
	p.dropped(t, "t", "", false)
	var newer catalog.Table
	once := sync.OnceFunc(func() {
		_, err := p.Undrop(ctx, cause, catalog.Undrop{Identifier: id("t"), As: id("u")})
		must(t, err)
		newer, err = p.append(t, "u", 8)
		must(t, errors.Join(err, p.DropTable(ctx, cause, id("u"), false)))
	})
	options := p.Options
	options.Recorder = atRecord{p.recorder, once}
	_, err := catalog.New(options).Undrop(ctx, cause, catalog.Undrop{Identifier: id("t")})
	refused(t, err, catalog.CommitFailed, "came back and was dropped again meanwhile")
	if _, err := p.Reader.Object(ctx, id("t")); !errors.Is(err, projections.ErrNoObject) {
		t.Errorf("it is there: %v", err)
	}
	_, err = p.Undrop(ctx, cause, catalog.Undrop{UUID: uuidOf(t, newer), As: id("t")})
	must(t, err)
	if diff := cmp.Diff(newer, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
}

// What an incarnation began without does not come back: its history is known, its
// fate is not.
func TestUndropAfterAnIncarnation(t *testing.T) {
	g := inMemory(t, "")
	p := g.start(t, nil)
	p.namespace(t, nil, "n")
	gone := p.dropped(t, "gone", "", false)
	lost := p.table(t, "lost", "")
	away := p.dropped(t, "away", "", true)
	p.purged(t, uuidOf(t, away))
	p.stop(t)
	head, err := g.journal.Warehouse(lake).Head(ctx)
	must(t, err)
	start := journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause,
		Body: journal.IncarnationStarted{Build: "test", Name: "lake", Location: g.url, Reason: "recovered", Parent: &head},
	}
	entry, _, err := journal.NewChain(lake, uuid.New(), head.Seq).Next(start, journal.At(time.Now()))
	must(t, err)
	must(t, errors.Join(g.journal.Append(ctx, entry), g.pointers.Warehouse(lake).Apply(ctx, entry.Event)))

	p = running(t, g)
	p.namespace(t, nil, "n")
	options := p.Options
	options.Journal = journal.Lineage(g.journal, lake)
	_, err = catalog.New(options).Undrop(ctx, cause, catalog.Undrop{UUID: uuidOf(t, away)})
	refused(t, err, catalog.FileMissing, "were removed by its purge")
	for _, table := range []catalog.Table{gone, lost} {
		for _, dry := range []bool{true, false} {
			_, err := p.Undrop(ctx, cause, catalog.Undrop{UUID: uuidOf(t, table), DryRun: dry})
			refused(t, err, catalog.NoSuchTable, "an earlier incarnation of the catalog", "register "+table.MetadataLocation)
		}
		_, err := p.register("back", table.MetadataLocation)
		must(t, errors.Join(err, p.DropTable(ctx, cause, id("back"), false)))
		_, err = p.Undrop(ctx, cause, catalog.Undrop{UUID: uuidOf(t, table), As: id("undropped")})
		must(t, errors.Join(err, p.DropTable(ctx, cause, id("undropped"), false)))
	}
}
