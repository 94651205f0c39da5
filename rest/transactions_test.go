package rest

import (
	"fmt"
	"strings"
	"testing"
)

const transactions = v1 + "/transactions/commit"

// changeOf is a table change that sets a property.
func changeOf(table, key, value string) string {
	return fmt.Sprintf(`{"identifier":{"namespace":["n"],"name":%q},"requirements":[],"updates":[{"action":"set-properties","updates":{%q:%q}}]}`, table, key, value)
}

func transaction(changes ...string) string {
	return `{"table-changes":[` + strings.Join(changes, ",") + `]}`
}

// property is what a table's properties hold.
func (f *fixture) property(table, key string) string {
	f.t.Helper()
	var l struct {
		Metadata struct{ Properties map[string]string }
	}
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/"+table, "")).into(f.t, &l)
	return l.Metadata.Properties[key]
}

// DuckDB sends every change as a transaction, mostly of one table.
func TestTransactionOfOne(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	if a := f.must(204, f.do("POST", transactions, transaction(changeOf("t", "a", "b")))); len(a.body) != 0 {
		t.Errorf("%s", a.body)
	}
	equal(t, "property", f.property("t", "a"), "b")
	head := f.events("")[0].Seq
	f.must(204, f.do("POST", transactions, transaction(changeOf("t", "a", "b"))))
	equal(t, "events of no effect", f.events("")[0].Seq-head, 0)
}

// What is no transaction is refused whole, with the codes of commits.
func TestTransactionsRefused(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	head := f.events("")[0].Seq
	good := changeOf("t", "a", "b")
	for _, body := range []string{
		``, `{}`, `[]`, transaction(), `{"table-changes":null}`, `{"table-changes":{}}`, `{"Table-Changes":[` + good + `]}`,
		transaction(`{"updates":[]}`), transaction(`{"identifier":null,"updates":[]}`), transaction(`1`),
		transaction(good, good), transaction(good, changeOf("t", "c", "d")),
		transaction(strings.Replace(good, "set-properties", "frobnicate", 1)),
		transaction(`{"identifier":{"namespace":["n"],"name":"t"},"requirements":[{"type":"assert-moon"}],"updates":[]}`),
		transaction(`{"identifier":{"namespace":["n"],"name":"t"},"updates":{}}`),
	} {
		f.fails(f.do("POST", transactions, body), 400, "BadRequestException")
	}
	f.fails(f.do("POST", transactions, transaction(changeOf("x", "a", "b"))), 404, "NoSuchTableException")
	f.fails(f.do("POST", transactions, transaction(changeOf("..", "a", "b"))), 404, "NoSuchTableException")
	stale := strings.Replace(good, `"requirements":[]`, `"requirements":[{"type":"assert-table-uuid","uuid":"00000000-0000-4000-8000-000000000000"}]`, 1)
	f.fails(f.do("POST", transactions, transaction(stale)), 409, "CommitFailedException")
	equal(t, "events", f.events("")[0].Seq-head, 0)
}
