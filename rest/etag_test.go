package rest

import (
	"strings"
	"testing"

	"puddle/journal"
	"puddle/rest/access"
)

const tablePath = v1 + "/namespaces/n/tables/t"

// tagged is a success with a tag.
func (f *fixture) tagged(a answer) string {
	f.t.Helper()
	f.must(200, a)
	if a.tag() == "" {
		f.t.Fatalf("no ETag among %v", a.Header)
	}
	return a.tag()
}

// Case 99: one tag for one version, whoever tells it; another for another
// version and another way of showing it.
func TestCase99_Tags(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	created := f.tagged(f.table("n", "t"))
	equal(t, "tag of a load", f.tagged(f.do("GET", tablePath, "")), created)
	equal(t, "tag of all snapshots", f.tagged(f.do("GET", tablePath+"?snapshots=all", "")), created)
	equal(t, "tag of no effect", f.tagged(f.do("POST", tablePath, `{"updates":[]}`)), created)
	seen := map[string]string{created: "create"}
	fresh := func(what, tag string) string {
		t.Helper()
		if before, there := seen[tag]; there {
			t.Errorf("%s has the tag of %s", what, before)
		}
		seen[tag] = what
		return tag
	}
	fresh("snapshots=refs", f.tagged(f.do("GET", tablePath+"?snapshots=refs", "")))
	committed := fresh("commit", f.tagged(f.do("POST", tablePath, setProperty("a", "b"))))
	equal(t, "tag of a load after the commit", f.tagged(f.do("GET", tablePath, "")), committed)
	fresh("refs after the commit", f.tagged(f.do("GET", tablePath+"?snapshots=refs", "")))
	f.must(204, f.do("DELETE", tablePath, ""))
	fresh("another table of that name", f.tagged(f.table("n", "t")))
	staged := f.must(200, f.do("POST", v1+"/namespaces/n/tables", `{"name":"s","stage-create":true,"schema":`+schema+`}`))
	equal(t, "tag of what was only staged", staged.tag(), "")
}

func setProperty(key, value string) string {
	return `{"updates":[{"action":"set-properties","updates":{"` + key + `":"` + value + `"}}]}`
}

// Case 99: one document at two places is two versions, as Iceberg's clients see
// it: what they hold has a metadata location, which is where they look next.
func TestCase99_SameDocumentElsewhere(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	first := f.table("n", "t")
	key := f.fileOf("n", "t")
	f.must(204, f.do("DELETE", tablePath, ""))
	data, err := f.stores["default"].Get(t.Context(), key, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	copied := key[:strings.LastIndex(key, "/")] + "/v2.metadata.json"
	if err := f.stores["default"].Create(t.Context(), copied, data); err != nil {
		t.Fatal(err)
	}
	tag := f.tagged(f.do("POST", registerPath, registerBody("t", root("default")+"/"+copied)))
	if tag == first.tag() {
		t.Error("the copy has the tag of the file that it was made from")
	}
	f.must(200, f.do("GET", tablePath, "", "If-None-Match: "+first.tag()))
}

// Case 99: the same of tables whose files are gzipped, on every route that tells a
// tag: it is of what clients see, and holds for the next load.
func TestCase99_TagsOfGzippedTables(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	holds := func(what string, a answer) string {
		t.Helper()
		tag := f.tagged(a)
		equal(t, what, f.tagged(f.do("GET", tablePath, "")), tag)
		f.must(304, f.do("GET", tablePath, "", "If-None-Match: "+tag))
		return tag
	}
	gzip := `"properties":{"write.metadata.compression-codec":"gzip"}`
	created := f.do("POST", v1+"/namespaces/n/tables", `{"name":"t","schema":`+schema+`,`+gzip+`}`)
	first := holds("create", created)
	committed := f.do("POST", tablePath, setProperty("a", "b"))
	last := holds("commit", committed)
	holds("commit without effect", f.do("POST", tablePath, setProperty("a", "b")))
	var was, is loadedTable
	created.into(t, &was)
	committed.into(t, &is)
	f.must(204, f.do("DELETE", tablePath, ""))
	equal(t, "tag of what is registered", holds("register", f.do("POST", registerPath, registerBody("t", *was.Location))), first)
	overwrite := strings.Replace(registerBody("t", *is.Location), "}", `,"overwrite":true}`, 1)
	equal(t, "tag of what is registered over it", holds("overwrite", f.do("POST", registerPath, overwrite)), last)
	equal(t, "tag of the same file over it", holds("overwrite", f.do("POST", registerPath, overwrite)), last)
}

// Case 99: who has it is told so, in every spelling of the tag, and who has
// another gets it all.
func TestCase99_NotModified(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	tag := f.tagged(f.table("n", "t"))
	bare := opaque(tag)
	for _, held := range []string{tag, `"` + bare + `"`, bare, `W/` + bare, `"x", ` + tag, bare + `,"y"`, "*"} {
		a := f.must(304, f.do("GET", tablePath, "", "If-None-Match: "+held))
		if len(a.body) != 0 || a.tag() != tag || a.Header.Get("Content-Length") != "" {
			t.Errorf("%s: %q, headers %v", held, a.body, a.Header)
		}
	}
	f.must(304, f.do("GET", tablePath, "", `If-None-Match: "x"`, "If-None-Match: "+tag))
	for _, held := range []string{"", `"x"`, `W/"x"`, bare[1:], "W/", strings.ToUpper(bare)} {
		f.tagged(f.do("GET", tablePath, "", "If-None-Match: "+held))
	}
	f.tagged(f.do("GET", tablePath+"?snapshots=refs", "", "If-None-Match: "+tag))
	refs := f.tagged(f.do("GET", tablePath+"?snapshots=refs", ""))
	f.must(304, f.do("GET", tablePath+"?snapshots=refs", "", "If-None-Match: "+refs))
	f.tagged(f.do("GET", tablePath, "", "If-None-Match: "+refs))
	f.must(200, f.do("POST", tablePath, setProperty("a", "b"), "If-None-Match: "+tag))
	f.tagged(f.do("GET", tablePath, "", "If-None-Match: "+tag))
}

// A rename moves the name alone: what a client holds of the table stays good.
func TestCase99_Rename(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	tag := f.tagged(f.table("n", "t"))
	f.must(204, f.do("POST", v1+"/tables/rename",
		`{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["n"],"name":"u"}}`))
	f.fails(f.do("GET", tablePath, "", "If-None-Match: "+tag), 404, "NoSuchTableException")
	f.must(304, f.do("GET", v1+"/namespaces/n/tables/u", "", "If-None-Match: "+tag))
}

// Case 65: the tag of a version that a restore has undone is that of no other,
// also when the one before it is current again.
func TestCase65_TagsNameVersions(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	values, tags := []string{"1", "2", "1"}, map[string]bool{}
	for _, value := range values {
		tags[f.tagged(f.do("POST", tablePath, setProperty("k", value)))] = true
	}
	equal(t, "tags of versions", len(tags), len(values))
}

// Case 99 and rck §1.1: a missing file is told also to who has its tag, and
// nothing at all to who may not ask.
func TestCase99_MissingFileAndStrangers(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	tag := f.tagged(f.table("n", "t"))
	guard, err := access.NewGuard(access.Token{Name: "etl", SHA256: journal.Sum([]byte("secret"))})
	if err != nil {
		t.Fatal(err)
	}
	open := f.handler
	f.options.Access = guard
	f.handler = New(f.options)
	f.fails(f.do("GET", tablePath, "", "If-None-Match: "+tag), 401, "NotAuthorizedException")
	f.must(304, f.do("GET", tablePath, "", "If-None-Match: "+tag, "Authorization: Bearer secret"))
	f.handler = open
	f.stores["default"].Delete(t.Context(), f.fileOf("n", "t"))
	for _, held := range []string{tag, "*"} {
		f.fails(f.do("GET", tablePath, "", "If-None-Match: "+held), 404, "NotFoundException")
	}
}
