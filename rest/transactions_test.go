package rest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"puddle/journal"
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

// Case 119: a transaction is one event, also when it creates; one refused change
// refuses all.
func TestCase119_Transactions(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.table("n", "u")
	created := `{"identifier":{"namespace":["n"],"name":"new"},"requirements":[{"type":"assert-create"}],"updates":[
		{"action":"assign-uuid","uuid":"0a58f3b0-7a0c-4a39-a2c2-9f7d4f3a6a01"},{"action":"upgrade-format-version","format-version":2},
		{"action":"add-schema","schema":` + schema + `},{"action":"set-current-schema","schema-id":-1},
		{"action":"add-spec","spec":{"spec-id":0,"fields":[]}},{"action":"set-default-spec","spec-id":-1},
		{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},
		{"action":"set-location","location":"` + root("default") + `/new"}]}`
	head := f.events("")[0].Seq
	f.must(204, f.do("POST", transactions, transaction(changeOf("t", "k", "1"), created, changeOf("u", "k", "1"))))
	equal(t, "events", f.events("")[0].Seq-head, 1)
	equal(t, "moves", len(f.events("")[0].Moves), 3)
	for _, table := range []string{"t", "u"} {
		equal(t, table, f.property(table, "k"), "1")
	}
	f.must(204, f.do("HEAD", v1+"/namespaces/n/tables/new", ""))

	for kind, change := range map[string]string{
		"NoSuchTableException": changeOf("x", "k", "2"), "CommitFailedException": created,
	} {
		status := map[string]int{"NoSuchTableException": 404, "CommitFailedException": 409}[kind]
		f.fails(f.do("POST", transactions, transaction(changeOf("t", "k", "2"), change)), status, kind)
	}
	equal(t, "events of refused ones", f.events("")[0].Seq-head, 1)
	equal(t, "property", f.property("t", "k"), "1")
	f.trouble.instead = func() error { return errors.New("disk full") }
	f.fails(f.do("POST", transactions, transaction(changeOf("t", "k", "2"), changeOf("u", "k", "2"))), 429, "SlowDownException")
	f.trouble.instead = func() error { return journal.ErrUnknownOutcome }
	f.fails(f.do("POST", transactions, transaction(changeOf("t", "k", "2"), changeOf("u", "k", "2"))), 500, "CommitStateUnknownException")
}
