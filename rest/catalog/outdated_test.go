package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/catalog/catalogtest"
	"puddle/rest/metadata"
)

const (
	deleteAfterCommit = "write.metadata.delete-after-commit.enabled"
	previousVersions  = "write.metadata.previous-versions-max"
)

// trimmed makes n.name, which keeps so many earlier files, and commits to it.
func (p *process) trimmed(t *testing.T, name string, max string, commits int, properties ...string) []catalog.Table {
	t.Helper()
	versions := []catalog.Table{p.table(t, name, p.ground.url+"/"+name, append(properties, deleteAfterCommit, "true", previousVersions, max)...)}
	for i := range commits {
		next, err := p.commit(t, name, "", set("k", fmt.Sprint(i)))
		must(t, err)
		versions = append(versions, next)
	}
	return versions
}

// keysOf are the keys of versions' files, in the order in which files lists them.
func keysOf(t *testing.T, g *ground, versions ...catalog.Table) []string {
	t.Helper()
	var keys []string
	for _, v := range versions {
		keys = append(keys, key(t, g, v.MetadataLocation))
	}
	slices.Sort(keys)
	return keys
}

// outdatedScript is about a table that wants its old files removed.
func outdatedScript(g *ground) []request {
	setting := func(name string, pairs ...string) func(tb rapid.TB, p *process, cause journal.Cause) error {
		return func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitOver(tb, p.Catalog, cause, change(tb, name, "", set(append(pairs, "k", cause.RequestID)...)))
			return err
		}
	}
	return append(start(g), []request{
		{"set", setting("a", deleteAfterCommit, "true", previousVersions, "1")},
		{"set again", setting("a")},
		{"requirement fails", func(tb rapid.TB, p *process, cause journal.Cause) error {
			_, err := commitOver(tb, p.Catalog, cause, change(tb, "a", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v")))
			return err
		}},
	}...)
}

func present(tb rapid.TB, g *ground, at string) bool {
	tb.Helper()
	_, err := g.files.Stat(ctx, key(tb, g, at))
	if !errors.Is(err, warehouse.ErrNotFound) {
		must(tb, err)
	}
	return err == nil
}

// outdated are the files that may be gone: a commit of their table made them, and
// another let them fall out of the metadata log of a table that wants them removed,
// to which no event has brought it back.
func outdated(tb rapid.TB, g *ground, events []journal.Event) map[string]bool {
	tb.Helper()
	made, gone, logs := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, e := range events {
		for i, m := range e.Moves() {
			if !brings(e, m) || m.Kind != journal.Table {
				continue
			}
			at, commits := m.To.Pointer.MetadataLocation, e.Kind() == journal.KindTablesCommitted
			delete(gone, at)
			made[at] = made[at] || commits || e.Kind() == journal.KindTableCreated
			next, wants := logged(tb, g, e, i)
			if logs[at] = next; commits && m.From != nil && wants {
				for _, old := range logs[m.From.Pointer.MetadataLocation] {
					gone[old] = made[old] && (gone[old] || !slices.Contains(next, old) && old != at)
				}
			}
		}
	}
	return gone
}

// logged are the files in the metadata log of what a move made, and whether its
// table wants those removed that fall out.
func logged(tb rapid.TB, g *ground, e journal.Event, move int) (log []string, wants bool) {
	tb.Helper()
	document, err := g.journal.Warehouse(lake).Document(ctx, e.Seq, move)
	must(tb, err)
	d, err := metadata.Parse(document, "")
	must(tb, err)
	for _, entry := range d.MetadataLog() {
		log = append(log, entry.Location)
	}
	property, _ := d.Property(deleteAfterCommit)
	return log, strings.EqualFold(property, "true")
}

func (p *process) hasOnly(t *testing.T, want ...catalog.Table) {
	t.Helper()
	if diff := cmp.Diff(keysOf(t, p.ground, want...), files(t, p.ground)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// Case 127: what a commit lets fall out of the metadata log goes, once it is done;
// bad bounds count as one, and the current file stays in any case.
func TestCase127_DeleteAfterCommit(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		a := p.trimmed(t, "a", "2", 5)
		b := p.trimmed(t, "b", "0", 3, codec, "gzip")
		c := p.trimmed(t, "c", "-1", 2)
		p.hasOnly(t, a[3], a[4], a[5], b[2], b[3], c[1], c[2])
		if diff := cmp.Diff(a[5], p.load(t, "a")); diff != "" {
			t.Errorf("loaded: %s", diff)
		}
		_, err := p.commit(t, "c", "", set(previousVersions, "x"))
		refused(t, err, catalog.Invalid, previousVersions)
		p.hasOnly(t, a[3], a[4], a[5], b[2], b[3], c[1], c[2])
		audit(t, g)
	})
}

// Without the property, or with another value, everything stays; the commit that
// sets it removes what it lets fall out itself.
func TestDeleteAfterCommitIsAsked(t *testing.T) {
	p := fresh(t)
	all := []catalog.Table{p.table(t, "t", "", deleteAfterCommit, "yes")}
	add := func(pairs ...string) {
		next, err := p.commit(t, "t", "", set(pairs...))
		must(t, err)
		all = append(all, next)
	}
	for i := range 4 {
		add("k", fmt.Sprint(i))
	}
	add(previousVersions, "3")
	p.hasOnly(t, all...)
	add(deleteAfterCommit, "TRUE", previousVersions, "1") // 0 and 1 fell out before
	p.hasOnly(t, all[0], all[1], all[5], all[6])
	add(deleteAfterCommit, "false")
	add("k", "last")
	p.hasOnly(t, all[0], all[1], all[5], all[6], all[7], all[8])
	add(deleteAfterCommit, "true", "write.data.path", p.ground.url+"/data") // also when it takes a new place
	p.hasOnly(t, all[0], all[1], all[5], all[6], all[8], all[9])
}

// Each table of a transaction has its own.
func TestDeleteAfterCommitOfTransactions(t *testing.T) {
	p := fresh(t)
	a, b := p.trimmed(t, "a", "1", 1), p.trimmed(t, "b", "1", 1)
	c, d := p.table(t, "c", ""), p.trimmed(t, "d", "1", 1)
	made, err := p.CommitTables(ctx, cause, change(t, "a", "", set("k", "x")), change(t, "b", "", set("k", "x")),
		change(t, "c", "", set("k", "x")), change(t, "d", "", set("k", "0")))
	must(t, err)
	p.hasOnly(t, a[1], made[0], b[1], made[1], c, made[2], d[0], d[1])
	audit(t, p.ground)
}

// Only a commit that is surely done removes anything.
func TestCase127_NothingGoesUnlessDone(t *testing.T) {
	for _, how := range []fault{before, after, lost} {
		g := inMemory(t, "")
		f := &catalogtest.Steps{How: how}
		p := g.start(t, f)
		p.namespace(t, nil, "n")
		versions := p.trimmed(t, "t", "1", 2)
		_, err := p.commit(t, "t", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "x"))
		refused(t, err, catalog.CommitFailed)
		f.Watch = func(n int, step string) {
			if step == "journal append" {
				f.At = n
			}
		}
		_, err = p.commit(t, "t", "", set("k", "x"))
		refused(t, err, map[fault]catalog.Code{before: catalog.Unavailable, after: catalog.OutcomeUnknown, lost: catalog.OutcomeUnknown}[how])
		for _, v := range versions[1:] {
			fileAt(t, g, v.MetadataLocation)
		}
		p.stop(t)
	}
}

// A metadata log can name anything; what no commit of the table made here is not
// touched, nor what lies elsewhere, nor what is current.
func TestDeleteAfterCommitIsNotAimed(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		victim := p.trimmed(t, "victim", "9", 2)
		own := p.trimmed(t, "t", "9", 3)
		last := own[3]
		must(t, g.files.Put(ctx, "_puddle/warehouse.json", []byte("{}")))
		foreign := p.given(t, g.url+"/t/metadata/00000-foreign.metadata.json", []byte("{}"))
		outside := p.given(t, g.url+"/elsewhere/v1.metadata.json", []byte("{}"))
		log := []string{
			victim[2].MetadataLocation, victim[0].MetadataLocation, foreign, outside,
			g.url + "/_puddle/warehouse.json", g.url + "/t/../victim/metadata/" + base(victim[2]),
			g.url + "/t/metadata/./" + base(own[0]), "", "nonsense", "s3://other/bucket/v1.metadata.json", g.url, g.url + "/t",
			strings.Replace(own[0].MetadataLocation, "/metadata/", "/metadata//", 1),
			last.MetadataLocation, own[1].MetadataLocation, own[2].MetadataLocation,
		}
		at := p.later(t, last, "00009-x.metadata.json", "a log of all kinds", log...)
		_, err := p.overwrite(at)
		must(t, err)
		had := files(t, g)
		_, err = p.commit(t, "t", "", set(previousVersions, "1"))
		must(t, err)
		// own[3] is in the log by right, and no longer current.
		want := slices.DeleteFunc(had, func(k string) bool {
			return slices.Contains(keysOf(t, g, own[1], own[2], own[3]), k)
		})
		left := slices.DeleteFunc(files(t, g), func(k string) bool { return k == key(t, g, p.load(t, "t").MetadataLocation) })
		if diff := cmp.Diff(want, left); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		p.load(t, "victim")
	})
}

func base(of catalog.Table) string {
	return of.MetadataLocation[strings.LastIndexByte(of.MetadataLocation, '/')+1:]
}

// A table that came from elsewhere leaves the files of its old catalog alone, and
// so does one that left a place its old files there.
func TestDeleteAfterCommitLeavesWhatCameAlong(t *testing.T) {
	p := fresh(t)
	old := p.written(t, p.ground.url+"/moved", "v1.metadata.json", "")
	at := p.written(t, p.ground.url+"/moved", "v2.metadata.json", fmt.Sprintf(
		`,"properties":{%q:"true",%q:"1"},"metadata-log":[{"timestamp-ms":%d,"metadata-file":%q}]`, deleteAfterCommit, previousVersions, epoch, old))
	_, err := p.register("moved", at)
	must(t, err)
	versions := p.trimmed(t, "t", "1", 1)
	next, err := p.commit(t, "t", "", set("write.metadata.path", p.ground.url+"/t2")+
		fmt.Sprintf(`,{"action":"set-location","location":%q}`, p.ground.url+"/t3"))
	must(t, err)
	for i := range 3 {
		for _, name := range []string{"t", "moved"} {
			_, err := p.commit(t, name, "", set("k", fmt.Sprint(i)))
			must(t, err)
		}
	}
	for _, stays := range []string{old, at, versions[0].MetadataLocation, versions[1].MetadataLocation} {
		fileAt(t, p.ground, stays)
	}
	if n := len(files(t, p.ground)); n != 4+2+2 || present(t, p.ground, next.MetadataLocation) {
		t.Errorf("%d files: %q", n, files(t, p.ground))
	}
	audit(t, p.ground)
}

// A link on the way to an old file is not followed.
func TestDeleteAfterCommitFollowsNoLink(t *testing.T) {
	g := onDisk(t, t.TempDir())
	t.Cleanup(func() { g.close(t) })
	p := running(t, g)
	p.namespace(t, nil, "n")
	versions := p.trimmed(t, "t", "1", 1)
	old := strings.TrimPrefix(versions[0].MetadataLocation, "file://")
	elsewhere := t.TempDir() + "/kept"
	must(t, os.Rename(old, elsewhere))
	must(t, os.Symlink(elsewhere, old))
	_, err := p.commit(t, "t", "", set("k", "x"))
	must(t, err)
	for _, path := range []string{elsewhere, old} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// afterRecord runs once an event was recorded, before its command goes on.
type afterRecord struct {
	catalog.Recorder
	run func()
}

func (r afterRecord) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	e, err := r.Recorder.Record(ctx, d)
	r.run()
	return e, err
}

// Another server may move the table on, or back, before the files are removed:
// then they stay.
func TestDeleteAfterCommitOfATableThatMovedOn(t *testing.T) {
	for what, then := range map[string]func(t *testing.T, other *catalog.Catalog, first string){
		"dropped": func(t *testing.T, other *catalog.Catalog, _ string) {
			must(t, other.DropTable(ctx, cause, id("t"), false))
		},
		"renamed": func(t *testing.T, other *catalog.Catalog, _ string) {
			must(t, other.RenameTable(ctx, cause, id("t"), id("u")))
		},
		"committed": func(t *testing.T, other *catalog.Catalog, _ string) {
			_, err := commitOver(t, other, cause, change(t, "t", "", set(deleteAfterCommit, "false")))
			must(t, err)
		},
		"back": func(t *testing.T, other *catalog.Catalog, first string) {
			must(t, other.DropTable(ctx, cause, id("t"), false))
			_, err := other.RegisterTable(ctx, cause, id("t"), first, false)
			must(t, err)
		},
	} {
		p := fresh(t)
		versions := p.trimmed(t, "t", "1", 1)
		other := p.another(t, p.ground.files)
		options := p.Options
		options.Recorder = afterRecord{p.recorder, func() { then(t, other, versions[0].MetadataLocation) }}
		_, err := commitOver(t, catalog.New(options), cause, change(t, "t", "", set("k", "x")))
		must(t, err)
		if fileAt(t, p.ground, versions[0].MetadataLocation) == nil {
			t.Errorf("%s: the file is gone", what)
		}
	}
}
