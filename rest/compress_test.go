package rest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"puddle/journal"
)

// unzipped is what an answer holds, once it is inflated.
func unzipped(t *testing.T, a answer) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// Case 104: a compressed answer is whole before it begins, has its length, and
// holds the same under the same tag.
func TestCase104_CompressedAnswers(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.must(200, f.do("POST", tablePath, setProperty("long", strings.Repeat("text ", 10_000))))
	plain := f.must(200, f.do("GET", tablePath, ""))
	a := f.must(200, f.do("GET", tablePath, "", "Accept-Encoding: gzip, deflate"))
	if !bytes.Equal(unzipped(t, a), plain.body) || len(a.body) >= len(plain.body)/10 {
		t.Errorf("%d bytes instead of %d", len(a.body), len(plain.body))
	}
	equal(t, "Content-Encoding", a.Header.Get("Content-Encoding"), "gzip")
	equal(t, "Content-Length", a.Header.Get("Content-Length"), fmt.Sprint(len(a.body)))
	equal(t, "bytes sent", f.logged().BytesOut, int64(len(a.body)))
	equal(t, "tag", a.tag(), plain.tag())
	for _, answer := range []answer{a, plain, f.must(304, f.do("GET", tablePath, "", "If-None-Match: "+a.tag()))} {
		equal(t, "Vary", answer.Header.Get("Vary"), "Accept-Encoding")
	}
	if small := f.do("GET", v1+"/namespaces", "", "Accept-Encoding: gzip"); small.Header.Get("Content-Encoding") != "" {
		t.Errorf("%d bytes were compressed", len(small.body))
	}
	wrong := f.do("GET", v1+"/namespaces/n/tables/"+strings.Repeat("x", 1024)+"", "", "Accept-Encoding: gzip")
	if wrong.StatusCode != 404 || !bytes.Contains(unzipped(t, wrong), []byte("NoSuchTableException")) {
		t.Errorf("a long error: %d, %v", wrong.StatusCode, wrong.Header)
	}
}

// A compressed answer holds what the plain one does, made now or from memory:
// each way of showing a table its own.
func TestCompressedDocuments(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.snapshots("n", "t", 20)
	f.must(200, f.do("POST", v1+"/namespaces/n/views", strings.Replace(viewBody("v"), "select", strings.Repeat(" ", minCompressed)+"select", 1)))
	for _, path := range []string{tablePath, tablePath + "?snapshots=refs", tablePath + "?snapshots=all", v1 + "/namespaces/n/views/v"} {
		plain := f.must(200, f.do("GET", path, ""))
		for _, when := range []string{"now", "again"} {
			a := f.must(200, f.do("GET", path, "", "Accept-Encoding: gzip"))
			equal(t, path+" "+when, string(unzipped(t, a)), string(plain.body))
			equal(t, path+" "+when+": length", a.Header.Get("Content-Length"), fmt.Sprint(len(a.body)))
		}
	}
	for _, value := range []string{"a", "b"} { // what is staged has no digest
		long := strings.Repeat(value, minCompressed)
		a := f.must(200, f.do("POST", v1+"/namespaces/n/tables",
			`{"name":"s","stage-create":true,"schema":`+schema+`,"properties":{"p":"`+long+`"}}`, "Accept-Encoding: gzip"))
		if !bytes.Contains(unzipped(t, a), []byte(long)) {
			t.Errorf("staged %s: another table", value)
		}
	}
}

// What a commit's answer compressed is not compressed again by loads, and the
// other way round.
func TestDocumentsAreCompressedOnce(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.snapshots("n", "t", 20)
	c := f.options.Warehouses[0].Catalog
	known := func(shown string) bool {
		table, err := c.LoadTable(t.Context(), journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Form(table.Digest, shown+" deflated", func() ([]byte, error) { return nil, errors.New("unknown") })
		return err == nil
	}
	if known(snapshotsAll) {
		t.Error("compressed before anybody asked")
	}
	f.do("GET", tablePath, "", "Accept-Encoding: gzip")
	if !known(snapshotsAll) || known(snapshotsRefs) {
		t.Errorf("after a load: %v, refs %v", known(snapshotsAll), known(snapshotsRefs))
	}
	f.must(200, f.do("POST", tablePath, setProperty("k", "v"), "Accept-Encoding: gzip"))
	if !known(snapshotsAll) {
		t.Error("not after a commit")
	}
}

func TestTakesGzip(t *testing.T) {
	for line, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "gzip, deflate": true, "deflate,gzip ; q=0.5": true,
		"*": true, "*;q=0": false, "gzip;q=0, *": false, "gzip;q=0": false, "gzip;q=0.000": false, "identity": false,
		"deflate, br, zstd": false, "gzip;q=0.2, identity;q=0.5": false, "gzip;q=1.0, identity;q=0.5, *;q=0": true,
		"gzip;q=x": false, "gzip;q=2": false, "gzip;q=NaN": false, "gzip;Q=0": false, "gzipped": false,
	} {
		if got := takesGzip([]string{line}); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	if !takesGzip([]string{"deflate", "gzip"}) {
		t.Error("two lines are not read as one")
	}
}
