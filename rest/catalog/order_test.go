package catalog_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/catalog/catalogtest"
)

// recording are the steps of the recorder.
var recording = []string{"tables begin", "tables apply", "journal append", "tables commit"}

// File, then event, then pointer; nothing of files where none is made. Of a
// document that is known, one look tells that its file is there.
func TestCase157_Order(t *testing.T) {
	g := inMemory(t, "")
	seen, known, write := &catalogtest.Steps{}, []string{"file stat"}, []string{"file check-folder", "file create"}
	p := g.start(t, seen)
	defer p.stop(t)
	p.namespace(t, nil, "n")
	staged, err := p.StageTable(ctx, newTable("s", ""))
	must(t, err)
	for _, c := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"create", func() error { p.table(t, "t", g.url+"/t"); return nil }, slices.Concat(write, recording)},
		{"stage", func() error { _, err := p.StageTable(ctx, newTable("u", "")); return err },
			[]string{"file check-folder", "file make-folder", "file make-folder"}},
		{"create by commit", func() error { _, err := p.commit(t, "s", assertCreate, births(t, staged)); return err },
			slices.Concat(write, recording)},
		{"commit", func() error { _, err := p.commit(t, "t", "", set("k", "v")); return err },
			slices.Concat(known, write[1:], recording)},
		{"commit without effect", func() error { _, err := p.commit(t, "t", "", set("k", "v")); return err }, known},
		{"rename", func() error { return p.RenameTable(ctx, cause, id("t"), id("u")) }, recording},
		{"drop", func() error { return p.DropTable(ctx, cause, id("s"), false) }, recording},
		{"load", func() error { _, err := p.LoadTable(ctx, id("u")); return err }, known},
	} {
		n := len(seen.Since(0))
		must(t, c.do())
		if diff := cmp.Diff(c.want, seen.Since(n)); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	n := len(seen.Since(0))
	_, err = p.CreateTable(ctx, cause, newTable("x", g.url+"/t"))
	refused(t, err, catalog.AlreadyExists)
	if diff := cmp.Diff(write[:1], seen.Since(n)); diff != "" {
		t.Errorf("refused: %s", diff)
	}
	audit(t, g)
}

// What another took in the last moment is refused by the recorder, and the file is
// gone again.
func TestCase157_OrderOfALostRace(t *testing.T) {
	g := inMemory(t, "")
	seen := &catalogtest.Steps{}
	p := g.start(t, seen)
	defer p.stop(t)
	p.namespace(t, nil, "n")
	other, n := p.another(t, g.files), len(seen.Since(0))
	options := p.Options
	options.Recorder = atRecord{p.recorder, func() {
		_, err := other.CreateTable(ctx, cause, newTable("other", g.url+"/t"))
		must(t, err)
	}}
	_, err := catalog.New(options).CreateTable(ctx, cause, newTable("t", g.url+"/t/below"))
	refused(t, err, catalog.AlreadyExists, `location "`+g.url+`/t/below" of n.t is refused: it overlaps`)
	want := slices.Concat([]string{"file check-folder", "file create"}, recording, []string{"tables begin", "tables apply", "file delete"})
	if diff := cmp.Diff(want, seen.Since(n)); diff != "" {
		t.Error(diff)
	}
	audit(t, g)
}

// The file of a change that was surely refused is removed; one whose outcome is
// unknown may be the current file, and stays.
func TestCase33_FileOfARefusedChange(t *testing.T) {
	for _, how := range []fault{before, after, lost} {
		t.Run(string(how), func(t *testing.T) {
			g := inMemory(t, "")
			f := &catalogtest.Steps{How: how}
			p := g.start(t, f)
			p.namespace(t, nil, "n")
			table := p.table(t, "t", "")
			f.At = len(f.Since(0)) + 5 // look, create, begin, apply, append
			_, err := p.commit(t, "t", "", set("k", "v"))
			if how == before {
				refused(t, err, catalog.Unavailable)
			} else {
				refused(t, err, catalog.OutcomeUnknown)
				refused(t, p.DropTable(ctx, cause, id("t"), false), catalog.Unavailable) // read only until restart
			}
			if f.Hit() != "journal append" {
				t.Fatalf("%s failed", f.Hit())
			}
			if now := p.load(t, "t"); now.MetadataLocation != table.MetadataLocation {
				t.Errorf("what is unknown is shown: %s", now.MetadataLocation)
			}
			p.stop(t)
			p = g.start(t, nil)
			defer p.stop(t)
			left := len(strays(t, g, audit(t, g)))
			_, has := read(t, p.load(t, "t").Metadata).Properties["k"]
			if has != (how == after) || left != map[fault]int{before: 0, after: 0, lost: 1}[how] {
				t.Errorf("committed: %v, %d files of nobody", has, left)
			}
		})
	}
}

// A client may hang up at any step: before the record nothing has happened,
// after it the change is made.
func TestCase33_ClientHangsUp(t *testing.T) {
	for _, what := range []string{"create", "commit", "drop"} {
		for n := 1; ; n++ {
			g := inMemory(t, "")
			f := &catalogtest.Steps{}
			p := g.start(t, f)
			p.namespace(t, nil, "n")
			p.table(t, "t", "")
			had := len(audit(t, g))
			request, hangUp := context.WithCancel(ctx)
			start, at := len(f.Since(0)), ""
			f.Watch = func(k int, step string) {
				if k == start+n {
					at = step
					hangUp()
				}
			}
			err := hangUpIn(t, request, p, what)
			hangUp()
			p.stop(t)
			if at == "" {
				break
			}
			made := len(audit(t, g)) - had
			if strings.HasPrefix(at, "file") && made == 0 {
				refused(t, err, catalog.Unavailable)
			} else if err != nil {
				t.Errorf("%s: at %s: %v", what, at, err)
			}
			if (made == 1) != (err == nil) || len(strays(t, g, audit(t, g))) > 0 {
				t.Errorf("%s: at %s: %v, %d events, strays %q", what, at, err, made, strays(t, g, audit(t, g)))
			}
		}
	}
}

// atRecord runs before a draft goes to the recorder.
type atRecord struct {
	catalog.Recorder
	run func()
}

func (r atRecord) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	r.run()
	return r.Recorder.Record(ctx, d)
}

// Who hangs up when the file is written has not stopped the change.
func TestCase33_ClientHangsUpBeforeTheRecord(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	for _, what := range []string{"create", "commit", "drop"} {
		request, hangUp := context.WithCancel(ctx)
		options := p.Options
		options.Recorder = atRecord{p.recorder, hangUp}
		if err := hangUpIn(t, request, &process{Catalog: catalog.New(options)}, what); err != nil || request.Err() == nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	audit(t, p.ground)
}

// stuck takes no draft.
type stuck struct{}

func (stuck) Record(ctx context.Context, _ journal.Draft) (journal.Event, error) {
	<-ctx.Done()
	return journal.Event{}, context.Cause(ctx)
}

// A draft that is not taken in a request's time is not recorded later.
func TestRecordHasATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := catalog.New(catalog.Options{Recorder: stuck{}})
		_, err := c.CreateNamespace(request, cause, journal.Namespace{"a"}, nil)
		var refused *catalog.Error
		if !errors.As(err, &refused) || refused.Code != catalog.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
	})
}

func hangUpIn(t *testing.T, request context.Context, p *process, what string) error {
	t.Helper()
	var err error
	switch what {
	case "create":
		_, err = p.CreateTable(request, cause, newTable("u", ""))
	case "commit":
		_, err = p.CommitTables(request, cause, change(t, "t", "", set("k", "v")))
	case "drop":
		err = p.DropTable(request, cause, id("t"), false)
	}
	return err
}

// With step 4 failed the answer is yes, and the next read shows the change.
func TestTablesFailAfterTheRecord(t *testing.T) {
	g := inMemory(t, "")
	f := &catalogtest.Steps{How: before}
	p := g.start(t, f)
	p.namespace(t, nil, "n")
	f.At = len(f.Since(0)) + 6 // check, create, begin, apply, append, commit
	table := p.table(t, "t", "")
	if f.Hit() != "tables commit" {
		t.Fatalf("%s failed", f.Hit())
	}
	if diff := cmp.Diff(table, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
	p.stop(t)
	audit(t, g)
}

// What no journal keeps is the request's fault.
func TestEventOverTheLimit(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	huge := change(t, "t", "", set("k", "v")+`,{"action":"remove-partition-statistics","snapshot-id":1}`)
	for huge.Updates = slices.Grow(huge.Updates, 1<<20); len(huge.Updates) < 1<<20; {
		huge.Updates = append(huge.Updates, huge.Updates[1])
	}
	_, err := commitOver(t, p.Catalog, cause, huge)
	refused(t, err, catalog.Invalid, "limit")
	if !errors.Is(err, journal.ErrTooLarge) || len(strays(t, p.ground, audit(t, p.ground))) > 0 {
		t.Errorf("%v", err)
	}
}
