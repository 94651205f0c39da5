package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog"
)

// register takes a file for n.name.
func (p *process) register(name, at string) (catalog.Table, error) {
	return p.RegisterTable(ctx, cause, id(name), at, false)
}

// A dropped table comes back under another name with its uuid, its snapshots and
// its history, and goes on.
func TestRegister(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		p.table(t, "t", "")
		was, err := p.append(t, "t", 7)
		must(t, err)
		must(t, p.DropTable(ctx, cause, id("t"), false))
		had := files(t, g)
		now, err := p.RegisterTable(ctx, called("register"), id("u"), was.MetadataLocation, false)
		must(t, err)
		if diff := cmp.Diff(was, now); diff != "" {
			t.Errorf("the table changed: %s", diff)
		}
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		d, snapshot := read(t, was.Metadata), int64(7)
		e := last(t, g)
		want := journal.TableRegistered{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: uuid.MustParse(d.UUID), SnapshotID: &snapshot, To: &journal.To{
				Identifier: id("u"), Pointer: pointer(was), Location: d.Location, Places: []journal.Place{{Path: path(t, d.Location), Role: "location"}},
			},
		}}}
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "register" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
		steps, err := p.Reader.Steps(ctx, uuid.MustParse(d.UUID))
		must(t, err)
		if len(steps) != 4 {
			t.Errorf("%d steps of four", len(steps))
		}
		next, err := p.append(t, "u", 8)
		must(t, err)
		if diff := cmp.Diff([]int64{8, 7}, chain(t, next)); diff != "" || !strings.Contains(next.MetadataLocation, "/00002-") {
			t.Errorf("goes on at %s with %s", next.MetadataLocation, diff)
		}
		audit(t, g)
	})
}

// written is a metadata file of a table that no catalog knows.
func (p *process) written(t *testing.T, folder, file, members string) string {
	t.Helper()
	return p.given(t, folder+"/metadata/"+file, []byte(tableText(folder, members)))
}

// tableText is the metadata of a new table.
func tableText(folder, members string) string {
	return fmt.Sprintf(`{"format-version":2,"table-uuid":%q,"location":%q,"last-sequence-number":0,"last-updated-ms":%d,"last-column-id":2,`+
		`"current-schema-id":0,"schemas":[%s],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,`+
		`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]%s}`, uuid.NewString(), folder, epoch, schema, members)
}

// Any name that ends as metadata files do is taken, and the next version counts on
// from its number.
func TestCase28_NamesInTheWild(t *testing.T) {
	p := fresh(t)
	for file, next := range map[string]string{
		"v7.metadata.json": "00008-", "00007-u.metadata.json": "00008-", "v00007-u.metadata.json": "00008-",
		"u.metadata.json": "00001-", "v1720710382.metadata.json": "1720710383-",
	} {
		name := strings.ReplaceAll(file, ".", "_")
		at := p.written(t, p.ground.url+"/"+name, file, "")
		_, err := p.register(name, at)
		must(t, err)
		for i := range 2 {
			table, err := p.commit(t, name, "", set("k", fmt.Sprint(i)))
			must(t, err)
			if i == 0 && !strings.HasPrefix(table.MetadataLocation, p.ground.url+"/"+name+"/metadata/"+next) {
				t.Errorf("%s is followed by %s", file, table.MetadataLocation)
			}
		}
	}
	audit(t, p.ground)
}

// One location in every spelling; what is stored and answered is the caller's.
func TestCase25_27_SpellingsAreRegistered(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		spellings := []string{"s3://lake/wh", "s3a://lake/wh", "s3n://lake/wh"}
		if folder, ok := strings.CutPrefix(g.url, "file://"); ok {
			spellings = []string{"file://" + folder, "file:" + folder, folder}
		}
		for i, spelling := range spellings {
			name := fmt.Sprint("t", i)
			at := p.written(t, g.url+"/"+name, "v1.metadata.json", "")
			text := strings.ReplaceAll(string(fileAt(t, g, at)), g.url, spelling)
			must(t, g.files.Put(ctx, key(t, g, at), []byte(text)))
			other := spellings[(i+1)%3] + "/" + name + "/metadata/v1.metadata.json"
			made, err := p.register(name, other)
			must(t, err)
			if made.MetadataLocation != other || read(t, made.Metadata).Location != spelling+"/"+name {
				t.Errorf("registered as %s at %s", made.MetadataLocation, read(t, made.Metadata).Location)
			}
			if diff := cmp.Diff(made, p.load(t, name)); diff != "" {
				t.Error(diff)
			}
			_, err = p.CreateTable(ctx, cause, newTable("x", g.url+"/"+name))
			refused(t, err, catalog.AlreadyExists, "overlaps")
			_, err = p.commit(t, name, "", set("k", "v"))
			must(t, err)
		}
		auditTables(t, g)
	})
}

// What is refused leaves the caller's file, its neighbours and the journal as they
// are (cases 19, 35 and 139).
func TestCase35_RegisterIsRefused(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	table, view := p.table(t, "t", ""), p.view(t, "v", "")
	good := p.written(t, u+"/good", "v1.metadata.json", "")
	text := string(fileAt(t, p.ground, good))
	variant := func(file, old, new string) string {
		return p.given(t, u+"/good/metadata/"+file, []byte(strings.ReplaceAll(text, old, new)))
	}
	nowhere := journal.Identifier{Namespace: journal.Namespace{"none"}, Name: "x"}
	type refusal struct {
		what string
		id   journal.Identifier
		at   string
		code catalog.Code
		text string
	}
	refusals := []refusal{
		{"no namespace", nowhere, good, catalog.NoSuchNamespace, "Namespace does not exist: none"},
		{"over a table", id("t"), good, catalog.AlreadyExists, "Table already exists: n.t"},
		{"over a view", id("v"), good, catalog.AlreadyExists, "View with same name already exists: n.v"},
		{"a live table", id("x"), table.MetadataLocation, catalog.AlreadyExists, read(t, table.Metadata).UUID},
		{"a view's file", id("x"), view.MetadataLocation, catalog.Invalid, "table metadata"},
		{"no file", id("x"), u + "/good/metadata/v9.metadata.json", catalog.FileMissing, "Failed to open input stream for file: " + u + "/good/metadata/v9.metadata.json"},
		{"outside", id("x"), "s3://other/t/v1.metadata.json", catalog.Invalid, "s3://other/t/v1.metadata.json"},
		{"the root beside", id("x"), u + "2/t/v1.metadata.json", catalog.Invalid, u + "2/"},
		{"reserved", id("x"), u + "/_puddle/v1.metadata.json", catalog.Invalid, "reserved"},
		{"no metadata's name", id("x"), variant("v1.json", "", ""), catalog.Invalid, "v1.json"},
		{"a slash behind", id("x"), good + "/", catalog.Invalid, good},
		{"its location is outside", id("x"), variant("v2.metadata.json", u+"/good", "s3://other/good"), catalog.Invalid, "s3://other/good"},
		{"its location is elsewhere", id("x"), variant("v3.metadata.json", u+"/good", u+"/other"), catalog.Invalid, "v3.metadata.json"},
		{"its data is outside", id("x"), variant("v4.metadata.json", `"last-column-id"`, `"properties":{"write.data.path":"s3://other/d"},"last-column-id"`), catalog.Invalid, "s3://other/d"},
		{"its location is the root", id("x"), variant("v5.metadata.json", `"`+u+`/good"`, `"`+u+`"`), catalog.Invalid, "root"},
		{"in a table", id("x"), p.written(t, read(t, table.Metadata).Location+"/in", "v1.metadata.json", ""), catalog.AlreadyExists, "overlaps"},
		{"no json", id("x"), variant("v6.metadata.json", "{", "["), catalog.Invalid, ""},
	}
	for i, version := range []string{"0", "4", "99", `"2"`, "2.0", "null"} {
		at := variant(fmt.Sprintf("f%d.metadata.json", i), `"format-version":2`, `"format-version":`+version)
		refusals = append(refusals, refusal{"version " + version, id("x"), at, catalog.Invalid, "version"})
	}
	had, events := files(t, p.ground), len(auditTables(t, p.ground))
	for _, r := range refusals {
		for _, overwrite := range []bool{false, true} {
			if overwrite && r.what == "over a table" {
				r.text = "Table already exists: n.t (its uuid is"
			}
			_, err := p.RegisterTable(ctx, cause, r.id, r.at, overwrite)
			t.Run(r.what, func(t *testing.T) { refused(t, err, r.code, r.text) })
		}
	}
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(auditTables(t, p.ground)) != events {
		t.Errorf("something is left: %s", diff)
	}
	_, err := p.register("x", good)
	must(t, err)
}

// Registering only ever reads, whatever fails.
func TestCase35_RegisterOnlyReads(t *testing.T) {
	p := fresh(t)
	at := p.written(t, p.ground.url+"/t", "v1.metadata.json", "")
	for _, fails := range []bool{true, false} {
		c := p.over(t, func(op faulty.Op, k string) faulty.Fault {
			if op != faulty.Get && op != faulty.CheckFolder {
				t.Errorf("%s %s", op, k)
			}
			if fails {
				return faulty.After(errInjected)
			}
			return faulty.Fault{}
		})
		_, err := c.RegisterTable(ctx, cause, id("t"), at, false)
		if fails {
			refused(t, err, catalog.Unavailable)
		} else {
			must(t, err)
		}
	}
	audit(t, p.ground)
}

// The metadata file may lie in the folder that the table's property names.
func TestCase139_FileBelowTheMetadataPath(t *testing.T) {
	p := fresh(t)
	text := fileAt(t, p.ground, p.written(t, p.ground.url+"/t", "v1.metadata.json",
		fmt.Sprintf(`,"properties":{"write.metadata.path":"%s/meta/"}`, p.ground.url)))
	at := p.given(t, p.ground.url+"/meta/sub/v1.metadata.json", text)
	_, err := p.register("t", at)
	must(t, err)
	next, err := p.commit(t, "t", "", set("k", "v"))
	must(t, err)
	if !strings.HasPrefix(next.MetadataLocation, p.ground.url+"/meta/00002-") {
		t.Errorf("goes on at %s", next.MetadataLocation)
	}
	audit(t, p.ground)
}
