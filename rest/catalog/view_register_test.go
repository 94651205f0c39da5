package catalog_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// given writes a file that no command made.
func (p *process) given(tb rapid.TB, at string, data []byte) string {
	tb.Helper()
	must(tb, p.ground.files.Create(ctx, key(tb, p.ground, at), data))
	return at
}

func zipped(tb rapid.TB, text []byte) []byte {
	tb.Helper()
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	_, err := z.Write(text)
	must(tb, err)
	must(tb, z.Close())
	return data.Bytes()
}

// A dropped view comes back under another name with its uuid, its versions and
// its history, and goes on.
func TestRegisterView(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.view(t, "v", "", "k", "v")
		was, err := p.commitView(t, "v", "", replace("select 2"))
		must(t, err)
		must(t, p.DropView(ctx, cause, id("v")))
		had := files(t, g)
		now, err := p.RegisterView(ctx, called("register"), id("w"), was.MetadataLocation)
		must(t, err)
		if diff := cmp.Diff(was, now); diff != "" {
			t.Errorf("the view changed: %s", diff)
		}
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		d := readView(t, was)
		events := auditTables(t, g)
		e := events[len(events)-1]
		want := journal.ViewRegistered{Moves: [1]journal.Move{{
			Kind: journal.View, UUID: d.UUID, To: &journal.To{
				Identifier: id("w"), Pointer: viewPointer(was), Location: d.Location,
				Places: []journal.Place{{Path: path(t, d.Location), Role: "location"}},
			},
		}}}
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "register" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
		auditFile(t, g, e, 0, e.Moves()[0])
		steps, err := p.Reader.Steps(ctx, d.UUID)
		must(t, err)
		if len(steps) != 4 {
			t.Errorf("%d steps of four", len(steps))
		}
		next, err := p.commitView(t, "w", "", replace("select 3"))
		must(t, err)
		if d := readView(t, next); d.Current != 3 || !strings.Contains(next.MetadataLocation, "/00002-") {
			t.Errorf("goes on with %d at %s", d.Current, next.MetadataLocation)
		}
	})
}

// Case 1: Iceberg's Java library gzips the files of views; both spellings of
// their names are read, and what is not what its name says is refused.
func TestCase1_GzipFilesOfViews(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		for name, file := range map[string]string{"a": "00001-u.gz.metadata.json", "b": "v3.metadata.json.gz"} {
			plain := p.view(t, name, "")
			must(t, p.DropView(ctx, cause, id(name)))
			data := zipped(t, plain.Metadata)
			at := p.given(t, readView(t, plain).Location+"/metadata/"+file, data)
			made, err := p.RegisterView(ctx, cause, id(name), at)
			must(t, err)
			if diff := cmp.Diff(catalog.View{MetadataLocation: at, Metadata: plain.Metadata, Digest: plain.Digest}, made); diff != "" {
				t.Errorf("%s: %s", file, diff)
			}
			if diff := cmp.Diff(made, p.loadView(t, name)); diff != "" {
				t.Errorf("%s, loaded: %s", file, diff)
			}
			events := auditTables(t, g)
			e := events[len(events)-1]
			to := e.Moves()[0].To.Pointer
			want := journal.Pointer{
				MetadataLocation: at, Size: int64(len(data)), SHA256: journal.Sum(data),
				DocumentSHA256: journal.Sum(plain.Metadata), Encoding: journal.EncodingGzip,
			}
			if to != want {
				t.Errorf("%s: the pointer is %+v, want %+v", file, to, want)
			}
			if kept, err := g.journal.Warehouse(lake).Document(ctx, e.Seq, 0); err != nil || !bytes.Equal(kept, plain.Metadata) {
				t.Errorf("%s: kept %q, %v", file, kept, err)
			}
			next, err := p.commitView(t, name, "", set("k", "v"))
			must(t, err)
			if !bytes.Equal(fileAt(t, g, next.MetadataLocation), next.Metadata) {
				t.Errorf("%s: the next file is not the document", file)
			}
		}
	})
}

// Cases 35 and 139: what is refused, with the file untouched.
func TestRegisterViewIsRefused(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	p.table(t, "t", "")
	p.view(t, "v", "")
	dropped := p.view(t, "x", "")
	d := readView(t, dropped)
	must(t, p.DropView(ctx, cause, id("x")))
	folder := d.Location + "/metadata/"
	foreign := func(location string) []byte {
		text := strings.ReplaceAll(string(dropped.Metadata), d.Location, location)
		return []byte(strings.ReplaceAll(text, d.UUID.String(), uuid.NewString()))
	}
	nowhere := journal.Identifier{Namespace: journal.Namespace{"none"}, Name: "x"}
	live, table := p.loadView(t, "v"), p.load(t, "t")
	for _, c := range []struct {
		what string
		id   journal.Identifier
		at   string
		code catalog.Code
		text string
	}{
		{"over a view", id("v"), dropped.MetadataLocation, catalog.AlreadyExists, "View already exists: n.v"},
		{"over a table", id("t"), dropped.MetadataLocation, catalog.AlreadyExists, "Table with same name already exists: n.t"},
		{"no namespace", nowhere, dropped.MetadataLocation, catalog.NoSuchNamespace, "Namespace does not exist: none"},
		{"no name", id("."), dropped.MetadataLocation, catalog.Invalid, "reserved"},
		{"a live view", id("x"), live.MetadataLocation, catalog.AlreadyExists, readView(t, live).UUID.String()},
		{"a table's file", id("x"), table.MetadataLocation, catalog.Invalid, "view"},
		{"no file", id("x"), folder + "00009-x.metadata.json", catalog.FileMissing, "Failed to open input stream for file: " + folder + "00009-x.metadata.json"},
		{"no file of an odd name", id("x"), folder + "v9.metadata.jsonx", catalog.FileMissing, "v9.metadata.jsonx"},
		{"outside", id("x"), "s3://other/v1.metadata.json", catalog.Invalid, "s3://other/v1.metadata.json"},
		{"reserved", id("x"), u + "/_puddle/v1.metadata.json", catalog.Invalid, "reserved"},
		{"odd name", id("x"), p.given(t, folder+"v1.json", dropped.Metadata), catalog.Invalid, "v1.json"},
		{"odd suffix", id("x"), p.given(t, folder+"v3.gzip.metadata.json", zipped(t, dropped.Metadata)), catalog.Invalid, "v3.gzip.metadata.json is gzipped"},
		{"not gzipped", id("x"), p.given(t, folder+"v4.gz.metadata.json", dropped.Metadata), catalog.Invalid, "v4.gz.metadata.json is not gzipped"},
		{"cut", id("x"), p.given(t, folder+"v5.gz.metadata.json", zipped(t, dropped.Metadata)[:40]), catalog.Invalid, "v5.gz.metadata.json"},
		{"no metadata", id("x"), p.given(t, folder+"v6.metadata.json", []byte(`{}`)), catalog.Invalid, "view"},
		{"away from home", id("x"), p.given(t, u+"/away/v1.metadata.json", foreign(u+"/home")), catalog.Invalid, "away/v1.metadata.json"},
		{"home outside", id("x"), p.given(t, u+"/away/v2.metadata.json", foreign("s3://other/home")), catalog.Invalid, "s3://other/home"},
		{"in a table", id("x"), p.given(t, read(t, table.Metadata).Location+"/v/v1.metadata.json", foreign(read(t, table.Metadata).Location+"/v")), catalog.AlreadyExists, "overlaps"},
	} {
		before, events := files(t, p.ground), len(auditTables(t, p.ground))
		_, err := p.RegisterView(ctx, cause, c.id, c.at)
		t.Run(c.what, func(t *testing.T) { refused(t, err, c.code, c.text) })
		if diff := cmp.Diff(before, files(t, p.ground)); diff != "" || len(auditTables(t, p.ground)) != events {
			t.Errorf("%s left something: %s", c.what, diff)
		}
	}
	must(t, p.DropView(ctx, cause, id("v")))
	_, err := p.RegisterView(ctx, cause, id("x"), dropped.MetadataLocation)
	must(t, err)
}

// Registering writes nothing and deletes nothing, whatever becomes of it
// (case 35).
func TestCase35_RegisterTouchesNothing(t *testing.T) {
	p := fresh(t)
	v := p.view(t, "v", "")
	must(t, p.DropView(ctx, cause, id("v")))
	c := p.over(t, func(op faulty.Op, k string) faulty.Fault {
		if op != faulty.Get && op != faulty.CheckFolder {
			t.Errorf("%s %s", op, k)
		}
		return faulty.Fault{}
	})
	p.table(t, "w", "")
	_, err := c.RegisterView(ctx, cause, id("w"), v.MetadataLocation)
	refused(t, err, catalog.AlreadyExists)
	_, err = c.RegisterView(ctx, cause, id("v"), v.MetadataLocation)
	must(t, err)
	_, err = c.RegisterView(ctx, cause, id("u"), v.MetadataLocation)
	refused(t, err, catalog.AlreadyExists, "uuid")
}
