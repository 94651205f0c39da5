package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"puddle/journal"
)

// bubble is the clock of a synctest bubble.
type bubble struct{}

// Read implements recorder.Clock.
func (bubble) Read() journal.Instant { return journal.At(time.Now()) }

// answered is what a node answers, which must be one of the 200s.
func (n *node) answered(t *testing.T, method, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	n.handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	if w.Code/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.String()
}

// Whole, by a clock of its own: the files of a dropped table are there as long as
// the grace lasts, are gone once it is over, and no others are.
func TestGrace(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "metastore: {type: memory}\n")
	if err := os.Mkdir(c.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	journal.KeepDocument(0, []byte("x"), 1<<10) // what compresses is made once, and not in the bubble
	synctest.Test(t, func(t *testing.T) {
		l, err := acquire(c.DataDir)
		if err != nil {
			t.Fatal(err)
		}
		n, err := newNode(c, zerolog.Nop(), serving, bubble{}).open(t.Context(), l.release)
		if err != nil {
			t.Fatal(err)
		}
		const namespaces = "/api/catalog/v1/namespaces"
		n.answered(t, "POST", namespaces, `{"namespace":["n"]}`)
		for _, name := range []string{"a", "ab"} {
			n.answered(t, "POST", namespaces+"/n/tables", fmt.Sprintf(`{"name":%q,"location":%q,"schema":{"type":"struct","fields":[]}}`, name, dir+"/w/"+name))
			n.answered(t, "POST", namespaces+"/n/tables/"+name, `{"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`)
		}
		if err := os.WriteFile(dir+"/w/a/metadata/foreign", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		had := filesIn(t, dir+"/w")
		n.answered(t, "DELETE", namespaces+"/n/tables/a?purgeRequested=true", "")
		check := func(what, purges string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := filesIn(t, dir+"/w"); !slices.Equal(got, want) {
				t.Errorf("%s: files %q, want %q", what, got, want)
			}
			if status := n.answered(t, "GET", "/api/puddle/v1/status", ""); !strings.Contains(status, purges) {
				t.Errorf("%s: status %s", what, status)
			}
		}
		time.Sleep(c.Warehouses[0].Purge.Grace - time.Second)
		check("before", `"pending":1,"due":0`, had...)
		time.Sleep(2 * time.Second) // the job takes its time
		check("after", `"pending":0,"due":0,"active":true,"closed":1,"files":{"removed":2,"kept":0,"failed":0`,
			slices.DeleteFunc(had, func(f string) bool { return strings.HasPrefix(f, "a/metadata/0") })...)
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
}
