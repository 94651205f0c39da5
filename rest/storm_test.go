package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/warehouse"
)

// held is a store that keeps whoever stages a file in one folder.
type held struct {
	warehouse.Store
	folder  string
	arrived chan struct{} // one for each that came
	let     chan struct{} // closed to let them all go
}

// Stage implements warehouse.Store.
func (s held) Stage(ctx context.Context, key string, data []byte) (warehouse.Info, error) {
	if strings.HasPrefix(key, s.folder) {
		s.arrived <- struct{}{}
		<-s.let
	}
	return s.Store.Stage(ctx, key, data)
}

// hold makes the storage of a table's folder stand still for writers.
func (f *fixture) hold(table string) held {
	f.t.Helper()
	file := f.fileOf("n", table)
	root := &f.options.Warehouses[0].Catalog.Roots[0]
	h := held{root.Store, file[:strings.Index(file, "/")+1], make(chan struct{}), make(chan struct{})}
	root.Store = h
	return h
}

// Case 122: many writers of one table, whose storage stands still, keep nobody
// from other tables, from its namespace or from reading it.
func TestCase122_StormOnOneTable(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "a")
	f.table("n", "b")
	h := f.hold("a")
	var storm sync.WaitGroup
	statuses := make([]int, 16)
	for i := range statuses {
		storm.Go(func() {
			statuses[i] = f.do("POST", v1+"/namespaces/n/tables/a", setProperty("k", "v")).StatusCode
		})
	}
	<-h.arrived // one writes its file, the others wait for it
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/namespaces/n/tables/b", setProperty("k", "1")},
		{"POST", "/transactions/commit", transaction(changeOf("b", "k", "2"))},
		{"POST", "/namespaces/n/properties", `{"updates":{"a":"b"}}`},
		{"POST", "/namespaces/n/tables/b", setProperty("k", "3")},
		{"POST", "/namespaces", `{"namespace":["n","m"]}`},
		{"POST", "/namespaces/n/tables", `{"name":"c","schema":` + schema + `}`},
		{"POST", "/namespaces/n/views", viewBody("v")},
		{"POST", "/tables/rename", `{"source":{"namespace":["n"],"name":"c"},"destination":{"namespace":["n"],"name":"d"}}`},
		{"DELETE", "/namespaces/n/tables/d", ""},
		{"GET", "/namespaces/n/tables/a", ""},
		{"GET", "/namespaces/n/tables", ""},
	} {
		if a := f.do(c.method, v1+c.path, c.body); a.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.StatusCode, a.body)
		}
	}
	equal(t, "the table as it was", f.property("a", "k"), "")
	close(h.let)
	storm.Wait()
	for i, status := range statuses {
		equal(t, "writer", [2]int{i, status}, [2]int{i, http.StatusOK})
	}
	equal(t, "events of the storm", len(f.events("kind=tables-committed&identifier=n.a")), 1)
}

// A request that waits for others longer than it may is told that it was not done
// and to come again, with the status that says so on its route, and it never is.
func TestWaitingTooLongForAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, nil)
		f.ns("n")
		f.table("n", "t")
		f.view("n", "v")
		release := make(chan struct{})
		f.trouble.instead = func() error {
			<-release
			return errors.New("disk full")
		}
		var stuck sync.WaitGroup
		for path, body := range map[string]string{
			"/namespaces/n/tables/t": setProperty("k", "v"), "/namespaces/n/views/v": setProperty("k", "v"),
			"/namespaces/n/properties": `{"updates":{"k":"v"}}`,
		} {
			stuck.Go(func() { f.do("POST", v1+path, body) })
		}
		synctest.Wait()
		create := createCommit(t, f, "n", "new")
		head, began := f.events("")[0].Seq, time.Now()
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"POST", "/namespaces/n/tables/t", setProperty("k", "1"), 429},
			{"POST", "/namespaces/n/views/v", setProperty("k", "1"), 429},
			{"POST", "/transactions/commit", transaction(changeOf("t", "k", "2")), 429},
			{"POST", "/namespaces/n/tables/new", create, 429},
			{"DELETE", "/namespaces/n/tables/t", "", 503},
			{"POST", "/namespaces/n/tables/t/unregister", "", 503},
			{"POST", "/tables/rename", `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["n"],"name":"u"}}`, 503},
			{"DELETE", "/namespaces/n/views/v", "", 503},
			{"POST", "/namespaces/n/tables", `{"name":"u","schema":` + schema + `}`, 503},
			{"DELETE", "/namespaces/n", "", 503},
		} {
			a := f.do(c.method, v1+c.path, c.body)
			if message := f.fails(a, c.status, "SlowDownException"); a.Header.Get("Retry-After") == "" || !strings.Contains(message, "not made") {
				t.Errorf("%s %s: %q, Retry-After %q", c.method, c.path, message, a.Header.Get("Retry-After"))
			}
			if waited := time.Since(began); waited != DefaultRequestTimeout {
				t.Errorf("%s %s: waited %v", c.method, c.path, waited)
			}
			began = time.Now()
		}
		close(release)
		stuck.Wait()
		f.trouble.instead = nil
		f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", setProperty("k", "1")))
		equal(t, "events", f.events("")[0].Seq-head, 1)
	})
}
