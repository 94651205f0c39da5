package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/rest/catalog"
)

// bare is a file of format version 1 without a uuid.
func bare(location, members string) []byte {
	return fmt.Appendf(nil, `{"format-version":1,"location":%q,"last-updated-ms":%d,"last-column-id":2%s}`, location, epoch, members)
}

const (
	single = `,"schema":{"type":"struct","fields":[{"id":1,"name":"id","required":true,"type":"long"}]},"partition-spec":[]`
	listed = `,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id","required":true,"type":"long"}]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}]`
)

// A file without a uuid gets one, once: every load shows it, restarts included, and
// the first commit writes it.
func TestCase3_NoUUID(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		ids := map[string]bool{}
		for name, members := range map[string]string{"a": single, "b": listed} { // case 5
			file := bare(g.url+"/"+name, members)
			at := p.given(t, g.url+"/"+name+"/metadata/v1.metadata.json", file)
			made, err := p.register(name, at)
			must(t, err)
			minted := uuid.MustParse(read(t, made.Metadata).UUID)
			if ids[minted.String()] = true; minted == uuid.Nil {
				t.Error("the zero uuid")
			}
			if diff := cmp.Diff(made, p.load(t, name)); diff != "" {
				t.Error(diff)
			}
			if string(fileAt(t, g, at)) != string(file) {
				t.Error("the file was written")
			}
			requirement := fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q}`, minted)
			same, err := p.commit(t, name, requirement, "")
			must(t, err)
			if diff := cmp.Diff(made, same); diff != "" {
				t.Errorf("a commit without effect: %s", diff)
			}
			next, err := p.commit(t, name, requirement, set("k", "v"))
			must(t, err)
			if d := read(t, fileAt(t, g, next.MetadataLocation)); d.UUID != minted.String() {
				t.Errorf("the next file has the uuid %q", d.UUID)
			}
		}
		if len(ids) != 2 {
			t.Errorf("uuids: %v", ids)
		}
		audit(t, g)
	})
	p := fresh(t)
	at := p.given(t, p.ground.url+"/x/metadata/v1.metadata.json", bare(p.ground.url+"/x", strings.Replace(listed, `"current-schema-id":0,`, "", 1)))
	_, err := p.register("x", at)
	refused(t, err, catalog.Invalid, "current-schema-id")
}

// One document may be that of several tables in turn, and lie at several places:
// each commit goes on from its own.
func TestCase3_OneDocumentOfManyTables(t *testing.T) {
	p := fresh(t)
	u := p.ground.url
	file := bare(u+"/a", single)
	for _, test := range []struct{ file, updates, next string }{
		{"v1.metadata.json", "", "v1.metadata.json"}, // read, and not gone on from
		{"v1.metadata.json", set("k", "v"), "/00002-"},
		{"00041-x.metadata.json", set("k", "v"), "/00042-"},
	} {
		at := u + "/a/metadata/" + test.file
		_ = p.ground.files.Create(ctx, key(t, p.ground, at), file) // or it is there
		made, err := p.register("a", at)
		must(t, err)
		minted := read(t, made.Metadata).UUID
		next, err := p.commit(t, "a", fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q}`, minted), test.updates)
		must(t, err)
		if d := read(t, next.Metadata); d.UUID != minted || !strings.Contains(next.MetadataLocation, test.next) ||
			test.updates != "" && !cmp.Equal(d.MetadataLog, []docLog{{at}}) {
			t.Errorf("after %s of %s: %s, %+v", at, minted, next.MetadataLocation, d)
		}
		must(t, p.DropTable(ctx, cause, id("a"), false))
	}
	audit(t, p.ground)
}
