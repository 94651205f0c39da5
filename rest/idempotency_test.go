package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// aKey is a header with a fresh key.
func aKey() string { return keyHeader + ": " + uuid.Must(uuid.NewV7()).String() }

// keyedRequest is a request with its key, and the first answer to it.
type keyedRequest struct {
	method, path, body string
	status             int
	key                string
	first              answer
}

// newestFile stands in a body for the newest metadata file that was answered.
const newestFile = "$FILE"

// mutations are requests of every route that changes something, with what they
// change, what they leave and what they refuse.
func mutations() []keyedRequest {
	rename := func(from, to string) string {
		return fmt.Sprintf(`{"source":{"namespace":["n"],"name":%q},"destination":{"namespace":["n"],"name":%q}}`, from, to)
	}
	create := `{"name":"t","schema":` + schema + `}`
	requests := []keyedRequest{
		{method: "POST", path: "/namespaces", body: `{"namespace":["n"],"properties":{"a":"b"}}`, status: 200},
		{method: "POST", path: "/namespaces", body: `{"namespace":["n"],"properties":{"a":"b"}}`, status: 409},
		{method: "POST", path: "/namespaces", body: `{"namespace":["gone"]}`, status: 200},
		{method: "DELETE", path: "/namespaces/gone", status: 204},
		{method: "DELETE", path: "/namespaces/gone", status: 404},
		{method: "POST", path: "/namespaces/n/properties", body: `{"removals":["a","x","x"],"updates":{"d":"1","c":"2"}}`, status: 200},
		{method: "POST", path: "/namespaces/n/properties", body: `{"removals":["x"],"updates":{"c":"2"}}`, status: 200},
		{method: "POST", path: "/namespaces/n/properties", body: `{"removals":["x"],"updates":{"x":"2"}}`, status: 422},
		{method: "POST", path: "/namespaces/n/tables", body: `{"name":"t","stage-create":true,"schema":` + schema + `}`, status: 200},
		{method: "POST", path: "/namespaces/n/tables", body: create, status: 200},
		{method: "POST", path: "/namespaces/n/tables", body: create, status: 409},
		{method: "POST", path: "/namespaces/n/tables", body: `{"name":"t"}`, status: 400},
		{method: "POST", path: "/namespaces/n/tables/t", body: setProperty("k", "1"), status: 200},
		{method: "POST", path: "/namespaces/n/tables/t", body: setProperty("k", "1"), status: 200},
		{method: "POST", path: "/namespaces/n/tables/t", body: setProperty("k", "2"), status: 200},
		{method: "POST", path: "/namespaces/n/tables/t", body: `{"requirements":[{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":5}],"updates":[]}`, status: 409},
		{method: "POST", path: "/transactions/commit", body: transaction(changeOf("t", "k", "3")), status: 204},
		{method: "POST", path: "/tables/rename", body: rename("t", "u"), status: 204},
		{method: "POST", path: "/tables/rename", body: rename("t", "u"), status: 404},
		{method: "DELETE", path: "/namespaces/n/tables/u?purgeRequested=false", status: 204},
		{method: "POST", path: "/namespaces/n/register", body: `{"name":"v","metadata-location":"` + newestFile + `"}`, status: 200},
		{method: "POST", path: "/namespaces/n/register", body: `{"name":"v","metadata-location":"` + newestFile + `","overwrite":true}`, status: 200},
		{method: "POST", path: "/namespaces/n/tables/v/unregister", status: 200},
		{method: "POST", path: "/namespaces/n/tables/v/unregister", status: 404},
		{method: "POST", path: "/namespaces/n/views", body: viewBody("v"), status: 200},
		{method: "POST", path: "/namespaces/n/views/v", body: replaceBody("select 2"), status: 200},
		{method: "POST", path: "/views/rename", body: rename("v", "w"), status: 204},
		{method: "DELETE", path: "/namespaces/n/views/w", status: 204},
		{method: "POST", path: "/namespaces/n/register-view", body: `{"name":"x","metadata-location":"` + newestFile + `"}`, status: 200},
	}
	for i := range requests {
		requests[i].key = aKey()
	}
	return requests
}

// tell sends the whole story for the first time.
func (f *fixture) tell(requests []keyedRequest) {
	f.t.Helper()
	file := ""
	for i := range requests {
		r := &requests[i]
		r.body = strings.ReplaceAll(r.body, newestFile, file)
		r.first = f.do(r.method, v1+r.path, r.body, r.key)
		if r.first.StatusCode != r.status {
			f.t.Fatalf("%s %s: status %d, want %d: %s", r.method, r.path, r.first.StatusCode, r.status, r.first.body)
		}
		var l loadedTable
		if r.first.StatusCode == 200 && json.Unmarshal(r.first.body, &l) == nil && l.Location != nil {
			file = *l.Location
		}
	}
}

// tellAgain sends it once more: every answer is the first one, and nothing
// happens.
func (f *fixture) tellAgain(requests []keyedRequest) {
	f.t.Helper()
	head := f.events("")[0].Seq
	for _, r := range requests {
		again := f.do(r.method, v1+r.path, r.body, r.key)
		if again.StatusCode != r.status || string(again.body) != string(r.first.body) {
			f.t.Errorf("%s %s: first %d %s\nagain %d %s", r.method, r.path, r.status, r.first.body, again.StatusCode, again.body)
		}
	}
	if now := f.events("")[0].Seq; now != head {
		f.t.Errorf("%d events were made by requests that were sent again", now-head)
	}
}

// Case 105: whatever was answered is answered again, by the process that did it
// and by the next one.
func TestCase105_EveryRouteAndRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	open := func() *bolt.Journal {
		j, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return j
	}
	f := serveFrom(t, open(), nil)
	requests := mutations()
	f.tell(requests)
	f.tellAgain(requests)
	for _, end := range []func() error{f.stop, f.journal.Close} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	f.journal = open()
	f.start()
	f.tellAgain(requests)
}

// Every route of the protocol that changes something can answer again, and is among
// those that are tried.
func TestCase105_NoRouteIsForgotten(t *testing.T) {
	f := serve(t, nil)
	tried := map[*endpoint]bool{}
	for _, r := range mutations() {
		found := f.handler.(*server).router.find(httptest.NewRequest(r.method, v1+r.path, nil).URL).resource
		tried[found[r.method]] = true
	}
	for _, methods := range f.handler.(*server).router.resources {
		for _, e := range methods {
			if e.writes && !strings.HasPrefix(e.path, puddleBase) && (e.again == nil || !tried[e]) {
				t.Errorf("%s %s: answers again %v, tried %v", e.method, e.path, e.again != nil, tried[e])
			}
		}
	}
}

// Cases 105 and 123: a key stands for one request. The same one takes effect
// once; any other is refused, and so is what is no key.
func TestCase105_OneKeyOneRequest(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.table("n", "u")
	key := aKey()
	first := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	f.must(200, f.do("POST", tablePath, setProperty("k", "2")))
	again := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	equal(t, "answer again", string(again.body), string(first.body))
	equal(t, "tag again", again.tag(), first.tag())
	equal(t, "property", f.property("t", "k"), "2")
	f.must(200, f.do("POST", tablePath, zipped(t, setProperty("k", "1")), key, "Content-Encoding: gzip"))
	f.must(200, f.do("POST", tablePath, setProperty("k", "1"), keyHeader+": "+strings.ToUpper(strings.TrimPrefix(key, keyHeader+": "))))

	f.fails(f.do("POST", tablePath, setProperty("k", "3"), key), 422, "UnprocessableEntityException")
	f.fails(f.do("POST", v1+"/namespaces/n/tables/u", setProperty("k", "1"), key), 422, "UnprocessableEntityException")
	f.fails(f.do("DELETE", tablePath, "", key), 422, "UnprocessableEntityException")
	drop := aKey()
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/u?purgeRequested=false", "", drop))
	f.fails(f.do("DELETE", v1+"/namespaces/n/tables/u?purgeRequested=true", "", drop), 422, "UnprocessableEntityException")

	v4, v7 := uuid.New().String(), uuid.Must(uuid.NewV7()).String()
	for _, wrong := range []string{"", "1", v4, "{" + v7 + "}", "urn:uuid:" + v7, strings.ReplaceAll(v7, "-", ""), v7 + " x", v7[:35] + "x"} {
		f.fails(f.do("POST", tablePath, setProperty("k", "4"), keyHeader+": "+wrong), 400, "BadRequestException")
	}
	f.fails(f.do("POST", tablePath, setProperty("k", "4"), aKey(), aKey()), 400, "BadRequestException")
	f.must(200, f.do("GET", tablePath, "", keyHeader+": of a read is not looked at"))
	equal(t, "property", f.property("t", "k"), "2")
	if seen := f.events("kind=tables-committed&limit=10"); len(seen) != 2 {
		t.Errorf("%d commits", len(seen))
	}
}

// Case 105: what one actor sends answers no other, and who was not let in binds
// nothing.
func TestCase105_ActorsAreApart(t *testing.T) {
	f := serve(t, func(o *Options) {
		guard, err := access.NewGuard(access.Token{Name: "a", SHA256: journal.Sum([]byte("a"))}, access.Token{Name: "b", SHA256: journal.Sum([]byte("b"))})
		if err != nil {
			t.Fatal(err)
		}
		o.Access = guard
	})
	key, body := aKey(), `{"namespace":["n"]}`
	f.fails(f.do("POST", v1+"/namespaces", body, key), 401, "NotAuthorizedException")
	f.must(200, f.do("POST", v1+"/namespaces", body, key, "Authorization: Bearer a"))
	f.fails(f.do("POST", v1+"/namespaces", body, key, "Authorization: Bearer b"), 409, "AlreadyExistsException")
	f.must(200, f.do("POST", v1+"/namespaces", body, key, "Authorization: Bearer a"))
	f.fails(f.do("POST", v1+"/namespaces", body, key, "Authorization: Bearer b"), 409, "AlreadyExistsException")
}

// Case 105: what says nothing of the next try is not kept.
func TestCase105_PassingAnswersAreNotKept(t *testing.T) {
	f := serve(t, func(o *Options) { o.MaxBody = 1000 })
	f.ns("n")
	f.table("n", "t")
	key := aKey()
	for status, err := range map[int]error{429: errors.New("disk full"), 500: journal.ErrUnknownOutcome} {
		f.trouble.instead = func() error { return err }
		f.must(status, f.do("POST", tablePath, setProperty("k", "1"), key))
	}
	f.trouble.instead = func() error { panic("in the middle") }
	f.must(500, f.do("POST", tablePath, setProperty("k", "1"), key))
	f.trouble.instead = nil
	f.must(413, f.do("POST", tablePath, strings.Repeat(" ", 1001), key))
	f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	equal(t, "property", f.property("t", "k"), "1")
}

// deafRecorder records, and says that it does not know.
type deafRecorder struct{ catalog.Recorder }

// Record implements catalog.Recorder.
func (r deafRecorder) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if _, err := r.Recorder.Record(ctx, d); err != nil {
		return journal.Event{}, err
	}
	return journal.Event{}, journal.ErrUnknownOutcome
}

// Case 105: a change whose outcome was unknown is told by its key once it is
// known.
func TestCase105_UnknownOutcome(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	key := aKey()
	f.trouble.Recorder = deafRecorder{f.trouble.Recorder}
	f.fails(f.do("POST", tablePath, setProperty("k", "1"), key), 500, "CommitStateUnknownException")
	a := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	if !strings.Contains(string(a.body), `"k":"1"`) {
		t.Errorf("%s", a.body)
	}
}

// Case 105: the same request many times at once is done once, and all are told
// the same.
func TestCase105_AtOnce(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	const clients = 16
	key, body := aKey(), `{"name":"t","schema":`+schema+`}`
	answers := make([]string, clients)
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			a := f.do("POST", v1+"/namespaces/n/tables", body, key)
			answers[i] = fmt.Sprint(a.StatusCode, " ", string(a.body))
		})
	}
	wait.Wait()
	if same := slices.Compact(answers); len(same) != 1 || !strings.HasPrefix(same[0], "200") {
		t.Errorf("%q", same)
	}
	equal(t, "events", len(f.events("kind=table-created")), 1)
}

// Case 105: who waited in vain for the same request to be answered does not know
// what became of it, and is not told that it was not done.
func TestCase105_WaitingInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, nil)
		f.ns("n")
		f.table("n", "t")
		hold := make(chan struct{})
		f.trouble.instead = func() error {
			<-hold
			return errors.New("disk full")
		}
		key := aKey()
		first := make(chan answer)
		go func() { first <- f.do("POST", tablePath, setProperty("k", "1"), key) }()
		synctest.Wait()
		f.fails(f.do("POST", tablePath, setProperty("k", "1"), key), 500, "CommitStateUnknownException")
		close(hold)
		f.fails(<-first, 429, "SlowDownException")
		f.trouble.instead = nil
		f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	})
}

// Case 105: when another server of the same journal was first with the same
// request, its answer is told; when the journal does not know what was first,
// nobody is told that nothing happened.
func TestCase105_AnotherServerWasFirst(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	options := f.options
	options.Warehouses = slices.Clone(options.Warehouses)
	options.Warehouses[0].Catalog = catalog.New(f.options.Warehouses[0].Catalog.Options)
	key, first := aKey(), answer{}
	f.trouble.instead = func() error {
		f.trouble.instead = nil
		f.handler = New(options)
		first = f.do("POST", tablePath, setProperty("k", "1"), key)
		return journal.ErrKeyTaken
	}
	mine := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	equal(t, "answer", string(mine.body), string(f.must(200, first).body))
	equal(t, "commits", len(f.events("kind=tables-committed")), 1)
	f.trouble.instead = func() error { return journal.ErrKeyTaken }
	f.fails(f.do("POST", tablePath, setProperty("k", "2"), aKey()), 500, "CommitStateUnknownException")
}

// Case 105: a key is known for as long as config says, and free afterwards.
func TestCase105_Lifetime(t *testing.T) {
	f := serve(t, func(o *Options) { o.KeyLifetime = time.Hour })
	var c configuration
	f.must(200, f.do("GET", "/api/catalog/v1/config", "")).into(t, &c)
	equal(t, "lifetime", c.KeyLifetime, "PT1H")
	key, body := aKey(), `{"namespace":["n"]}`
	f.must(200, f.do("POST", v1+"/namespaces", body, key))
	f.clock.forward(59 * time.Minute)
	f.must(200, f.do("POST", v1+"/namespaces", body, key))
	f.clock.forward(time.Minute)
	f.fails(f.do("POST", v1+"/namespaces", body, key), 409, "AlreadyExistsException")
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["m"]}`, aKey()))
}

// A document that the journal did not keep is answered from its file, and when
// that is gone as well the client is not told that nothing happened.
func TestCase105_DocumentIsNotKept(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	f.options.Warehouses[0].Catalog.MaxDocument = 1
	key := aKey()
	first := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	again := f.must(200, f.do("POST", tablePath, setProperty("k", "1"), key))
	equal(t, "answer again", string(again.body), string(first.body))
	if err := f.stores["default"].Delete(t.Context(), f.fileOf("n", "t")); err != nil {
		t.Fatal(err)
	}
	f.fails(f.do("POST", tablePath, setProperty("k", "1"), key), 500, "CommitStateUnknownException")
}

func TestISODuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Minute: "PT30M", 90 * time.Minute: "PT1H30M", time.Second: "PT1S", 25 * time.Hour: "PT25H",
		time.Hour + time.Second: "PT1H1S", 1500 * time.Millisecond: "PT1S", time.Millisecond: "PT0S",
	} {
		equal(t, d.String(), isoDuration(d), want)
	}
}

// Where answers cannot be kept, keys are not offered and not looked at.
func TestKeysAreNotOffered(t *testing.T) {
	f := serve(t, func(o *Options) { o.Warehouses[0].Remember = nil })
	if a := f.must(200, f.do("GET", "/api/catalog/v1/config", "")); strings.Contains(string(a.body), "idempotency") {
		t.Errorf("%s", a.body)
	}
	key := aKey()
	f.must(200, f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, key))
	f.must(409, f.do("POST", v1+"/namespaces", `{"namespace":["n"]}`, key))
}
