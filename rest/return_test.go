package rest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	undropPath  = puddleBase + "/warehouses/default/undrop"
	repointPath = puddleBase + "/warehouses/default/repoint"
)

var someTime = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// What was dropped comes back as it was, under its tag. The JSON is for scripts.
func TestUndrop(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	first := f.table("n", "t")
	var l loadedTable
	first.into(t, &l)
	f.must(204, f.do("DELETE", tablePath+"?purgeRequested=true", ""))
	for _, dry := range []bool{true, false} {
		a := f.must(200, f.do("POST", undropPath, fmt.Sprintf(`{"table":"n.t","as":"n.u","dry-run":%v}`, dry)))
		equal(t, "answer", someTime.ReplaceAllString(string(a.body), "TIME"), fmt.Sprintf(`{"warehouse":"default","kind":"table","uuid":%q,`+
			`"identifier":{"name":"u","namespace":["n"]},"location":%q,"metadata-location":%q,"dropped-as":{"name":"t","namespace":["n"]},`+
			`"dropped-at":"TIME","purge-cancelled":true,"others":[],"dry-run":%v}`, l.Metadata.UUID, l.Metadata.Location, *l.Location, dry))
		if dry {
			f.fails(f.do("GET", v1+"/namespaces/n/tables/u", ""), 404, "NoSuchTableException")
		}
	}
	load := f.must(200, f.do("GET", v1+"/namespaces/n/tables/u", ""))
	equal(t, "load", string(load.body), string(first.body))
	equal(t, "tag", load.tag(), first.tag())

	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/u", ""))
	f.table("n", "u")
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/u", ""))
	key := aKey() // which means nothing here
	a := f.must(200, f.do("POST", undropPath, `{"table":"n.u"}`, key))
	others := fmt.Sprintf(`"others":[{"kind":"table","uuid":%q,"metadata-location":%q,"dropped-at":"TIME"}]`, l.Metadata.UUID, *l.Location)
	if got := someTime.ReplaceAllString(string(a.body), "TIME"); !strings.Contains(got, others) || !strings.Contains(got, `"purge-cancelled":false`) {
		t.Errorf("answer %s", got)
	}
	f.fails(f.do("POST", undropPath, `{"table":"n.u"}`, key), 409, "AlreadyExistsException")
}

func TestUndropIsRefused(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.fails(f.do("POST", undropPath, `{"table":"n.t"}`), 409, "AlreadyExistsException")
	f.fails(f.do("POST", undropPath, `{"table":"n.no"}`), 404, "NoSuchTableException")
	f.fails(f.do("POST", undropPath, `{"table":"00000000-0000-4000-8000-000000000001"}`), 404, "NoSuchTableException")
	f.fails(f.do("POST", strings.Replace(undropPath, "default", "other", 1), `{"table":"n.t"}`), 404, "NoSuchWarehouseException")
	f.fails(f.do("GET", undropPath, ""), 405, "MethodNotAllowedException")
	f.must(204, f.do("DELETE", tablePath, ""))
	f.fails(f.do("POST", undropPath, `{"table":"n.t","as":"no.t"}`), 404, "NoSuchNamespaceException")
	for _, body := range []string{``, `[]`, `{}`, `{"table":"t"}`, `{"table":7}`, `{"table":"n.t","as":"t"}`, `{"table":"n.t","dry-run":"yes"}`,
		`{"table":"n.t","dry_run":true}`, `{"table":"n.t","Dry-Run":true}`} {
		f.fails(f.do("POST", undropPath, body), 400, "BadRequestException")
	}
	f.must(404, f.do("HEAD", tablePath, ""))
	f.clock.forward(25 * time.Hour)
	f.must(200, f.do("POST", undropPath, `{"table":"n.t"}`))
	f.must(204, f.do("DELETE", tablePath+"?purgeRequested=true", ""))
	f.clock.forward(25 * time.Hour)
	f.fails(f.do("POST", undropPath, `{"table":"n.t"}`), 409, "UnsafeChangeException")
}

// broken makes a table of two versions whose present file is gone, and answers
// where both are.
func (f *fixture) broken(name string) (first, present string) {
	f.t.Helper()
	var was, is loadedTable
	f.table("n", name).into(f.t, &was)
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/"+name, setProperty("k", "v"))).into(f.t, &is)
	f.lose(*is.Location)
	return *was.Location, *is.Location
}

func (f *fixture) lose(location string) {
	f.t.Helper()
	if err := f.stores["default"].Delete(f.t.Context(), strings.TrimPrefix(location, root("default")+"/")); err != nil {
		f.t.Fatal(err)
	}
}

// Case 43, law 11: a table whose file is gone is listed, looked for, renamed,
// dropped and repointed; only what needs the file misses it.
func TestCase43_BrokenTableOverREST(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "whole")
	first, present := f.broken("t")
	equal(t, "missing", f.fails(f.do("GET", tablePath, ""), 404, "NotFoundException"), "Failed to open input stream for file: "+present)
	f.must(204, f.do("HEAD", tablePath, ""))
	f.fails(f.do("POST", v1+"/namespaces/n/tables", fmt.Sprintf(`{"name":"t","schema":%s}`, schema)), 409, "AlreadyExistsException")
	list := f.must(200, f.do("GET", v1+"/namespaces/n/tables", ""))
	equal(t, "tables", strings.Count(string(list.body), `"name"`), 2)
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/whole", ""))
	f.must(204, f.do("POST", v1+"/tables/rename", `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["n"],"name":"u"}}`))
	f.must(200, f.do("POST", repointPath, fmt.Sprintf(`{"table":"n.u","to":%q,"allow-rewind":true,"reason":"its file is gone"}`, first)))
	f.must(200, f.do("GET", v1+"/namespaces/n/tables/u", ""))
	f.lose(first)
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/u?purgeRequested=true", ""))
	message := f.fails(f.do("POST", undropPath, `{"table":"n.u"}`), 404, "NotFoundException")
	if !strings.HasPrefix(message, "Failed to open input stream for file: "+first+"; ") {
		t.Errorf("message %q", message)
	}
}

// The JSON is for scripts: what was done, and what goes back.
func TestRepoint(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	first, present := f.broken("t")
	repoint := func(flags string) answer {
		return f.do("POST", repointPath, fmt.Sprintf(`{"table":"n.t","reason":"a reason"%s}`, flags))
	}
	shape := regexp.MustCompile(`^\{"warehouse":"default","kind":"table","uuid":"[-0-9a-f]+","identifier":\{"name":"t","namespace":\["n"\]\},` +
		`"from":\{"metadata-location":"([^"]+)","sha256":"[0-9a-f]{64}","size":\d+\},"to":\{"metadata-location":"([^"]+)","sha256":"[0-9a-f]{64}","size":\d+\},` +
		`"changed":(true|false),"rewind":(true|false),"lowered":\[\],"not-used":\[\],"dry-run":(true|false)\}$`)
	check := func(a answer, want ...string) {
		t.Helper()
		found := shape.FindStringSubmatch(string(f.must(200, a).body))
		if found == nil {
			t.Fatalf("answer %s", a.body)
		}
		equal(t, "answer", strings.Join(found[1:], " "), strings.Join(want, " "))
	}
	f.fails(repoint(`,"newest":true`), 404, "NotFoundException")
	f.fails(repoint(fmt.Sprintf(`,"to":%q`, first)), 409, "UnsafeChangeException")
	f.fails(repoint(fmt.Sprintf(`,"to":%q,"expect":%q`, first, first)), 409, "CommitFailedException")
	flags := fmt.Sprintf(`,"to":%q,"expect":%q,"allow-rewind":true`, first, present)
	check(repoint(flags+`,"dry-run":true`), present, first, "true", "true", "true")
	f.must(404, f.do("GET", tablePath, ""))
	check(repoint(flags), present, first, "true", "true", "false")
	f.must(200, f.do("GET", tablePath, ""))
	check(repoint(`,"newest":true`), first, first, "false", "false", "false")

	events := f.must(200, f.do("GET", puddleBase+"/warehouses/default/events?order=desc&limit=1", ""))
	for _, part := range []string{`"kind":"table-repointed"`, `"reason":"a reason"`, first, present} {
		if !strings.Contains(string(events.body), part) {
			t.Errorf("the event does not say %s: %s", part, events.body)
		}
	}
	for _, flags := range []string{``, `,"to":""`, `,"to":"x","newest":true`, `,"to":7`, `,"newest":"yes"`, `,"newest":true,"forced":true`,
		`,"to":"s3://elsewhere/v1.metadata.json"`} {
		f.fails(repoint(flags), 400, "BadRequestException")
	}
	f.fails(f.do("POST", repointPath, fmt.Sprintf(`{"table":"n.t","to":%q}`, first)), 400, "BadRequestException")
	f.fails(f.do("POST", repointPath, fmt.Sprintf(`{"table":"n.no","to":%q,"reason":"r"}`, first)), 404, "NoSuchTableException")
	f.view("n", "v")
	f.fails(f.do("POST", repointPath, `{"table":"n.v","newest":true,"reason":"r"}`), 406, "UnsupportedOperationException")
}
