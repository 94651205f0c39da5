package rest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
)

// besideOld serves a warehouse beside an external one, s3://old/lake, that holds a table t.
// Nothing is written there: who tries fails the test. What lies in denied/ is not shown.
func besideOld(t *testing.T) (*fixture, string) {
	t.Helper()
	location, err := warehouse.ParseLocation("s3://old/lake")
	files := memory.New()
	for _, table := range []string{"t", "denied"} {
		text := fmt.Sprintf(`{"format-version":2,"table-uuid":%q,"location":"s3://old/lake/%s","last-sequence-number":0,"last-updated-ms":1,"last-column-id":1,`+
			`"current-schema-id":0,"schemas":[%s],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,`+
			`"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}]}`, uuid.NewString(), table, schema)
		if err == nil {
			err = files.Put(t.Context(), table+"/metadata/v1.metadata.json", []byte(text))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	store := faulty.New(files, func(op faulty.Op, key string) faulty.Fault {
		switch op {
		case faulty.Create, faulty.Put, faulty.Delete, faulty.MakeFolder:
			t.Errorf("%s %s", op, key)
		}
		if strings.HasPrefix(key, "denied/") {
			return faulty.Before(warehouse.ErrDenied)
		}
		return faulty.Fault{}
	})
	f := serve(t, func(o *Options) {
		o.Warehouses[0].Catalog.Externals = warehouse.Roots{{URL: "s3://old/lake", Location: location, Store: store, External: "old"}}
	})
	f.ns("n")
	return f, "s3://old/lake/t/metadata/v1.metadata.json"
}

func TestExternalTable(t *testing.T) {
	f, at := besideOld(t)
	a := f.must(200, f.do("POST", registerPath, registerBody("t", at)))
	load := f.must(200, f.do("GET", tablePath, ""))
	equal(t, "load", string(load.body), string(a.body))
	f.must(304, f.do("GET", tablePath, "", "If-None-Match: "+load.tag()))
	message := f.fails(f.do("POST", tablePath, setProperty("a", "b")), 403, "ForbiddenException")
	if !strings.Contains(message, "external warehouse old, which is only read") {
		t.Error(message)
	}
	f.table("n", "own")
	change := func(name string) string {
		return fmt.Sprintf(`{"identifier":{"namespace":["n"],"name":%q},"requirements":[],"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`, name)
	}
	message = f.fails(f.do("POST", v1+"/transactions/commit", `{"table-changes":[`+change("own")+`,`+change("t")+`]}`), 403, "ForbiddenException")
	if !strings.Contains(message, "(table n.t)") {
		t.Error(message)
	}
	equal(t, "property of the other", f.property("own", "a"), "")
	f.must(204, f.do("DELETE", tablePath+"?purgeRequested=true", ""))
	f.must(404, f.do("HEAD", tablePath, ""))
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/own", ""))
}

// What is missing, forbidden or outside gets the same answer, byte for byte but for the
// location that the client named.
func TestExternalAnswers(t *testing.T) {
	f, _ := besideOld(t)
	var first string
	for _, folder := range []string{"s3://old/lake/missing", "s3://old/lake/denied", "s3://old/lake/_puddle", "s3://old", "s3://elsewhere/t", "file:///etc"} {
		at := folder + "/metadata/v1.metadata.json"
		a := f.do("POST", registerPath, registerBody("x", at))
		f.fails(a, 400, "BadRequestException")
		body := strings.ReplaceAll(string(a.body), at, "LOCATION")
		if first == "" {
			first = body
		}
		equal(t, at, body, first)
	}
}
