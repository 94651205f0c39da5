package rest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// lineage is what a client of a table of format version 3 looks at to append.
type lineage struct {
	Metadata struct {
		UUID         string `json:"table-uuid"`
		LastSequence int64  `json:"last-sequence-number"`
		NextRow      int64  `json:"next-row-id"`
		Refs         map[string]struct {
			Snapshot int64 `json:"snapshot-id"`
		}
		Snapshots []struct {
			ID       int64 `json:"snapshot-id"`
			Parent   int64 `json:"parent-snapshot-id"`
			Sequence int64 `json:"sequence-number"`
			FirstRow int64 `json:"first-row-id"`
			Added    int64 `json:"added-rows"`
		}
	}
}

func (f *fixture) lineage(table string) (l lineage) {
	f.t.Helper()
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/"+table, "")).into(f.t, &l)
	return l
}

// tableV3 makes n.name in format version 3.
func (f *fixture) tableV3(name string) {
	f.t.Helper()
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", fmt.Sprintf(`{"name":%q,"schema":%s,"properties":{"format-version":"3"}}`, name, schema)))
}

// appending are the updates that add rows to a branch.
func (l lineage) appending(branch string, id, rows int64) string {
	parent := ""
	if head, ok := l.Metadata.Refs[branch]; ok {
		parent = fmt.Sprintf(`"parent-snapshot-id":%d,`, head.Snapshot)
	}
	return fmt.Sprintf(`{"action":"add-snapshot","snapshot":{"snapshot-id":%d,%s"sequence-number":%d,"timestamp-ms":%d,"manifest-list":"file:///m/%d.avro",`+
		`"summary":{"operation":"append"},"first-row-id":%d,"added-rows":%d}},{"action":"set-snapshot-ref","ref-name":%q,"type":"branch","snapshot-id":%d}`,
		id, parent, l.Metadata.LastSequence+1, epoch.UnixMilli()+l.Metadata.LastSequence, id, l.Metadata.NextRow, rows, branch, id)
}

// unmoved requires that a branch is where it was seen.
func (l lineage) unmoved(branch string) string {
	head := "null"
	if ref, ok := l.Metadata.Refs[branch]; ok {
		head = fmt.Sprint(ref.Snapshot)
	}
	return fmt.Sprintf(`{"type":"assert-table-uuid","uuid":%q},{"type":"assert-ref-snapshot-id","ref":%q,"snapshot-id":%s}`, l.Metadata.UUID, branch, head)
}

// appendTo is a client: it appends to a branch until told that it has, beginning
// anew when told that others were first.
func (f *fixture) appendTo(table, branch string, id, rows int64) {
	for {
		l := f.lineage(table)
		a := f.do("POST", v1+"/namespaces/n/tables/"+table, `{"requirements":[`+l.unmoved(branch)+`],"updates":[`+l.appending(branch, id, rows)+`]}`)
		if a.StatusCode == 200 {
			return
		}
		if a.StatusCode != 409 || !strings.Contains(string(a.body), "CommitFailedException") {
			f.t.Errorf("%s: %d %s", branch, a.StatusCode, a.body)
			return
		}
	}
}

// Cases 114 and 116: writers of two branches of one table, at once, each holding
// only its own branch to be unmoved: every append lands on its branch, and no two
// rows have one id.
func TestCase114_TwoBranches(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.tableV3("t")
	const appends = 12
	branches := []string{"main", "audit"}
	for b, branch := range branches {
		// Nobody is at it yet: what has no parent may have any sequence number, as in Java.
		f.appendTo("t", branch, int64(b*100)+1, int64(b))
	}
	var writers sync.WaitGroup
	for b, branch := range branches {
		writers.Go(func() {
			for i := int64(1); i < appends; i++ {
				f.appendTo("t", branch, int64(b*100)+i+1, i+int64(b))
			}
		})
	}
	writers.Wait()
	l := f.lineage("t")
	parents, sequence, rows := map[int64]int64{}, int64(0), int64(0)
	for _, s := range l.Metadata.Snapshots {
		parents[s.ID] = s.Parent
		if s.Sequence != sequence+1 || s.FirstRow != rows {
			t.Errorf("snapshot %d has the sequence number %d after %d, and rows from %d where %d is next", s.ID, s.Sequence, sequence, s.FirstRow, rows)
		}
		sequence, rows = s.Sequence, rows+s.Added
	}
	equal(t, "next row", l.Metadata.NextRow, rows)
	for b, branch := range branches {
		var want, got []int64
		for i := range int64(appends) {
			want = append(want, int64(b*100)+i+1)
		}
		for id := l.Metadata.Refs[branch].Snapshot; id != 0; id = parents[id] {
			got = append(got, id)
		}
		slices.Reverse(got)
		equal(t, branch, got, want)
	}
}

// Case 116: rows are numbered per table in a transaction that appends to one and
// creates another with rows in it; one append that comes too late or tells no row
// ids undoes the creation.
func TestCase116_TransactionThatCreates(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.tableV3("t")
	created := func(name, snapshot string) string {
		return fmt.Sprintf(`{"identifier":{"namespace":["n"],"name":%q},"requirements":[{"type":"assert-create"}],"updates":[
			{"action":"assign-uuid","uuid":"0a58f3b0-7a0c-4a39-a2c2-9f7d4f3a6a%02x"},{"action":"upgrade-format-version","format-version":3},
			{"action":"add-schema","schema":%s},{"action":"set-current-schema","schema-id":-1},
			{"action":"add-spec","spec":{"spec-id":0,"fields":[]}},{"action":"set-default-spec","spec-id":-1},
			{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},
			{"action":"set-location","location":"%s/%s"},%s]}`, name, name[0], schema, root("default"), name, snapshot)
	}
	appended := func(l lineage, updates string) string {
		return fmt.Sprintf(`{"identifier":{"namespace":["n"],"name":"t"},"requirements":[%s],"updates":[%s]}`, l.unmoved("main"), updates)
	}
	none := f.lineage("t")
	f.must(204, f.do("POST", transactions, transaction(created("c", lineage{}.appending("main", 1, 5)), appended(none, none.appending("main", 1, 7)))))
	for name, rows := range map[string]int64{"c": 5, "t": 7} {
		l := f.lineage(name)
		if s := l.Metadata.Snapshots; l.Metadata.NextRow != rows || len(s) != 1 || s[0].FirstRow != 0 || s[0].Added != rows || l.Metadata.Refs["main"].Snapshot != 1 {
			t.Errorf("%s: %+v", name, l.Metadata)
		}
	}

	head, now := f.events("")[0].Seq, f.lineage("t")
	late := now
	late.Metadata.NextRow--
	for what, refused := range map[string]struct {
		change string
		status int
		kind   string
	}{
		"too late":   {appended(now, late.appending("main", 2, 1)), 409, "CommitFailedException"},
		"no row ids": {appended(now, strings.Replace(now.appending("main", 2, 1), `"first-row-id":7,"added-rows":1`, `"x":1`, 1)), 400, "BadRequestException"},
	} {
		f.fails(f.do("POST", transactions, transaction(created("d", lineage{}.appending("main", 1, 5)), refused.change)), refused.status, refused.kind)
		equal(t, what, f.events("")[0].Seq-head, 0)
		f.must(404, f.do("HEAD", v1+"/namespaces/n/tables/d", ""))
	}
}
