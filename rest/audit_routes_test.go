package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"puddle/journal"
	"puddle/rest/access"
	"puddle/rest/access/vended"
)

// secrets are what may be nowhere but in answers: tokens of callers, also wrong ones, and
// what STS made.
var secrets = []string{"s3cret-token", "wr0ng-token", "HUSH-", "TOKEN-"}

// serveAudited is a server in a bucket that wants tokens and vends credentials. A request
// without a token is sent with the right one.
func serveAudited(t *testing.T) *fixture {
	t.Helper()
	guard, err := access.NewGuard(access.Token{Name: "etl", SHA256: journal.Sum([]byte("s3cret-token"))})
	if err != nil {
		t.Fatal(err)
	}
	f := serveBucket(t, func(o *Options) {
		o.Access = guard
		o.Warehouses[0].Objects = ObjectStore{Config: service, Vendor: vended.New(vended.Options{Issuer: &sts{now: o.Now}, Life: time.Hour, Now: o.Now})}
	})
	inner := f.handler
	f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer s3cret-token")
		}
		inner.ServeHTTP(w, r)
	})
	return f
}

// TestCase152_EveryRoute: each route that changes something, once by somebody who is not
// known and once by one who is. The first leaves a line in the log and no event, the second
// one event with who, what and which request. No secret is in the journal or in the log.
func TestCase152_EveryRoute(t *testing.T) {
	routes := 0
	for _, e := range append(catalogEndpoints(), puddleEndpoints()...) {
		if !e.writes || e.path == puddleBase+"/warehouses/{warehouse}/repoint" { // which needs a second file
			continue
		}
		routes++
		f := serveAudited(t)
		r, ok := f.changing()[e.method+" "+e.path]
		if !ok {
			t.Errorf("no request for %s %s", e.method, e.path)
			continue
		}
		before := f.records()
		f.fails(f.do(e.method, r.path, r.body, vend, "X-Request-Id: denied", "Authorization: Bearer wr0ng-token"), 401, "NotAuthorizedException")
		if line := f.logged(); line.Status != 401 || line.ID != "denied" || line.Method != e.method {
			t.Errorf("%s %s denied: %+v", e.method, e.path, line)
		}
		equal(t, e.path+": records after a denial", len(f.records()), len(before))
		a := f.do(e.method, r.path, r.body, vend, "X-Request-Id: allowed")
		if a.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s", e.method, e.path, a.StatusCode, a.body)
		}
		if line := f.logged(); line.ID != "allowed" || line.Actor != "token:etl" {
			t.Errorf("%s %s allowed: %+v", e.method, e.path, line)
		}
		after := f.records()
		equal(t, e.path+": records after a change", len(after), len(before)+1)
		if event := f.events("")[0]; event.RequestID != "allowed" || event.Actor != "token:etl" || event.Origin != "rest" {
			t.Errorf("%s %s: %+v", e.method, e.path, event)
		}
		f.keepsSecrets(after)
	}
	if routes < 15 {
		t.Errorf("%d routes", routes)
	}
}

// Loads with credentials are in the log, and their credentials nowhere.
func TestCase152_CredentialsAreNotKept(t *testing.T) {
	f := serveAudited(t)
	f.ns("n")
	f.table("n", "t")
	before := len(f.records())
	if d := f.delegated(f.do("GET", tablePath, "", vend)); !strings.HasPrefix(d.Config["s3.secret-access-key"], "HUSH-") {
		t.Fatalf("%v", d.Config)
	}
	f.must(200, f.do("GET", tablePath+"/credentials", ""))
	f.delegated(f.do("POST", v1+"/namespaces/n/tables", `{"name":"staged","stage-create":true,"schema":`+schema+`}`, vend,
		"Idempotency-Key: 0193a2c4-0000-7000-8000-000000000001"))
	equal(t, "records", len(f.records()), before)
	f.keepsSecrets(f.records())
}

// records are those of the journal, as they are kept.
func (f *fixture) records() (all []string) {
	f.t.Helper()
	for entry, err := range f.journal.Warehouse(f.warehouses[0].id).(journal.Entries).Entries(f.t.Context(), 0) {
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, string(entry.Record))
	}
	return all
}

// keepsSecrets fails where one is in a record or in the log.
func (f *fixture) keepsSecrets(records []string) {
	f.t.Helper()
	f.mu.Lock()
	lines := fmt.Sprintf("%+v", f.log)
	f.mu.Unlock()
	for _, text := range append(slices.Clone(records), lines) {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				f.t.Errorf("%s is in %.300s", secret, text)
			}
		}
	}
}
