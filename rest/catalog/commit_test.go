package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

func TestCommit(t *testing.T) {
	each(t, func(t *testing.T, g *ground) {
		p := running(t, g)
		p.namespace(t, nil, "n")
		first := p.table(t, "t", g.url+"/place/t")
		requirements, updates := appendTo(t, first, "main", 4598286611352242712)
		next, err := commitOver(t, p.Catalog, called("append"), change(t, "t", requirements, updates))
		must(t, err)
		if diff := cmp.Diff(next, p.load(t, "t")); diff != "" {
			t.Errorf("committed and loaded differ: %s", diff)
		}
		was, is := read(t, first.Metadata), read(t, next.Metadata)
		if is.Current != 4598286611352242712 || is.UUID != was.UUID {
			t.Errorf("after the commit: %+v", is)
		}
		if diff := cmp.Diff([]docLog{{first.MetadataLocation}}, is.MetadataLog); diff != "" {
			t.Errorf("metadata log: %s", diff)
		}
		snapshot := is.Current
		want := journal.TablesCommitted{Moves: []journal.Move{{
			Kind: journal.Table, UUID: uuid.MustParse(is.UUID), SnapshotID: &snapshot, Updates: []string{"add-snapshot", "set-snapshot-ref"},
			From: &journal.From{Identifier: id("t"), Pointer: pointer(first)},
			To: &journal.To{
				Identifier: id("t"), Location: is.Location, Pointer: pointer(next),
				Places: []journal.Place{{Path: path(t, g.url+"/place/t"), Role: "location"}},
			},
		}}}
		e := last(t, g)
		if diff := cmp.Diff(journal.Body(want), e.Body); diff != "" || e.Cause.RequestID != "append" {
			t.Errorf("the event of %q: %s", e.Cause.RequestID, diff)
		}
	})
}

func TestCommitIsRefused(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "")
	had := files(t, p.ground)
	uuidOf := func(s string) string { return fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q}`, s) }
	for _, c := range []struct {
		what, requirements, updates string
		code                        catalog.Code
		text                        string
	}{
		{"another uuid", uuidOf(uuid.NewString()), set("k", "v"), catalog.CommitFailed, "Requirement failed: UUID does not match"},
		{"another schema", `{"type":"assert-current-schema-id","current-schema-id":7}`, set("k", "v"), catalog.CommitFailed, "Requirement failed: current schema changed"},
		{"another field id", `{"type":"assert-last-assigned-field-id","last-assigned-field-id":7}`, set("k", "v"), catalog.CommitFailed, "Requirement failed: last assigned field id changed"},
		{"another spec", `{"type":"assert-default-spec-id","default-spec-id":7}`, set("k", "v"), catalog.CommitFailed, "Requirement failed: default partition spec changed"},
		{"another partition id", `{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":7}`, set("k", "v"), catalog.CommitFailed, "Requirement failed: last assigned partition id changed"},
		{"no such branch", `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":1}`, set("k", "v"), catalog.CommitFailed, "Requirement failed: "},
		{"unknown snapshot", "", setRef("main", 7), catalog.Invalid, "7"},
		{"unknown schema", "", `{"action":"set-current-schema","schema-id":7}`, catalog.Invalid, "7"},
		{"no format version", "", `{"action":"upgrade-format-version","format-version":4}`, catalog.Invalid, "v4"},
		{"uuid of another table", "", `{"action":"assign-uuid","uuid":"` + uuid.NewString() + `"}`, catalog.Invalid, "uuid"},
	} {
		_, err := p.commit(t, "t", c.requirements, c.updates)
		t.Run(c.what, func(t *testing.T) { refused(t, err, c.code, c.text) })
	}
	_, err := p.commit(t, "u", "", set("k", "v"))
	refused(t, err, catalog.NoSuchTable, "Table does not exist: n.u")
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(audit(t, p.ground)) != 2 {
		t.Errorf("a refusal left something: %s", diff)
	}
	if diff := cmp.Diff(table, p.load(t, "t")); diff != "" {
		t.Errorf("a refusal changed the table: %s", diff)
	}
}

// A commit without effect answers the table as it is: no file, no event.
func TestCase128_CommitWithoutEffect(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "", "k", "v")
	table, err := p.append(t, "t", 1)
	must(t, err)
	had, events := files(t, p.ground), len(audit(t, p.ground))
	for _, updates := range []string{"", set("k", "v"), setRef("main", 1), `{"action":"remove-properties","removals":["absent"]}`} {
		same, err := p.commit(t, "t", `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":1}`, updates)
		must(t, err)
		if diff := cmp.Diff(table, same); diff != "" {
			t.Errorf("%s: %s", updates, diff)
		}
	}
	_, err = p.commit(t, "t", `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":2}`, "")
	refused(t, err, catalog.CommitFailed)
	if diff := cmp.Diff(had, files(t, p.ground)); diff != "" || len(audit(t, p.ground)) != events {
		t.Errorf("something was made: %s", diff)
	}
}

// Two branches that grew from one snapshot at once: the later one is told to try
// again, not that it can never be.
func TestCase114_StaleSequenceNumber(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	_, err := p.append(t, "t", 1)
	must(t, err)
	base, err := p.commit(t, "t", "", setRef("b1", 1)+","+setRef("b2", 1))
	must(t, err)
	for i, branch := range []string{"b1", "b2"} {
		requirements, updates := appendTo(t, base, branch, int64(10+i))
		_, err := p.commit(t, "t", requirements, updates)
		if i == 0 {
			must(t, err)
		} else {
			refused(t, err, catalog.CommitFailed, "sequence number")
		}
	}
	requirements, updates := appendTo(t, p.load(t, "t"), "b2", 11)
	_, err = p.commit(t, "t", requirements, updates)
	must(t, err)
	audit(t, p.ground)
}

func TestCase117_DuplicateSnapshotID(t *testing.T) {
	p := fresh(t)
	p.table(t, "t", "")
	now, err := p.append(t, "t", 1)
	must(t, err)
	d := read(t, now.Metadata)
	for _, parent := range []string{"", `"parent-snapshot-id":1,`} {
		_, err = p.commit(t, "t", "", addSnapshot(1, parent, d.Sequence+1, d.Updated))
		refused(t, err, catalog.CommitFailed, "1 is present in the table")
	}
}

// The reply of a commit was lost and the client sends the same body again: it
// lost to itself, and is told so.
func TestCase123_RetryOfALandedCommit(t *testing.T) {
	p := fresh(t)
	requirements, updates := appendTo(t, p.table(t, "t", ""), "main", 4598286611352242712)
	_, err := p.commit(t, "t", requirements, updates)
	must(t, err)
	_, err = p.commit(t, "t", requirements, updates)
	refused(t, err, catalog.CommitFailed, "Requirement failed: ", "4598286611352242712 is present in the table")

	requirements, updates = appendTo(t, p.load(t, "t"), "main", 2)
	_, err = p.append(t, "t", 3) // somebody else's
	must(t, err)
	_, err = p.commit(t, "t", requirements, updates)
	refused(t, err, catalog.CommitFailed, "Requirement failed: branch main has changed")
	if strings.Contains(err.Error(), "present in the table") {
		t.Errorf("who lost to somebody else is told %q", err)
	}
}

// Updates are applied to what is current, whatever the client had loaded.
func TestCase121_ReplaceAfterExpiry(t *testing.T) {
	p := fresh(t)
	loaded := p.table(t, "t", "")
	for snapshot := range int64(3) {
		var err error
		loaded, err = p.append(t, "t", snapshot+1)
		must(t, err)
	}
	_, err := p.commit(t, "t", "", `{"action":"remove-snapshots","snapshot-ids":[1,2]}`)
	must(t, err)
	d := read(t, loaded.Metadata)
	replaced, err := p.commit(t, "t", fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q}`, d.UUID),
		addSnapshot(9, "", d.Sequence+1, d.Updated)+","+setRef("main", 9)+","+set("replaced", "yes"))
	must(t, err)
	is := read(t, replaced.Metadata)
	if diff := cmp.Diff([]docSnapshot{{3, 2, 3}, {9, 0, 4}}, is.Snapshots); diff != "" || is.UUID != d.UUID {
		t.Errorf("snapshots after the replacement: %s", diff)
	}
	audit(t, p.ground)
}

// What a snapshot was then, the journal says for ever: not today's metadata.
func TestCase59_HistoryAfterExpiry(t *testing.T) {
	p := fresh(t)
	table := p.table(t, "t", "")
	want := []int64{0}
	for _, snapshot := range []int64{11, 12, 13} {
		_, err := p.append(t, "t", snapshot)
		must(t, err)
		want = append(want, snapshot)
	}
	_, err := p.commit(t, "t", "", `{"action":"remove-snapshots","snapshot-ids":[11,12]}`)
	must(t, err)
	steps, err := p.recorder.Reader(lake).Steps(ctx, uuid.MustParse(read(t, table.Metadata).UUID))
	must(t, err)
	var got []int64
	for _, s := range steps {
		if s.Move.SnapshotID == nil {
			got = append(got, 0)
		} else {
			got = append(got, *s.Move.SnapshotID)
		}
	}
	if diff := cmp.Diff(append(want, 13), got); diff != "" {
		t.Error(diff)
	}
}

// A document over the limit is committed all the same, and known by its digest.
func TestDocumentOverTheLimit(t *testing.T) {
	p := fresh(t)
	options := p.Options
	options.MaxDocument = 10
	table, err := catalog.New(options).CreateTable(ctx, cause, newTable("t", ""))
	must(t, err)
	e := auditTables(t, p.ground)[2]
	if _, err := p.ground.journal.Warehouse(lake).Document(ctx, e.Seq, 0); !errors.Is(err, journal.ErrNotKept) {
		t.Errorf("the document is kept: %v", err)
	}
	if got, err := e.DocumentDigest(0); err != nil || got != journal.Sum(table.Metadata) {
		t.Errorf("digest %s, %v", got, err)
	}
}
