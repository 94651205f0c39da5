package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// strange is a metadata file with fields that no specification knows, at every
// level, and with spellings that a decoder would change.
const strange = `{ "format-version" : 2, "x-owner":{"a":1,"b":[1e400, "\u00e9" ]}, "table-uuid":%q,"location":%q,` +
	`"last-sequence-number":1,"last-updated-ms":%d,"last-column-id":2,"current-schema-id":0,` +
	`"schemas":[{"type":"struct","x-schema":true,"schema-id":0,"fields":[{"id":1,"name":"id","required":true,"type":"long","x-field":{"deep":[0.10]}}]}],` +
	`"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[],"x-spec":null}],"last-partition-id":999,` +
	`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[],"x-order":-0}],"properties":{"kept":"\u003c"},` +
	`"current-snapshot-id":9007199254740993,"refs":{"main":{"snapshot-id":9007199254740993,"type":"branch","x-ref":1}},` +
	`"snapshots":[{"snapshot-id":9007199254740993,"sequence-number":1,"timestamp-ms":%d,"manifest-list":"s3:\/\/lake\/wh\/m","x-snapshot":12345678901234567890}],` +
	`"snapshot-log":[{"timestamp-ms":%d,"snapshot-id":9007199254740993,"x-log":"l"}],"metadata-log":[]}`

// kept is what survives every commit, byte for byte.
var kept = []string{
	`"x-owner":{"a":1,"b":[1e400, "\u00e9" ]}`, `"x-schema":true`, `"x-field":{"deep":[0.10]}`, `"x-spec":null`, `"x-order":-0`,
	`"kept":"\u003c"`, `"x-snapshot":12345678901234567890`, `"s3:\/\/lake\/wh\/m"`, `"x-log":"l"`, `9007199254740993`,
}

// adopt makes n.strange of the strange file, as registering it would.
func (p *process) adopt(tb rapid.TB) catalog.Table {
	tb.Helper()
	id, at := uuid.New(), int64(epoch)
	location := p.ground.url + "/" + id.String()
	file := fmt.Appendf(nil, strange, id, location, at, at, at)
	table := catalog.Table{MetadataLocation: location + "/metadata/v1.metadata.json", Metadata: file}
	must(tb, p.ground.files.Create(ctx, key(tb, p.ground, table.MetadataLocation), file))
	d, err := metadata.Parse(file, table.MetadataLocation)
	must(tb, err)
	snapshot, _ := d.CurrentSnapshotID()
	l, err := warehouse.ParseLocation(location)
	must(tb, err)
	kept, _ := journal.KeepDocument(0, file, journal.MaxDocumentBytes)
	_, err = p.recorder.Record(ctx, journal.Draft{
		Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Documents: []journal.Document{kept},
		Body: journal.TableCreated{Moves: [1]journal.Move{{
			Kind: journal.Table, UUID: id, SnapshotID: &snapshot, To: &journal.To{
				Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "strange"},
				Location:   location, Places: []journal.Place{{Path: l.Path(), Role: "location"}}, Pointer: pointer(table),
			},
		}}},
	})
	must(tb, err)
	return table
}

// Law 10.
func TestLawUnknownFieldsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := inMemory(rt, "").start(rt, nil)
		defer p.stop(rt)
		p.namespace(rt, nil, "n")
		now := p.adopt(rt)
		next := int64(100)
		for range rapid.IntRange(1, 6).Draw(rt, "commits") {
			next++
			requirements, updates := drawUpdates(rt, now, next)
			var err error
			now, err = p.commit(rt, "strange", requirements, updates)
			must(rt, err)
			for _, text := range kept {
				if !bytes.Contains(now.Metadata, []byte(text)) {
					rt.Fatalf("%s is lost in %s", text, now.Metadata)
				}
			}
		}
		audit(rt, p.ground)
	})
}

func drawUpdates(t *rapid.T, now catalog.Table, next int64) (requirements, updates string) {
	switch rapid.SampledFrom([]string{"append", "branch", "schema", "spec", "order", "set", "remove"}).Draw(t, "update") {
	case "append":
		return appendTo(t, now, "main", next)
	case "branch":
		return appendTo(t, now, fmt.Sprint("b", next), next)
	case "schema":
		return "", fmt.Sprintf(`{"action":"add-schema","schema":{"type":"struct","fields":[{"id":1,"name":"id","required":true,"type":"long"},`+
			`{"id":%d,"name":"c%d","required":false,"type":"string","x-new":[%d]}]}},{"action":"set-current-schema","schema-id":-1}`, next, next, next)
	case "spec":
		return "", fmt.Sprintf(`{"action":"add-spec","spec":{"fields":[{"source-id":1,"name":"p%d","transform":"bucket[%d]"}]}},`+
			`{"action":"set-default-spec","spec-id":-1}`, next, next)
	case "order":
		return "", fmt.Sprintf(`{"action":"add-sort-order","sort-order":{"order-id":1,"fields":[{"source-id":1,"transform":"bucket[%d]",`+
			`"direction":"asc","null-order":"nulls-first"}]}}`, next)
	case "set":
		return "", set("k", fmt.Sprint(next))
	}
	return "", set("k", fmt.Sprint(next)) + `,{"action":"remove-properties","removals":["k"]}`
}

// Law 11: whichever tables are broken, the others are listed, loaded, changed,
// renamed, dropped and brought back, and so are the broken ones, but for what needs
// their file; and each can be moved to a file that is whole.
func TestLawBrokenTablesBlockNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := inMemory(rt, "").start(rt, nil)
		defer p.stop(rt)
		p.namespace(rt, nil, "n")
		all := []string{"a", "b", "c", "d"}
		broken, first := map[string]bool{}, map[string]string{}
		for _, name := range all {
			first[name] = p.table(rt, name, "").MetadataLocation
			table, err := p.commit(rt, name, "", set("k", "first"))
			must(rt, err)
			at := key(rt, p.ground, table.MetadataLocation)
			switch rapid.SampledFrom([]string{"", "gone", "empty", "other"}).Draw(rt, name) {
			case "":
				continue
			case "gone":
				must(rt, p.ground.files.Delete(ctx, at))
			case "empty":
				must(rt, p.ground.files.Put(ctx, at, nil))
			case "other":
				must(rt, p.ground.files.Put(ctx, at, []byte(`{"format-version":99}`)))
			}
			broken[name] = true
		}
		listed, err := p.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
		must(rt, err)
		if !slices.Equal(listed, all) {
			rt.Fatalf("listed %q", listed)
		}
		for _, name := range all {
			_, loading := p.LoadTable(ctx, id(name))
			_, committing := p.commit(rt, name, "", set("k", "v"))
			for _, err := range []error{loading, committing} {
				if broken[name] {
					refused(rt, err, catalog.FileMissing)
				} else {
					must(rt, err)
				}
			}
			must(rt, errors.Join(p.TableExists(ctx, id(name)), p.RenameTable(ctx, cause, id(name), id(name+"2"))))
			p.dropAndReturn(rt, name+"2", first[name], broken[name])
		}
		auditTables(rt, p.ground)
	})
}

// dropAndReturn drops a table and brings it back. A broken one comes back once it
// is at a file that is whole.
func (p *process) dropAndReturn(t *rapid.T, name, whole string, broken bool) {
	if broken && rapid.Bool().Draw(t, "repointed") {
		_, err := p.Repoint(ctx, cause, catalog.Repoint{Identifier: id(name), To: whole, AllowRewind: true, Reason: "it is broken"})
		must(t, err)
		broken = false
	}
	must(t, p.DropTable(ctx, cause, id(name), rapid.Bool().Draw(t, "purge")))
	_, err := p.Undrop(ctx, cause, catalog.Undrop{Identifier: id(name)})
	if broken {
		refused(t, err, catalog.FileMissing, "Failed to open input stream for file: ")
		return
	}
	must(t, err)
	p.load(t, name)
}
