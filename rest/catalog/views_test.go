package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// viewVersion is a version with one query.
func viewVersion(sql, dialect string) jsontext.Value {
	return fmt.Appendf(nil, `{"version-id":1,"timestamp-ms":%d,"schema-id":0,"summary":{},"representations":[{"type":"sql","sql":%q,"dialect":%q}],"default-namespace":["n"]}`,
		int64(epoch), sql, dialect)
}

// newView asks for a view n.name; location "" is the default one.
func newView(name, location string, properties ...string) catalog.NewView {
	like := newTable(name, location, properties...)
	return catalog.NewView{Identifier: like.Identifier, Location: location, Schema: schema, Version: viewVersion("select 1", "spark"), Properties: like.Properties}
}

// view makes a view n.name.
func (p *process) view(tb rapid.TB, name, location string, properties ...string) catalog.View {
	tb.Helper()
	v, err := p.CreateView(ctx, cause, newView(name, location, properties...))
	must(tb, err)
	return v
}

func (p *process) loadView(tb rapid.TB, name string) catalog.View {
	tb.Helper()
	v, err := p.LoadView(ctx, id(name))
	must(tb, err)
	return v
}

// commitView applies a change to the view n.name: the elements of both lists.
func (p *process) commitView(tb rapid.TB, name, requirements, updates string) (catalog.View, error) {
	tb.Helper()
	return commitViewOver(tb, p.Catalog, cause, name, requirements, updates)
}

func commitViewOver(tb rapid.TB, c *catalog.Catalog, who journal.Cause, name, requirements, updates string) (catalog.View, error) {
	tb.Helper()
	reqs, ups, err := metadata.DecodeViewCommit(fmt.Appendf(nil, `{"requirements":[%s],"updates":[%s]}`, requirements, updates))
	must(tb, err)
	return c.CommitView(ctx, who, id(name), reqs, ups)
}

// replace are the updates that give a view another query.
func replace(sql string) string {
	return fmt.Sprintf(`{"action":"add-view-version","view-version":%s},{"action":"set-current-view-version","view-version-id":-1}`, viewVersion(sql, "spark"))
}

// viewDoc is what tests look at in a view's metadata file.
type viewDoc struct {
	UUID       uuid.UUID         `json:"view-uuid"`
	Location   string            `json:"location"`
	Properties map[string]string `json:"properties"`
	Current    int               `json:"current-version-id"`
	Versions   []struct {
		ID int `json:"version-id"`
	} `json:"versions"`
	Log []struct {
		Version int `json:"version-id"`
	} `json:"version-log"`
}

func (d viewDoc) versions() (ids []int) {
	for _, v := range d.Versions {
		ids = append(ids, v.ID)
	}
	return ids
}

func readView(tb rapid.TB, v catalog.View) viewDoc {
	tb.Helper()
	var d viewDoc
	must(tb, json.Unmarshal(v.Metadata, &d))
	return d
}

func viewPointer(v catalog.View) journal.Pointer {
	return pointer(catalog.Table{MetadataLocation: v.MetadataLocation, Metadata: v.Metadata})
}

// The events of a view's life, with what clients see of it between them.
func TestViews(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		place := []journal.Place{{Path: path(t, g.url+"/place"), Role: "location"}}
		event := func(want journal.Body) {
			t.Helper()
			if diff := cmp.Diff(want, last(t, g).Body); diff != "" {
				t.Error(diff)
			}
		}
		first := p.view(t, "v", g.url+"/place/")
		object := readView(t, first).UUID
		born := &journal.To{Identifier: id("v"), Location: g.url + "/place", Pointer: viewPointer(first), Places: place}
		event(journal.ViewCreated{Moves: [1]journal.Move{{Kind: journal.View, UUID: object, To: born}}})
		if diff := cmp.Diff(first, p.loadView(t, "v")); diff != "" {
			t.Errorf("created and loaded differ: %s", diff)
		}

		next, err := p.commitView(t, "v", fmt.Sprintf(`{"type":"assert-view-uuid","uuid":%q}`, object), replace("select 2"))
		must(t, err)
		moved := &journal.To{Identifier: id("v"), Location: g.url + "/place", Pointer: viewPointer(next), Places: place}
		event(journal.ViewReplaced{Moves: [1]journal.Move{{
			Kind: journal.View, UUID: object, Updates: []string{"add-view-version", "set-current-view-version"},
			From: &journal.From{Identifier: id("v"), Pointer: viewPointer(first)}, To: moved,
		}}})
		if diff := cmp.Diff(next, p.loadView(t, "v")); diff != "" || readView(t, next).Current != 2 {
			t.Errorf("committed and loaded differ: %s", diff)
		}

		must(t, p.RenameView(ctx, cause, id("v"), id("w")))
		named := *moved
		named.Identifier = id("w")
		event(journal.ViewRenamed{Moves: [1]journal.Move{{
			Kind: journal.View, UUID: object, From: &journal.From{Identifier: id("v"), Pointer: viewPointer(next)}, To: &named,
		}}})
		refused(t, p.ViewExists(ctx, id("v")), catalog.NoSuchView, "View does not exist: n.v")

		had := files(t, g)
		must(t, p.DropView(ctx, cause, id("w")))
		event(journal.ViewDropped{Moves: [1]journal.Move{{
			Kind: journal.View, UUID: object, From: &journal.From{Identifier: id("w"), Pointer: viewPointer(next)},
		}}})
		refused(t, p.DropView(ctx, cause, id("w")), catalog.NoSuchView, "View does not exist: n.w")
		if diff := cmp.Diff(had, files(t, g)); diff != "" {
			t.Errorf("files: %s", diff)
		}
		p.view(t, "w", g.url+"/place") // name and place are free again
	})
}

func TestViewLocations(t *testing.T) {
	p := fresh(t)
	p.namespace(t, map[string]string{"location": p.ground.url + "/own/"}, "m")
	for _, c := range []struct {
		namespace, location, metadata, want string
	}{
		{"n", "", "", p.ground.url + "/UUID/metadata/"},
		{"m", "", "", p.ground.url + "/own/UUID/metadata/"},
		{"n", p.ground.url + "/a/b/", "", p.ground.url + "/a/b/metadata/"},
		{"n", "", p.ground.url + "/c/", p.ground.url + "/c/"},
	} {
		v := newView("v"+uuid.NewString(), c.location)
		v.Identifier.Namespace = journal.Namespace{c.namespace}
		if c.metadata != "" {
			v.Properties["write.metadata.path"] = c.metadata
		}
		made, err := p.CreateView(ctx, cause, v)
		must(t, err)
		want := strings.ReplaceAll(c.want, "UUID", readView(t, made).UUID.String()) + "00000-"
		if !strings.HasPrefix(made.MetadataLocation, want) {
			t.Errorf("%+v: %s, want %s", c, made.MetadataLocation, want)
		}
	}
	audit(t, p.ground)
}

func TestViewIsRefused(t *testing.T) {
	p := fresh(t)
	p.view(t, "v", "")
	p.table(t, "t", p.ground.url+"/t")
	had := files(t, p.ground)
	create := func(v catalog.NewView) error { _, err := p.CreateView(ctx, cause, v); return err }
	commit := func(name, requirements, updates string) error {
		_, err := p.commitView(t, name, requirements, updates)
		return err
	}
	nowhere, twice := newView("v", ""), newView("x", "")
	nowhere.Identifier.Namespace = journal.Namespace{"none"}
	twice.Version = []byte(strings.Replace(string(twice.Version), "[{", `[{"type":"sql","sql":"s","dialect":"SPARK"},{`, 1))
	for _, c := range []struct {
		what string
		err  error
		code catalog.Code
		text string
	}{
		{"namespace", create(nowhere), catalog.NoSuchNamespace, "Namespace does not exist: none"},
		{"name", create(newView("v", "")), catalog.AlreadyExists, "View already exists: n.v"},
		{"no name", create(newView("..", "")), catalog.Invalid, "reserved"},
		{"dialect", create(twice), catalog.IllegalArgument, "Invalid view version: Cannot add multiple queries for dialect spark"},
		{"outside", create(newView("x", "s3://other/x")), catalog.Invalid, "s3://other/x"},
		{"metadata outside", create(newView("x", "", "write.metadata.path", p.ground.url)), catalog.Invalid, "write.metadata.path"},
		{"place", create(newView("x", p.ground.url+"/t/views")), catalog.AlreadyExists, "overlaps"},
		{"place of files", create(newView("x", "", "write.metadata.path", p.ground.url+"/t")), catalog.AlreadyExists, "overlaps"},
		{"place by commit", commit("v", "", set("write.metadata.path", p.ground.url+"/t")), catalog.AlreadyExists, "overlaps"},
		{"location by commit", commit("v", "", `{"action":"set-location","location":"`+p.ground.url+`/_puddle/v"}`), catalog.Invalid, "reserved"},
		{"uuid", commit("v", `{"type":"assert-view-uuid","uuid":"`+uuid.NewString()+`"}`, set("k", "v")), catalog.CommitFailed, "Requirement failed: view UUID does not match"},
		{"version", commit("v", "", `{"action":"set-current-view-version","view-version-id":9}`), catalog.Invalid, "9"},
		{"view", commit("x", "", set("k", "v")), catalog.NoSuchView, "View does not exist: n.x"},
		{"size", commit("v", "", set("k", strings.Repeat("x", catalog.MaxPropertiesBytes))), catalog.Invalid, "limit"},
	} {
		t.Run(c.what, func(t *testing.T) { refused(t, c.err, c.code, c.text) })
	}
	_, err := p.LoadView(ctx, nowhere.Identifier)
	refused(t, err, catalog.NoSuchView, "View does not exist: none.v")
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(audit(t, p.ground)) != 3 {
		t.Errorf("a refusal left something: %s", diff)
	}
}

// Case 128 for views: a commit without effect makes no file and no event.
func TestCase128_ViewWithoutEffect(t *testing.T) {
	p := fresh(t)
	v := p.view(t, "v", "", "k", "v")
	had, events := files(t, p.ground), len(audit(t, p.ground))
	for _, updates := range []string{"", set("k", "v"), replace("select 1"), `{"action":"upgrade-format-version","format-version":1}`} {
		same, err := p.commitView(t, "v", "", updates)
		must(t, err)
		if diff := cmp.Diff(v, same); diff != "" {
			t.Errorf("%s: %s", updates, diff)
		}
	}
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(audit(t, p.ground)) != events {
		t.Errorf("something was written: %s", diff)
	}
}

// Case 63: with room for one version, the current one is never expired, and the
// log changes when the current version does.
func TestCase63_CurrentVersionStays(t *testing.T) {
	p := fresh(t)
	p.view(t, "v", "", "version.history.num-entries", "1", "replace.drop-dialect.allowed", "true")
	add := func(n int) string {
		return fmt.Sprintf(`{"action":"add-view-version","view-version":%s}`, viewVersion(fmt.Sprint("select ", n), "spark"))
	}
	_, err := p.commitView(t, "v", "", replace("select 2"))
	must(t, err)
	for n := 3; n < 15; n++ {
		v, err := p.commitView(t, "v", "", add(n))
		must(t, err)
		d := readView(t, v)
		if d.Current != 2 || len(d.Log) != 1 || d.Log[0].Version != 2 {
			t.Errorf("after %d: current %d, log %v", n, d.Current, d.Log)
		}
		if diff := cmp.Diff([]int{2, n}, d.versions()); diff != "" {
			t.Errorf("versions: %s", diff)
		}
	}
	audit(t, p.ground)
}

// Case 43 for views: a file that is gone hinders what needs it and nothing else.
func TestCase43_FileOfAViewIsGone(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		for name, spoil := range map[string]func(k string, file []byte){
			"gone":    func(k string, _ []byte) { must(t, g.files.Delete(ctx, k)) },
			"changed": func(k string, file []byte) { must(t, g.files.Put(ctx, k, append(file[:len(file)-1:len(file)-1], ' '))) },
		} {
			v := p.view(t, name, "")
			spoil(key(t, g, v.MetadataLocation), v.Metadata)
			_, err := p.LoadView(ctx, id(name))
			refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+v.MetadataLocation)
			_, err = p.commitView(t, name, "", set("k", "v"))
			refused(t, err, catalog.FileMissing, "Failed to open input stream for file: "+v.MetadataLocation)
			must(t, p.ViewExists(ctx, id(name)))
			must(t, p.RenameView(ctx, cause, id(name), id(name+"2")))
			must(t, p.DropView(ctx, cause, id(name+"2")))
		}
		auditTables(t, g)
	})
}

func TestViewsAreListedWithoutStorage(t *testing.T) {
	p := fresh(t)
	for _, name := range []string{"b", "a", "é"} {
		p.view(t, name, "")
	}
	p.table(t, "t", "")
	c := p.over(t, func(op faulty.Op, k string) faulty.Fault {
		t.Errorf("%s %s", op, k)
		return faulty.Before(errInjected)
	})
	names, err := c.Views(ctx, journal.Namespace{"n"}, projections.Page{})
	must(t, err)
	if strings.Join(names, " ") != "a b é" {
		t.Errorf("views: %q", names)
	}
	names, err = c.Views(ctx, journal.Namespace{"n"}, projections.Page{After: "a", Limit: 1})
	must(t, err)
	if strings.Join(names, " ") != "b" {
		t.Errorf("a page of views: %q", names)
	}
	_, err = c.Views(ctx, journal.Namespace{"x"}, projections.Page{})
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: x")
	must(t, c.RenameView(ctx, cause, id("a"), id("c")))
	must(t, c.DropView(ctx, cause, id("c")))
}
