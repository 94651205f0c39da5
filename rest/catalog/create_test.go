package catalog_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/journal"
	"puddle/rest/catalog"
)

func TestCreate(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		table, err := p.CreateTable(ctx, called("create"), newTable("t", "", "owner", "me", "write.data.path", g.url+"/data/t"))
		must(t, err)
		d := read(t, table.Metadata)
		if want := g.url + "/" + d.UUID; d.Location != want {
			t.Errorf("default location %s, want %s", d.Location, want)
		}
		if !strings.HasPrefix(table.MetadataLocation, d.Location+"/metadata/00000-") || !strings.HasSuffix(table.MetadataLocation, ".metadata.json") {
			t.Errorf("metadata file %s", table.MetadataLocation)
		}
		if d.Properties["owner"] != "me" || d.FormatVersion != 2 || d.LastColumn != 2 {
			t.Errorf("made %+v", d)
		}
		if diff := cmp.Diff(table, p.load(t, "t")); diff != "" {
			t.Errorf("made and loaded differ: %s", diff)
		}
		must(t, p.TableExists(ctx, id("t")))

		e := last(t, g)
		want := journal.TableCreated{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: uuid.MustParse(d.UUID), To: &journal.To{
				Identifier: id("t"), Location: d.Location, Pointer: pointer(table), Places: []journal.Place{
					{Path: path(t, d.Location), Role: "location"}, {Path: path(t, g.url+"/data/t"), Role: "write.data.path"},
				},
			},
		}}}
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "create" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
	})
}

// pointer is what an event says of a file.
func pointer(table catalog.Table) journal.Pointer {
	sum := journal.Sum(table.Metadata)
	return journal.Pointer{
		MetadataLocation: table.MetadataLocation, Size: int64(len(table.Metadata)), SHA256: sum, DocumentSHA256: sum, Encoding: journal.EncodingNone,
	}
}

// path is the normalised form of a location.
func path(t *testing.T, location string) string {
	t.Helper()
	l, err := warehouse.ParseLocation(location)
	must(t, err)
	return l.Path()
}

func TestCreateIsRefused(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	had := files(t, p.ground)
	for _, c := range []struct {
		what  string
		table catalog.NewTable
		code  catalog.Code
		text  string
	}{
		{"taken", newTable("t", ""), catalog.AlreadyExists, "Table already exists: n.t"},
		{"no namespace", catalog.NewTable{Identifier: journal.Identifier{Namespace: journal.Namespace{"non-existing"}, Name: "t"}, Schema: schema},
			catalog.NoSuchNamespace, "Namespace does not exist: non-existing"},
		{"no schema", catalog.NewTable{Identifier: id("u")}, catalog.Invalid, "schema"},
		{"bad schema", catalog.NewTable{Identifier: id("u"), Schema: jsontext.Value(`{"type":"list"}`)}, catalog.Invalid, ""},
		{"bad name", newTable("a\x00b", ""), catalog.Invalid, "control character"},
		{"empty name", newTable("", ""), catalog.Invalid, "empty"},
		{"reserved property", newTable("u", "", "current-schema", "{}"), catalog.Invalid, "current-schema"},
		{"later version", newTable("u", "", "format-version", "99"), catalog.Invalid, "99"},
		{"too many properties", newTable("u", "", "big", strings.Repeat("x", catalog.MaxPropertiesBytes)), catalog.Invalid, "1048576"},
	} {
		_, err := p.CreateTable(ctx, cause, c.table)
		t.Run(c.what, func(t *testing.T) { refused(t, err, c.code, c.text) })
	}
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(audit(t, p.ground)) != 2 {
		t.Errorf("a refusal left something: %s", diff)
	}
}

// A staged create keeps nothing, but for two empty folders that a client of a
// local warehouse needs (interface §5.12).
func TestStage(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		staged, err := p.StageTable(ctx, newTable("t", "", "owner", "me"))
		must(t, err)
		d := read(t, staged.Metadata)
		if staged.MetadataLocation != "" || d.Location != g.url+"/"+d.UUID || d.Properties["owner"] != "me" {
			t.Errorf("staged %s: %+v", staged.MetadataLocation, d)
		}
		refused(t, p.TableExists(ctx, id("t")), catalog.NoSuchTable)
		if made := files(t, g); len(made) != 0 || len(audit(t, g)) != 1 {
			t.Errorf("a staged create kept %q", made)
		}
		if _, isDisk := g.files.(*dir.Store); isDisk {
			for _, folder := range []string{"metadata", "data"} {
				mustBeFolder(t, strings.TrimPrefix(d.Location, "file://")+"/"+folder)
			}
		}
	})
}

func TestStageIsRefused(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	_, err := p.StageTable(ctx, newTable("t", ""))
	refused(t, err, catalog.AlreadyExists, "Table already exists: n.t")
	_, err = p.StageTable(ctx, newTable("u", "s3://elsewhere/u"))
	refused(t, err, catalog.Invalid, "s3://elsewhere/u")
	_, err = p.StageTable(ctx, newTable("u", "", "write.metadata.path", p.ground.url))
	refused(t, err, catalog.Invalid, "write.metadata.path")
	nowhere := newTable("u", "")
	nowhere.Identifier.Namespace = journal.Namespace{"nope"}
	_, err = p.StageTable(ctx, nowhere)
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: nope")
}

// The uuid and the ids of a staged create are those of the commit.
func TestCase109_StagedCreateCommits(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		staged, err := p.StageTable(ctx, newTable("t", "", "owner", "me"))
		must(t, err)
		loaded := catalog.Table{Metadata: staged.Metadata}
		_, appended := appendTo(t, loaded, "main", 4598286611352242712)
		table, err := commitOver(t, p.Catalog, called("create"), change(t, "t", assertCreate, births(t, staged)+","+appended))
		must(t, err)
		if diff := cmp.Diff(table, p.load(t, "t")); diff != "" {
			t.Errorf("committed and loaded differ: %s", diff)
		}
		want, got := read(t, staged.Metadata), read(t, table.Metadata)
		if got.UUID != want.UUID || got.Location != want.Location || got.DefaultSpec != want.DefaultSpec || got.CurrentSchema != want.CurrentSchema ||
			got.Current != 4598286611352242712 {
			t.Errorf("staged %+v, committed %+v", want, got)
		}
		e := last(t, g)
		move := e.Moves()[0]
		if e.Kind() != journal.KindTableCreated || move.From != nil || *move.SnapshotID != got.Current || move.UUID.String() != want.UUID {
			t.Errorf("event %s %+v", e.Kind(), move)
		}
		actions := []string{
			"assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "add-spec", "set-default-spec",
			"add-sort-order", "set-default-sort-order", "set-location", "add-snapshot", "set-snapshot-ref",
		}
		if diff := cmp.Diff(actions, move.Updates); diff != "" {
			t.Error(diff)
		}
	})
}

// Who loses the race for a name learns it as a requirement that failed, and its
// file is gone.
func TestStagedCreateLosesTheName(t *testing.T) {
	p := fresh(t)
	staged, err := p.StageTable(ctx, newTable("t", ""))
	must(t, err)
	p.table(t, "t", "")
	_, err = p.commit(t, "t", assertCreate, births(t, staged))
	refused(t, err, catalog.CommitFailed)
	if !strings.HasPrefix(err.Error(), "Requirement failed: table already exists") {
		t.Errorf("clients read %q", err)
	}
	_, err = p.commit(t, "t", assertCreate+`,{"type":"assert-current-schema-id","current-schema-id":0}`, births(t, staged))
	refused(t, err, catalog.Invalid, "assert-create")
	nowhere := change(t, "t", assertCreate, births(t, staged))
	nowhere.Identifier.Namespace = journal.Namespace{"nope"}
	_, err = commitOver(t, p.Catalog, cause, nowhere)
	refused(t, err, catalog.NoSuchNamespace, "Namespace does not exist: nope")
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A uuid is born once: also that of a dropped table stays its own.
func TestUUIDIsTaken(t *testing.T) {
	p := fresh(t)
	staged, err := p.StageTable(ctx, newTable("t", ""))
	must(t, err)
	_, err = p.commit(t, "t", assertCreate, births(t, staged))
	must(t, err)
	uuid := read(t, staged.Metadata).UUID
	_, err = p.commit(t, "u", assertCreate, births(t, staged))
	refused(t, err, catalog.AlreadyExists, uuid)
	must(t, p.DropTable(ctx, cause, id("t"), false))
	_, err = p.commit(t, "u", assertCreate, births(t, staged))
	refused(t, err, catalog.AlreadyExists, uuid)
	if left := strays(t, p.ground, audit(t, p.ground)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
