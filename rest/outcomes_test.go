package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"puddle/journal"
	"puddle/projections/recorder"
)

// changing is one request for each route that writes, all of which would be done.
func (f *fixture) changing() map[string]struct{ path, body string } {
	f.t.Helper()
	f.ns("n")
	f.ns("empty")
	f.table("n", "t")
	f.table("n", "u")
	f.view("n", "v")
	const tables, views = "/namespaces/{namespace}/tables", "/namespaces/{namespace}/views"
	old := f.droppedTable("n")
	return map[string]struct{ path, body string }{
		"POST " + tables + "/{table}":                           {tablePath, setProperty("a", "b")},
		"DELETE " + tables + "/{table}":                         {tablePath, ""},
		"POST " + tables + "/{table}/unregister":                {tablePath + "/unregister", ""},
		"POST " + tables:                                        {v1 + "/namespaces/n/tables", `{"name":"new","schema":` + schema + `}`},
		"POST /namespaces":                                      {v1 + "/namespaces", `{"namespace":["new"]}`},
		"DELETE /namespaces/{namespace}":                        {v1 + "/namespaces/empty", ""},
		"POST /namespaces/{namespace}/properties":               {v1 + "/namespaces/n/properties", `{"updates":{"a":"b"}}`},
		"POST /tables/rename":                                   {v1 + "/tables/rename", renameBody("t", "w")},
		"POST /transactions/commit":                             {v1 + "/transactions/commit", transaction(changeOf("t", "a", "b"), changeOf("u", "a", "b"))},
		"POST " + views + "/{view}":                             {v1 + "/namespaces/n/views/v", replaceBody("select 2")},
		"DELETE " + views + "/{view}":                           {v1 + "/namespaces/n/views/v", ""},
		"POST " + views:                                         {v1 + "/namespaces/n/views", viewBody("new")},
		"POST /views/rename":                                    {v1 + "/views/rename", renameBody("v", "w")},
		"POST /namespaces/{namespace}/register":                 {registerPath, registerBody("new", old)},
		"POST /namespaces/{namespace}/register-view":            {v1 + "/namespaces/n/register-view", registerBody("new", f.droppedView("n"))},
		"POST " + puddleBase + "/warehouses/{warehouse}/undrop": {undropPath, `{"table":"n.dropped"}`},
	}
}

func renameBody(from, to string) string {
	return fmt.Sprintf(`{"source":{"namespace":["n"],"name":%q},"destination":{"namespace":["n"],"name":%q}}`, from, to)
}

// TestCase156_Outcomes: an append is done, refused or unknown, on every route.
// What was surely not done leaves no file and is 429 on a commit and 503 elsewhere,
// with Retry-After; what nobody knows leaves its file and is, on a commit, the one
// thing that is answered with a status from 500 to 504.
func TestCase156_Outcomes(t *testing.T) {
	f := serve(t, nil)
	requests := f.changing()
	routes := 0
	for _, e := range append(catalogEndpoints(), puddleEndpoints()...) {
		if !e.writes || e.path == puddleBase+"/warehouses/{warehouse}/repoint" { // which needs a second file
			continue
		}
		routes++
		r, ok := requests[e.method+" "+e.path]
		if !ok {
			t.Errorf("no request for %s %s", e.method, e.path)
			continue
		}
		before := f.files("default")
		refused := func(a answer) {
			t.Helper()
			status := 503
			if e.commits {
				status = 429
			}
			f.fails(a, status, "SlowDownException")
			if a.Header.Get("Retry-After") == "" {
				t.Errorf("%s %s: no Retry-After", e.method, e.path)
			}
			if after := f.files("default"); !maps.Equal(before, after) {
				t.Errorf("%s %s left files", e.method, e.path)
			}
		}
		for _, err := range []error{errors.New("disk full"), recorder.ErrNotRecorded, recorder.ErrStopped} {
			f.trouble.instead = func() error { return err }
			refused(f.do(e.method, r.path, r.body))
		}
		f.trouble.instead = func() error { return fmt.Errorf("%w: sync", journal.ErrUnknownOutcome) }
		f.fails(f.do(e.method, r.path, r.body), 500, "CommitStateUnknownException")
		if after := f.files("default"); e.commits && len(after) <= len(before) {
			t.Errorf("%s %s removed a file that may be the current one", e.method, e.path)
		}
		f.trouble.instead = nil
	}
	if routes != len(requests) {
		t.Errorf("%d requests for %d routes", len(requests), routes)
	}
}

// inDoubt is a journal that does not know whether a key is bound.
type inDoubt struct {
	journal.Reader
	why error
}

func (j inDoubt) Answered(context.Context, journal.Actor, string, time.Time) (journal.Answer, bool, error) {
	return journal.Answer{}, false, j.why
}

// A commit that is sent again, when it is unknown whether the first one was made,
// is not said to be surely undone.
func TestCase156_KeyInDoubt(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	w := &f.options.Warehouses[0]
	kept := w.Journal
	f.trouble.instead = func() error { return recorder.ErrStopped }
	for status, why := range map[int]error{500: journal.ErrUnknownOutcome, 503: errors.New("the database is away")} {
		w.Journal = inDoubt{kept, why}
		f.handler = New(f.options)
		f.fails(f.do("POST", tablePath, setProperty("a", "b"), aKey()), status, "CommitStateUnknownException")
		f.fails(f.do("POST", tablePath, setProperty("a", "b")), 429, "SlowDownException")
	}
}
