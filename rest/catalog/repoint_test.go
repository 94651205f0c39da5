package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// repoint moves n.t.
func (p *process) repoint(r catalog.Repoint) (catalog.Repointed, error) {
	if r.UUID == uuid.Nil {
		r.Identifier = id("t")
	}
	if r.Reason == "" {
		r.Reason = "a test"
	}
	return p.Repoint(ctx, cause, r)
}

// closedJournal is a journal that cannot be read now.
type closedJournal struct{ journal.Reader }

func (closedJournal) Find(context.Context, uuid.UUID) (journal.Event, bool, error) {
	return journal.Event{}, false, journal.ErrClosed
}

// A descendant is always right, also when the present file is gone; there and back
// again is one event each, with both pointers and the reason.
func TestRepoint(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		now := p.table(t, "t", g.url+"/t")
		first := p.later(t, now, "00001-x.metadata.json", "first", now.MetadataLocation)
		second := p.later(t, now, "00002-x.metadata.json", "second", first)
		must(t, g.files.Delete(ctx, key(t, g, now.MetadataLocation)))
		_, err := p.LoadTable(ctx, id("t"))
		refused(t, err, catalog.FileMissing)
		had := files(t, g)

		dry, err := p.repoint(catalog.Repoint{To: second, DryRun: true})
		must(t, err)
		events := len(audit(t, g, now.MetadataLocation))
		done, err := p.Repoint(ctx, called("repoint"), catalog.Repoint{UUID: uuidOf(t, now), To: second, Expect: now.MetadataLocation, Reason: "it was deleted"})
		must(t, err)
		if diff := cmp.Diff(dry, done); diff != "" || !done.Changed || done.Rewind || done.From != pointer(now) {
			t.Errorf("%+v, the dry run said otherwise: %s", done, diff)
		}
		e := last(t, g, now.MetadataLocation)
		b := e.Body.(journal.TableRepointed)
		if m := b.Moves[0]; m.From.Pointer != pointer(now) || m.To.Pointer != done.To || b.Reason != "it was deleted" || e.Cause.RequestID != "repoint" {
			t.Errorf("the event: %+v", b)
		}
		if loaded := p.load(t, "t"); loaded.MetadataLocation != second || read(t, loaded.Metadata).Properties["from"] != "second" {
			t.Errorf("at %s", loaded.MetadataLocation)
		}
		same, err := p.repoint(catalog.Repoint{To: strings.Replace(second, "s3://", "s3a://", 1)})
		must(t, err)
		if same.Changed || same.To != same.From || len(audit(t, g, now.MetadataLocation)) != events+1 {
			t.Errorf("the present file changed something: %+v", same)
		}
		back, err := p.repoint(catalog.Repoint{To: first, AllowRewind: true})
		must(t, err)
		if !back.Changed || !back.Rewind || len(back.Lowered) != 0 {
			t.Errorf("back: %+v", back)
		}
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		_, err = p.append(t, "t", 8)
		must(t, err)
		audit(t, g, now.MetadataLocation)
	})
}

// What goes back must be allowed, and what makes counters go back forced; each
// counter is named with both values.
func TestRepointBack(t *testing.T) {
	p := fresh(t)
	old := p.table(t, "t", p.ground.url+"/t")
	set, err := p.commit(t, "t", "", set("k", "v"))
	must(t, err)
	appended, err := p.append(t, "t", 7)
	must(t, err)
	_, err = p.commit(t, "t", "", `{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","required":true,"type":"long"},{"id":3,"name":"more","required":false,"type":"string"}]}}`)
	must(t, err)
	present := p.load(t, "t")
	want := []string{"last-column-id from 3 to 2, last-sequence-number from 1 to 0", "last-column-id from 3 to 2"}
	for i, at := range []string{set.MetadataLocation, appended.MetadataLocation} {
		_, err = p.repoint(catalog.Repoint{To: at})
		refused(t, err, catalog.Unsafe, at+" does not descend from the present metadata file "+present.MetadataLocation, "allow-rewind")
		_, err = p.repoint(catalog.Repoint{To: at, Force: true})
		refused(t, err, catalog.Unsafe, "allow-rewind")
		_, err = p.repoint(catalog.Repoint{To: at, AllowRewind: true})
		refused(t, err, catalog.Unsafe, "Counters of table n.t would go back", ": "+want[i]+" (force")
	}
	if diff := cmp.Diff(present, p.load(t, "t")); diff != "" {
		t.Error(diff)
	}
	// The counters of a file that is gone are those of the document in the journal.
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, present.MetadataLocation)))
	_, err = p.repoint(catalog.Repoint{To: appended.MetadataLocation, AllowRewind: true})
	refused(t, err, catalog.Unsafe, want[1])
	options := p.Options
	options.Journal = nil
	_, err = catalog.New(options).Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: appended.MetadataLocation, AllowRewind: true, Reason: "r"})
	refused(t, err, catalog.Unsafe, "cannot be told", "force")
	options.Journal = closedJournal{p.Options.Journal}
	for _, to := range []string{appended.MetadataLocation, p.later(t, present, "00009-x.metadata.json", "x", present.MetadataLocation)} {
		_, err = catalog.New(options).Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: to, AllowRewind: true, Reason: "r"})
		refused(t, err, catalog.Unavailable)
	}

	done, err := p.repoint(catalog.Repoint{To: old.MetadataLocation, AllowRewind: true, Force: true})
	must(t, err)
	lowered := []catalog.Lowered{{Counter: "last-column-id", From: 3, To: 2}, {Counter: "last-sequence-number", From: 1}}
	if diff := cmp.Diff(lowered, done.Lowered); diff != "" {
		t.Error(diff)
	}
	forward, err := p.repoint(catalog.Repoint{To: appended.MetadataLocation}) // it descends from what is present now
	if must(t, err); forward.Rewind {
		t.Error("forward is no rewind")
	}
	audit(t, p.ground, present.MetadataLocation)
}

// A log says where a file comes from, and not that its counters grew: one that names
// the present file and gives out numbers again must be forced too.
func TestRepointToADescendantThatLowers(t *testing.T) {
	p := fresh(t)
	old := p.table(t, "t", "")
	present, err := p.append(t, "t", 7)
	must(t, err)
	low := p.later(t, old, "00009-x.metadata.json", "low", present.MetadataLocation)
	const says = "would go back, and give out numbers again that later files use: last-sequence-number from 1 to 0 (force"
	for _, r := range []catalog.Repoint{{To: low}, {Newest: true}, {To: low, AllowRewind: true}} {
		_, err := p.repoint(r)
		refused(t, err, catalog.Unsafe, says)
	}
	if at := p.load(t, "t").MetadataLocation; at != present.MetadataLocation {
		t.Errorf("at %s", at)
	}
	done, err := p.repoint(catalog.Repoint{Newest: true, Force: true})
	must(t, err)
	lowered := []catalog.Lowered{{Counter: "last-sequence-number", From: 1}}
	if diff := cmp.Diff(lowered, done.Lowered); diff != "" || done.Rewind || done.To.MetadataLocation != low {
		t.Errorf("%+v: %s", done, diff)
	}
	audit(t, p.ground, present.MetadataLocation)
}

func TestRepointIsRefused(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	now := p.table(t, "t", u+"/t")
	next := p.later(t, now, "00001-x.metadata.json", "next", now.MetadataLocation)
	other := p.written(t, u+"/other", "v1.metadata.json", "")
	copied := p.given(t, u+"/copy/metadata/v1.metadata.json", []byte(strings.ReplaceAll(string(now.Metadata), u+"/t", u+"/copy")))
	stray := p.given(t, u+"/elsewhere/v1.metadata.json", now.Metadata)
	torn := p.given(t, u+"/t/metadata/torn.metadata.json", now.Metadata[:80])
	p.table(t, "holder", u+"/held/below")
	taking := p.given(t, u+"/t/metadata/taking.metadata.json", []byte(strings.Replace(string(now.Metadata), `"properties":{`, fmt.Sprintf(`"properties":{"write.data.path":%q,`, u+"/held"), 1)))
	gone := p.dropped(t, "gone", "", false)
	back := catalog.Repoint{AllowRewind: true}
	to := func(r catalog.Repoint, at string) catalog.Repoint { r.To = at; return r }
	events := len(audit(t, p.ground))
	for what, test := range map[string]struct {
		r    catalog.Repoint
		code catalog.Code
		says string
	}{
		"another's file":        {to(back, other), catalog.Invalid, "The metadata file " + other + " is of "},
		"a copy's file":         {to(back, copied), catalog.Unsafe, "says the location " + u + "/copy, which n.t never had"},
		"not at home":           {to(back, stray), catalog.Invalid, "neither below the location"},
		"torn":                  {to(back, torn), catalog.Invalid, ""},
		"not there":             {to(back, u+"/t/metadata/no.metadata.json"), catalog.FileMissing, "Failed to open input stream for file: "},
		"outside":               {to(back, "s3://elsewhere/v1.metadata.json"), catalog.Invalid, ""},
		"a place is taken":      {to(back, taking), catalog.AlreadyExists, "overlaps"},
		"not the expected file": {catalog.Repoint{To: next, Expect: next}, catalog.CommitFailed, "n.t is at " + now.MetadataLocation + ", not at " + next},
		"it was dropped":        {catalog.Repoint{To: next, UUID: uuidOf(t, gone)}, catalog.NoSuchTable, "was dropped as n.gone"},
		"never seen":            {catalog.Repoint{To: next, UUID: uuid.New()}, catalog.NoSuchTable, "never seen"},
		"a long reason":         {catalog.Repoint{To: next, Reason: strings.Repeat("x", journal.MaxReasonBytes+1)}, catalog.Invalid, "reason"},
	} {
		_, err := p.repoint(test.r)
		t.Run(what, func(t *testing.T) { refused(t, err, test.code, test.says) })
	}
	_, err := p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: next})
	refused(t, err, catalog.Invalid, "a reason is needed")
	_, err = p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("no"), To: next, Reason: "r"})
	refused(t, err, catalog.NoSuchTable, "Table or view does not exist: n.no")
	if n := len(audit(t, p.ground)); n != events || p.load(t, "t").MetadataLocation != now.MetadataLocation {
		t.Errorf("%d events, there were %d", n, events)
	}
	moved, err := p.repoint(catalog.Repoint{To: copied, AllowRewind: true, Force: true})
	if must(t, err); !moved.Rewind {
		t.Errorf("%+v", moved)
	}
	_, err = p.repoint(to(back, now.MetadataLocation)) // which it had
	must(t, err)
	audit(t, p.ground)
}

// A change that lands between the look and the record is not lost.
func TestRepointAgainstACommit(t *testing.T) {
	p := fresh(t)
	now := p.table(t, "t", "")
	next := p.later(t, now, "00001-x.metadata.json", "late", now.MetadataLocation)
	options := p.Options
	options.Recorder = atRecord{p.recorder, func() {
		_, err := p.commit(t, "t", "", set("k", "v"))
		must(t, err)
	}}
	_, err := catalog.New(options).Repoint(ctx, cause, catalog.Repoint{Identifier: id("t"), To: next, Reason: "r"})
	refused(t, err, catalog.CommitFailed, "n.t was changed by others meanwhile")
	if read(t, p.load(t, "t").Metadata).Properties["k"] != "v" {
		t.Error("the commit is lost")
	}
	fileAt(t, p.ground, next)
}

// The bytes of the present file were changed in place: that version can be taken,
// but not by mistake.
func TestRepointToChangedBytes(t *testing.T) {
	p := fresh(t)
	now := p.table(t, "t", "")
	changed := strings.Replace(string(now.Metadata), `"properties":{`, `"properties":{"by":"hand",`, 1)
	must(t, p.ground.files.Put(ctx, key(t, p.ground, now.MetadataLocation), []byte(changed)))
	_, err := p.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing)
	_, err = p.repoint(catalog.Repoint{To: now.MetadataLocation})
	refused(t, err, catalog.Unsafe, "does not descend")
	_, err = p.repoint(catalog.Repoint{To: now.MetadataLocation, AllowRewind: true})
	must(t, err)
	if read(t, p.load(t, "t").Metadata).Properties["by"] != "hand" {
		t.Error("the old bytes are shown")
	}
}

// Nothing in a view's files tells which came first (case 63).
func TestCase63_RepointOfViews(t *testing.T) {
	p := fresh(t)
	first := p.view(t, "v", "")
	second, err := p.commitView(t, "v", "", replace("select 2"))
	must(t, err)
	r := catalog.Repoint{Identifier: id("v"), To: first.MetadataLocation, Reason: "r"}
	_, err = p.Repoint(ctx, cause, r)
	refused(t, err, catalog.Unsafe, "Nothing in the files of a view tells which came first", "allow-rewind")
	_, err = p.Repoint(ctx, cause, catalog.Repoint{Identifier: id("v"), Newest: true, Reason: "r"})
	refused(t, err, catalog.Unsupported, "name one")
	r.AllowRewind = true
	must(t, p.ground.files.Delete(ctx, key(t, p.ground, second.MetadataLocation)))
	done, err := p.Repoint(ctx, cause, r)
	must(t, err)
	if diff := cmp.Diff(first, p.loadView(t, "v")); diff != "" || !done.Changed || last(t, p.ground, second.MetadataLocation).Kind() != journal.KindViewRepointed {
		t.Errorf("%+v: %s", done, diff)
	}
	again, err := p.Repoint(ctx, cause, r)
	if must(t, err); again.Changed {
		t.Error("the present file changed something")
	}
	p.table(t, "t", "")
	r.Identifier = id("t")
	_, err = p.Repoint(ctx, cause, r)
	refused(t, err, catalog.Invalid)
}
