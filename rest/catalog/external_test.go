package catalog_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// old is where the external warehouse of most tests is.
const old = "s3://old/lake"

// onlyRead is a store that is never written to: who tries fails the test.
type onlyRead struct {
	warehouse.Store
	t *testing.T
}

func (s onlyRead) fail(what, key string) error {
	s.t.Errorf("%s %s", what, key)
	return warehouse.ErrReadOnly
}

func (s onlyRead) Create(_ context.Context, key string, _ []byte) error { return s.fail("create", key) }
func (s onlyRead) Put(_ context.Context, key string, _ []byte) error    { return s.fail("put", key) }
func (s onlyRead) Delete(_ context.Context, key string) error           { return s.fail("delete", key) }

func (s onlyRead) Stage(_ context.Context, key string, _ []byte) (warehouse.Info, error) {
	return warehouse.Info{}, s.fail("stage", key)
}

// external is an external warehouse, in which the test writes as its owner.
func external(t *testing.T, name, url string, files warehouse.Store) warehouse.Root {
	t.Helper()
	location, err := warehouse.ParseLocation(url)
	must(t, err)
	return warehouse.Root{URL: url, Location: location, Store: onlyRead{files, t}, External: name}
}

// beside is the catalog of a process with external warehouses.
func (p *process) beside(externals ...warehouse.Root) *process {
	options := p.Options
	options.Externals = externals
	return &process{Catalog: catalog.New(options), ground: p.ground, recorder: p.recorder}
}

// oldLake is a catalog beside an old lake that holds these files.
func oldLake(t *testing.T, texts map[string]string) (*process, warehouse.Store) {
	t.Helper()
	files := memory.New()
	for at, text := range texts {
		must(t, files.Put(ctx, strings.TrimPrefix(at, old+"/"), []byte(text)))
	}
	return fresh(t).beside(external(t, "old", old, files)), files
}

// v1 is the first metadata file of a table in a folder of the old lake, with more members.
func v1(folder, members string) (at, text string) {
	return old + folder + "/metadata/v1.metadata.json", tableText(old+folder, members)
}

// What is registered from an external warehouse is a table like any other, but for its
// commits: nothing is ever written where it lies.
func TestExternal(t *testing.T) {
	at, text := v1("/t", "")
	p, files := oldLake(t, map[string]string{at: text})
	made, err := p.register("t", at)
	must(t, err)
	if made.MetadataLocation != at || string(made.Metadata) != text || p.External(at) != "old" || p.External(p.ground.url+"/x") != "" {
		t.Errorf("registered as %+v", made)
	}
	places, err := p.Reader.Places(ctx, uuidOf(t, made))
	must(t, err)
	if diff := cmp.Diff([]journal.Place{{Path: "//old/lake/t/", Role: "location"}}, places); diff != "" {
		t.Error(diff)
	}
	had := p.seq(t)
	_, err = p.commit(t, "t", "", set("k", "v"))
	refused(t, err, catalog.ReadOnly, "external warehouse old", "only read", old+"/t")
	_, err = p.append(t, "t", 1)
	refused(t, err, catalog.ReadOnly)
	if same, err := p.commit(t, "t", "", ""); err != nil || same.MetadataLocation != at || p.seq(t) != had {
		t.Errorf("a commit without effect: %s, %v, %s after %s", same.MetadataLocation, err, p.seq(t), had)
	}
	must(t, p.RenameTable(ctx, cause, id("t"), id("u")))
	must(t, p.DropTable(ctx, cause, id("u"), true))
	back, err := p.undrop("u")
	must(t, err)
	if !back.Purge || back.Location != old+"/t" {
		t.Errorf("came back as %+v", back)
	}
	must(t, p.DropTable(ctx, cause, id("u"), true))
	p.purged(t, uuidOf(t, made)) // which removes nothing there
	back, err = p.undrop("u")
	must(t, err)
	if back.Purge {
		t.Error("a purge that is over was cancelled")
	}
	then := p.seq(t)
	last, err := p.UnregisterTable(ctx, cause, id("u"))
	must(t, err)
	past := p.asOf(t, p.Catalog, then)
	was, err := past.LoadTable(ctx, id("u"))
	must(t, err)
	if diff := cmp.Diff(last, was); diff != "" {
		t.Error(diff)
	}
	_, err = p.register("again", at)
	must(t, err)
	names, err := p.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(t, err)
	if len(names) != 1 {
		t.Errorf("tables: %q", names)
	}
	must(t, files.Delete(ctx, "t/metadata/v1.metadata.json"))
	_, err = p.LoadTable(ctx, id("again"))
	refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+at)
}

// A table that its owner goes on writing is followed by registering it again.
func TestExternalGoesOn(t *testing.T) {
	at, text := v1("/t", "")
	p, files := oldLake(t, map[string]string{at: text})
	made, err := p.register("t", at)
	must(t, err)
	next := strings.Replace(at, "v1.", "v2.", 1)
	log := `,"metadata-log":[{"metadata-file":"` + at + `","timestamp-ms":1}]`
	must(t, files.Put(ctx, "t/metadata/v2.metadata.json", []byte(text[:len(text)-1]+log+"}")))
	now, err := p.overwrite(next)
	must(t, err)
	if uuidOf(t, now) != uuidOf(t, made) || p.load(t, "t").MetadataLocation != next {
		t.Errorf("it is at %s", now.MetadataLocation)
	}
	_, err = p.repoint(catalog.Repoint{Identifier: id("t"), To: at, AllowRewind: true, Reason: "back"})
	must(t, err)
	moved, err := p.repoint(catalog.Repoint{Identifier: id("t"), Newest: true, Reason: "on"})
	must(t, err)
	if moved.To.MetadataLocation != next {
		t.Errorf("the newest is %s", moved.To.MetadataLocation)
	}
}

// One answer for whatever cannot be had, so that nobody learns what lies where.
func TestExternalSameAnswer(t *testing.T) {
	files := memory.New()
	faults := map[string]error{
		"denied": warehouse.ErrDenied, "forbidden": fs.ErrPermission, "link": warehouse.ErrLink, "bucket": warehouse.ErrNoBucket, "long": warehouse.ErrInvalidKey,
	}
	read := faulty.New(files, func(_ faulty.Op, key string) faulty.Fault {
		folder, _, _ := strings.Cut(key, "/")
		return faulty.Before(faults[folder])
	})
	p := fresh(t).beside(external(t, "old", old, read))
	places := []string{old + "/missing", old, "s3://old", "s3://elsewhere/t", "file:///etc/t", old + "/_puddle/catalog", old + "/their/wh/_PUDDLE/catalog", old + "/w/%5Fpuddle", old + "2/t"}
	for folder := range faults {
		places = append(places, old+"/"+folder)
	}
	for _, folder := range places {
		if key, ok := strings.CutPrefix(folder, old+"/"); ok && folder != old+"/missing" && faults[key] == nil {
			must(t, files.Put(ctx, key+"/v1.metadata.json", []byte(tableText(folder, ""))))
		}
		at := folder + "/v1.metadata.json"
		for kind, register := range map[string]func() error{
			"table": func() error { _, err := p.register("t", at); return err },
			"over":  func() error { _, err := p.overwrite(at); return err },
			"view":  func() error { _, err := p.RegisterView(ctx, cause, id("v"), at); return err },
		} {
			err := register()
			refused(t, err, catalog.Invalid)
			want := `metadata-location "` + at + `" is refused: it is outside of the warehouse, and no external warehouse has a file there that can be read`
			if err.Error() != want {
				t.Errorf("%s at %s: %v", kind, folder, err)
			}
		}
	}
	// A name that no metadata file has is refused unread, wherever it is.
	must(t, files.Put(ctx, "secrets/keys.json", []byte("{}")))
	for _, at := range []string{old + "/secrets/keys.json", old + "/secrets/none.json", "s3://elsewhere/keys.json"} {
		_, err := p.register("t", at)
		refused(t, err, catalog.Invalid, "it is not named as a metadata file is")
	}
}

// A store that does not answer is no missing file; what can be read is told about.
func TestExternalThatCanBeRead(t *testing.T) {
	away := true
	files := memory.New()
	p := fresh(t).beside(external(t, "old", old, faulty.New(files, func(faulty.Op, string) faulty.Fault {
		if away {
			return faulty.Before(errInjected)
		}
		return faulty.Fault{}
	})))
	at, text := v1("/t", "")
	must(t, files.Put(ctx, "t/metadata/v1.metadata.json", []byte(text)))
	_, err := p.register("t", at)
	refused(t, err, catalog.Unavailable)
	away = false
	_, err = p.register("t", at)
	must(t, err)
	for name, content := range map[string]string{"torn": text[:100], "empty": "", "a list": "[]", "a view": "{}"} {
		must(t, files.Put(ctx, "bad/metadata/v1.metadata.json", []byte(content)))
		_, err := p.register("bad", old+"/bad/metadata/v1.metadata.json")
		if refused(t, err, catalog.Invalid); strings.Contains(err.Error(), "no external warehouse has a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The file and all that its table owns lie in one external warehouse, or in the warehouse.
func TestExternalLocations(t *testing.T) {
	p, files := oldLake(t, nil)
	other := memory.New()
	p = p.beside(append(p.Externals, external(t, "other", "s3://other", other))...)
	own := p.ground.url
	property := func(name, value string) string { return `,"properties":{"` + name + `":"` + value + `"}` }
	for what, test := range map[string]struct{ location, members, want string }{
		"its location is in the warehouse":         {own + "/t", "", own + "/t"},
		"its location is in another":               {"s3://other/t", "", "the external warehouse old, and this is not"},
		"its location is nowhere":                  {"s3://nowhere/t", "", "s3://nowhere/t"},
		"its location is the root":                 {old, "", "root"},
		"its location is above the root":           {"s3://old", "", "root"},
		"its location leads out":                   {old + "/../t", "", "dot segment"},
		"its location is reserved":                 {old + "/t/_puddle", "", "reserved"},
		"its location is elsewhere":                {old + "/u", "", "neither below"},
		"its data is in the warehouse":             {old + "/t", property("write.data.path", own+"/d"), "write.data.path"},
		"its data is in another":                   {old + "/t", property("write.data.path", "s3://other/d"), "write.data.path"},
		"its metadata goes to the warehouse":       {old + "/t", property("write.metadata.path", own+"/d"), "write.metadata.path"},
		"its old data is reserved":                 {old + "/t", property("write.object-storage.path", old+"/wh/_puddle"), "reserved"},
		"it is cut to a reserved one":              {old + "/t", property("write.data.path", old+"/_puddle#x"), "reserved"},
		"its location is cut to one outside of it": {old + "#/t", "", "outside"},
	} {
		must(t, files.Put(ctx, "t/metadata/v1.metadata.json", []byte(tableText(test.location, test.members))))
		_, err := p.register("x", old+"/t/metadata/v1.metadata.json")
		t.Run(what, func(t *testing.T) { refused(t, err, catalog.Invalid, test.want) })
	}
	// And the other way round.
	for _, members := range []string{property("write.data.path", old+"/d"), property("write.metadata.path", old+"/d")} {
		at := p.given(t, own+"/t/metadata/"+read(t, []byte(tableText(own, ""))).UUID+".metadata.json", []byte(tableText(own+"/t", members)))
		_, err := p.register("x", at)
		refused(t, err, catalog.Invalid, "outside")
	}
	at := p.given(t, own+"/t/metadata/v9.metadata.json", []byte(tableText(old+"/t", "")))
	_, err := p.register("x", at)
	refused(t, err, catalog.Invalid, old+"/t", "outside")
	_, err = p.CreateTable(ctx, cause, newTable("x", old+"/x"))
	refused(t, err, catalog.Invalid, "outside")
	_, err = p.StageTable(ctx, newTable("x", "", "write.data.path", old+"/x"))
	refused(t, err, catalog.Invalid, "outside")
	_, err = p.CreateNamespace(ctx, cause, journal.Namespace{"m"}, map[string]string{"location": old + "/m"})
	refused(t, err, catalog.Invalid, "outside")
	p.table(t, "mine", "")
	_, err = p.commit(t, "mine", "", `{"action":"set-location","location":"`+old+`/mine"}`)
	refused(t, err, catalog.Invalid, "outside")
}

// Two tables never share a place, wherever it is.
func TestExternalPlacesAreTaken(t *testing.T) {
	p, files := oldLake(t, nil)
	for folder, members := range map[string]string{
		"/a": `,"properties":{"write.data.path":"` + old + `/data/a"}`, "/a/in": "", "/b": `,"properties":{"write.data.path":"` + old + `/data/a/b"}`, "/c": "",
	} {
		_, text := v1(folder, members)
		must(t, files.Put(ctx, folder[1:]+"/metadata/v1.metadata.json", []byte(text)))
	}
	_, err := p.register("a", old+"/a/metadata/v1.metadata.json")
	must(t, err)
	for _, folder := range []string{"/a/in", "/b"} {
		_, err := p.register("x", "s3a://old/lake"+folder+"/metadata/v1.metadata.json")
		refused(t, err, catalog.AlreadyExists, "overlaps")
	}
	_, err = p.register("c", old+"/c/metadata/v1.metadata.json")
	must(t, err)
	_, err = p.register("again", old+"/a/metadata/v1.metadata.json")
	refused(t, err, catalog.AlreadyExists)
}

// A commit that moves all of a table into the warehouse is written there; what lies in the
// external warehouse stays, whatever the table asks for.
func TestExternalMovesIn(t *testing.T) {
	at, text := v1("/t", `,"properties":{"`+deleteAfterCommit+`":"true","`+previousVersions+`":"1"}`)
	p, files := oldLake(t, map[string]string{at: text})
	_, err := p.register("t", at)
	must(t, err)
	home := p.ground.url + "/t"
	move := `{"action":"set-location","location":"` + home + `"}`
	_, err = p.commit(t, "t", "", move+","+set("write.metadata.path", old+"/t/metadata"))
	refused(t, err, catalog.Invalid, "write.metadata.path", "outside")
	moved, err := p.commit(t, "t", "", move)
	must(t, err)
	if !strings.HasPrefix(moved.MetadataLocation, home+"/metadata/") {
		t.Errorf("written at %s", moved.MetadataLocation)
	}
	for i := range 3 {
		_, err := p.commit(t, "t", "", set("k", string(rune('a'+i))))
		must(t, err)
	}
	if _, err := files.Stat(ctx, "t/metadata/v1.metadata.json"); err != nil {
		t.Errorf("what it came from: %v", err)
	}
	_, err = p.commit(t, "t", "", `{"action":"set-location","location":"`+old+`/t"}`)
	refused(t, err, catalog.Invalid, "outside")
}

// Views are registered and held as tables are.
func TestExternalView(t *testing.T) {
	p, files := oldLake(t, nil)
	made := p.view(t, "v", p.ground.url+"/v")
	text := strings.ReplaceAll(string(made.Metadata), p.ground.url, old)
	must(t, p.DropView(ctx, cause, id("v")))
	must(t, files.Put(ctx, "v/metadata/v1.metadata.json", []byte(text)))
	at := old + "/v/metadata/v1.metadata.json"
	_, err := p.RegisterView(ctx, cause, id("v"), at)
	must(t, err)
	if p.loadView(t, "v").MetadataLocation != at {
		t.Error("it is not where it was registered")
	}
	_, err = p.commitView(t, "v", "", replace("select 2"))
	refused(t, err, catalog.ReadOnly, "external warehouse old")
	must(t, p.RenameView(ctx, cause, id("v"), id("w")))
	must(t, p.DropView(ctx, cause, id("w")))
	_, err = p.undrop("w")
	must(t, err)
}

// Case 138: no link in a folder is followed, and none tells what it leads to.
func TestCase138_ExternalLinks(t *testing.T) {
	base := t.TempDir()
	url := "file://" + base + "/old"
	text := tableText(url+"/t", "")
	for file, content := range map[string]string{"old/t/metadata/v1.metadata.json": text, "out/metadata/v1.metadata.json": text} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(base, file)), 0o700))
		must(t, os.WriteFile(filepath.Join(base, file), []byte(content), 0o600))
	}
	for link, to := range map[string]string{"old/out": "../out", "old/in": "t", "old/t/metadata/v2.metadata.json": "v1.metadata.json", "old/t/metadata/v3.metadata.json": "nowhere"} {
		must(t, os.Symlink(to, filepath.Join(base, link)))
	}
	files, err := dir.Existing(base + "/old")
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	p := fresh(t).beside(external(t, "old", url, files))
	for _, at := range []string{"/out/metadata/v1.metadata.json", "/in/metadata/v1.metadata.json", "/t/metadata/v2.metadata.json", "/t/metadata/v3.metadata.json", "/t/metadata/v4.metadata.json"} {
		_, err := p.register("x", url+at)
		refused(t, err, catalog.Invalid, "no external warehouse has a file there that can be read")
	}
	_, err = p.register("x", url+"/t/../t/metadata/v1.metadata.json")
	refused(t, err, catalog.Invalid, "dot segment")
	_, err = p.register("t", url+"/t/metadata/v1.metadata.json")
	must(t, err)
	if _, err := dir.Existing(base + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// A place that becomes a location of the warehouse makes its tables ordinary ones.
func TestExternalBecomesOwn(t *testing.T) {
	at, text := v1("/t", "")
	p, files := oldLake(t, map[string]string{at: text})
	_, err := p.register("t", at)
	must(t, err)
	owns := p.beside().allowing(t, map[string]warehouse.Store{old: files})
	next, err := owns.commit(t, "t", "", set("k", "v"))
	must(t, err)
	if !strings.HasPrefix(next.MetadataLocation, old+"/t/metadata/00002-") {
		t.Errorf("written at %s", next.MetadataLocation)
	}
	// And back: the commit is read, and no other is made.
	if p.load(t, "t").MetadataLocation != next.MetadataLocation {
		t.Error("the commit is not read")
	}
	_, err = p.commit(t, "t", "", set("k", "w"))
	refused(t, err, catalog.ReadOnly)
}

// Without its external warehouse in the configuration a table is listed and dropped, and
// not read.
func TestExternalIsTakenAway(t *testing.T) {
	at, text := v1("/t", "")
	p, _ := oldLake(t, map[string]string{at: text})
	_, err := p.register("t", at)
	must(t, err)
	alone := p.beside()
	_, err = alone.LoadTable(ctx, id("t"))
	refused(t, err, catalog.FileMissing, "outside of the warehouse")
	must(t, alone.DropTable(ctx, cause, id("t"), false))
	_, err = alone.undrop("t")
	refused(t, err, catalog.FileMissing)
	_, err = p.undrop("t")
	must(t, err)
}
