package catalog_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// schema is what tables of tests look like.
var schema = jsontext.Value(`{"type":"struct","schema-id":0,"fields":[` +
	`{"id":1,"name":"id","required":true,"type":"long"},{"id":2,"name":"data","required":false,"type":"string"}]}`)

// id is a table in the namespace n.
func id(name string) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{"n"}, Name: name}
}

// newTable asks for a table n.name; location "" is the default one.
func newTable(name, location string, properties ...string) catalog.NewTable {
	t := catalog.NewTable{Identifier: id(name), Location: location, Schema: schema, Properties: map[string]string{}}
	for i := 0; i < len(properties); i += 2 {
		t.Properties[properties[i]] = properties[i+1]
	}
	return t
}

func (p *process) namespace(tb rapid.TB, properties map[string]string, levels ...string) {
	tb.Helper()
	_, err := p.CreateNamespace(ctx, cause, levels, properties)
	must(tb, err)
}

// table makes a table n.name.
func (p *process) table(tb rapid.TB, name, location string, properties ...string) catalog.Table {
	tb.Helper()
	table, err := p.CreateTable(ctx, cause, newTable(name, location, properties...))
	must(tb, err)
	return table
}

func (p *process) load(tb rapid.TB, name string) catalog.Table {
	tb.Helper()
	table, err := p.LoadTable(ctx, id(name))
	must(tb, err)
	return table
}

// commit applies a change to n.name.
func (p *process) commit(tb rapid.TB, name, requirements, updates string) (catalog.Table, error) {
	tb.Helper()
	return commitOver(tb, p.Catalog, cause, change(tb, name, requirements, updates))
}

func commitOver(tb rapid.TB, c *catalog.Catalog, who journal.Cause, changes ...catalog.Change) (catalog.Table, error) {
	tb.Helper()
	tables, err := c.CommitTables(ctx, who, changes...)
	if err != nil {
		return catalog.Table{}, err
	}
	if len(tables) != len(changes) {
		tb.Fatalf("%d tables of %d changes", len(tables), len(changes))
	}
	return tables[0], nil
}

// change is a commit's body to n.name: the elements of both lists.
func change(tb rapid.TB, name, requirements, updates string) catalog.Change {
	tb.Helper()
	reqs, ups, err := metadata.DecodeCommit(fmt.Appendf(nil, `{"requirements":[%s],"updates":[%s]}`, requirements, updates))
	must(tb, err)
	return catalog.Change{Identifier: id(name), Requirements: reqs, Updates: ups}
}

// tip is what an engine needs of a metadata file to append to it.
type tip struct {
	UUID     string            `json:"table-uuid"`
	Sequence int64             `json:"last-sequence-number"`
	Updated  int64             `json:"last-updated-ms"`
	Refs     map[string]docRef `json:"refs"`
}

// doc is what tests look at in a metadata file.
type doc struct {
	tip
	Location      string            `json:"location"`
	Properties    map[string]string `json:"properties"`
	Current       int64             `json:"current-snapshot-id"`
	Snapshots     []docSnapshot     `json:"snapshots"`
	MetadataLog   []docLog          `json:"metadata-log"`
	DefaultSpec   int               `json:"default-spec-id"`
	CurrentSchema int               `json:"current-schema-id"`
	FormatVersion int               `json:"format-version"`
	LastColumn    int               `json:"last-column-id"`
}

type docSnapshot struct {
	ID       int64 `json:"snapshot-id"`
	Parent   int64 `json:"parent-snapshot-id"`
	Sequence int64 `json:"sequence-number"`
}

type docRef struct {
	Snapshot int64 `json:"snapshot-id"`
}

type docLog struct {
	File string `json:"metadata-file"`
}

func read(tb rapid.TB, file []byte) doc {
	tb.Helper()
	var d doc
	must(tb, json.Unmarshal(file, &d))
	return d
}

// appendTo is what an engine sends to append a snapshot to a branch of the
// version that it has loaded.
func appendTo(tb rapid.TB, loaded catalog.Table, branch string, snapshot int64) (requirements, updates string) {
	tb.Helper()
	var d tip
	must(tb, json.Unmarshal(loaded.Metadata, &d))
	now, parent := "null", ""
	if ref, ok := d.Refs[branch]; ok {
		now = fmt.Sprint(ref.Snapshot)
		parent = fmt.Sprintf(`"parent-snapshot-id":%d,`, ref.Snapshot)
	}
	requirements = fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q},{"type":"assert-ref-snapshot-id","ref":%q,"snapshot-id":%s}`,
		d.UUID, branch, now)
	return requirements, addSnapshot(snapshot, parent, d.Sequence+1, d.Updated) + "," + setRef(branch, snapshot)
}

func addSnapshot(snapshot int64, parent string, sequence, at int64) string {
	return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,%s"sequence-number":%d,"timestamp-ms":%d,`+
		`"manifest-list":"s3://lake/wh/snap-%d.avro","summary":{"operation":"append"},"schema-id":0}}`,
		snapshot, parent, sequence, at, snapshot)
}

func setRef(branch string, snapshot int64) string {
	return fmt.Sprintf(`{"action":"set-snapshot-ref","ref-name":%q,"type":"branch","snapshot-id":%d}`, branch, snapshot)
}

// append commits a snapshot to main of the version that is current now.
func (p *process) append(tb rapid.TB, name string, snapshot int64) (catalog.Table, error) {
	tb.Helper()
	requirements, updates := appendTo(tb, p.load(tb, name), "main", snapshot)
	return p.commit(tb, name, requirements, updates)
}

// set is the update that sets properties.
func set(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, quoted(pairs[i])+":"+quoted(pairs[i+1]))
	}
	return fmt.Sprintf(`{"action":"set-properties","updates":{%s}}`, strings.Join(members, ","))
}

func quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// assertCreate asks that the table is not there.
const assertCreate = `{"type":"assert-create"}`

// births are the updates that make a table of a staged one.
func births(tb rapid.TB, staged catalog.Table) string {
	tb.Helper()
	d := read(tb, staged.Metadata)
	return fmt.Sprintf(`{"action":"assign-uuid","uuid":%q},{"action":"upgrade-format-version","format-version":2},`+
		`{"action":"add-schema","schema":%s},{"action":"set-current-schema","schema-id":-1},`+
		`{"action":"add-spec","spec":{"spec-id":0,"fields":[]}},{"action":"set-default-spec","spec-id":-1},`+
		`{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},`+
		`{"action":"set-location","location":%q}`, d.UUID, schema, d.Location)
}

// refused checks the code of a refusal and that its text holds all parts.
func refused(tb rapid.TB, err error, code catalog.Code, parts ...string) {
	tb.Helper()
	var refusal *catalog.Error
	if !errors.As(err, &refusal) {
		tb.Fatalf("want %s, got %v", code, err)
	}
	if refusal.Code != code {
		tb.Fatalf("want %s, got %s: %s (%v)", code, refusal.Code, refusal.Message, refusal.Err)
	}
	for _, part := range parts {
		if !strings.Contains(refusal.Message, part) {
			tb.Errorf("%q does not say %q", refusal.Message, part)
		}
	}
}
