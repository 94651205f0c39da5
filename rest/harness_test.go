package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// fixture is a whole catalog in memory behind its HTTP handler.
type fixture struct {
	t       testing.TB
	options Options
	handler http.Handler
	journal journal.Journal
	stores  map[string]*memory.Store // by warehouse
	trouble trouble
	clock   *tick
	change  func(*Options) // at each start; may be nil
	stop    func() error   // ends what start began
	bucket  bool           // the warehouses are in one

	warehouses []warehouseID

	mu  sync.Mutex
	log []Request // guarded by mu
}

type warehouseID struct {
	name string
	id   uuid.UUID
}

// trouble stands before the recorder and does what a test asks instead.
type trouble struct {
	catalog.Recorder
	instead func() error // nil: nothing
}

// Record implements catalog.Recorder.
func (t *trouble) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if t.instead != nil {
		return journal.Event{}, t.instead()
	}
	return t.Recorder.Record(ctx, d)
}

// tick is a clock that goes one second on at each reading.
type tick struct {
	mu  sync.Mutex
	now time.Time
}

func (t *tick) next() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = t.now.Add(time.Second)
	return t.now
}

func (t *tick) forward(by time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = t.now.Add(by)
}

// Read implements recorder.Clock.
func (t *tick) Read() journal.Instant { return journal.At(t.next()) }

var epoch = time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC)

// serve makes a server of the warehouses, "default" unless named.
func serve(t testing.TB, change func(*Options), names ...string) *fixture {
	t.Helper()
	return serveFrom(t, journal.NewMemory(), change, names...)
}

// serveFrom makes a server over an empty journal.
func serveFrom(t testing.TB, j journal.Journal, change func(*Options), names ...string) *fixture {
	t.Helper()
	if len(names) == 0 {
		names = []string{"default"}
	}
	return (&fixture{t: t, journal: j, change: change}).serve(names...)
}

// serveBucket makes a server of a warehouse in a bucket.
func serveBucket(t testing.TB, change func(*Options)) *fixture {
	t.Helper()
	return (&fixture{t: t, journal: journal.NewMemory(), change: change, bucket: true}).serve("default")
}

func (f *fixture) serve(names ...string) *fixture {
	f.t.Helper()
	f.clock, f.stores = &tick{now: epoch}, map[string]*memory.Store{}
	for _, name := range names {
		born := warehouseID{name, uuid.New()}
		f.bear(born.id, name, f.clock)
		f.warehouses = append(f.warehouses, born)
		f.stores[name] = memory.New()
	}
	f.start()
	return f
}

// start begins to serve what is in the journal and the stores, as a process does.
func (f *fixture) start() {
	f.t.Helper()
	state := projections.NewMemory()
	for _, w := range f.warehouses {
		if err := projections.CatchUp(f.t.Context(), journal.Lineage(f.journal, w.id), 0, state.Warehouse(w.id)); err != nil {
			f.t.Fatal(err)
		}
	}
	r, err := recorder.New(f.t.Context(), f.journal, state, recorder.Options{Clock: f.clock})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = r.Close() })
	f.trouble.Recorder, f.options = r, Options{Log: f.keep, Now: f.clock.next}
	for _, w := range f.warehouses {
		f.options.Warehouses = append(f.options.Warehouses, f.open(w.name, w.id, r, f.clock))
	}
	if f.options.Access, err = access.NewGuard(); err != nil {
		f.t.Fatal(err)
	}
	if f.change != nil {
		f.change(&f.options)
	}
	f.stop = r.Close
	f.handler = New(f.options)
}

func (f *fixture) bear(id uuid.UUID, name string, clock *tick) {
	f.t.Helper()
	entry, _, err := journal.NewChain(id, uuid.New(), 0).Next(journal.Draft{
		Warehouse: id, ID: uuid.Must(uuid.NewV7()), Cause: journal.Cause{Actor: journal.SystemActor("start"), Origin: journal.OriginCLI},
		Body: journal.IncarnationStarted{Build: "test", Location: f.root(name), Name: name, Reason: "birth"},
	}, clock.Read())
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.journal.Append(f.t.Context(), entry); err != nil {
		f.t.Fatal(err)
	}
}

func root(name string) string { return "file:///warehouses/" + name }

func (f *fixture) root(name string) string {
	if f.bucket {
		return "s3://lake/" + name
	}
	return root(name)
}

func (f *fixture) open(name string, id uuid.UUID, r *recorder.Recorder, clock *tick) Warehouse {
	f.t.Helper()
	location, err := warehouse.ParseLocation(f.root(name))
	if err != nil {
		f.t.Fatal(err)
	}
	store := f.stores[name]
	roots := warehouse.Roots{{URL: f.root(name), Location: location, Store: store}}
	state, lineage := r.Reader(id), journal.Lineage(f.journal, id)
	return Warehouse{
		Name: name, Location: f.root(name), ID: id, Journal: lineage, State: state,
		Past: projections.NewPast(id, lineage, state), Left: projections.NewLeft(id, f.journal).Past,
		Catalog: catalog.New(catalog.Options{
			ID: id, Roots: roots, Reader: state, Recorder: &f.trouble, Journal: f.journal.Warehouse(id), Now: clock.next,
			MaxDocument: journal.MaxDocumentBytes, DropKeep: 168 * time.Hour, PurgeGrace: 24 * time.Hour,
		}),
		Remember: func(ctx context.Context, a journal.Answer) error { return r.Remember(ctx, id, a) },
		Present: func(ctx context.Context, location string) (bool, error) {
			_, key, err := roots.Resolve(location)
			if err != nil {
				return false, err
			}
			_, err = store.Stat(ctx, key)
			return err == nil, nil
		},
	}
}

func (f *fixture) keep(r Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r)
}

// logged is the newest line of the log.
func (f *fixture) logged() Request {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.log) == 0 {
		f.t.Fatal("nothing was logged")
	}
	return f.log[len(f.log)-1]
}

// answer is a response, read.
type answer struct {
	*http.Response
	body []byte
}

// tag is the ETag under the one spelling that Java's clients find.
func (a answer) tag() string {
	for key, values := range a.Header {
		if key == "ETag" && len(values) == 1 {
			return values[0]
		}
	}
	return ""
}

// do sends a request; headers are "Key: value".
func (f *fixture) do(method, target, body string, headers ...string) answer {
	f.t.Helper()
	return f.send(httptest.NewRequest(method, target, strings.NewReader(body)), headers...)
}

func (f *fixture) send(r *http.Request, headers ...string) answer {
	f.t.Helper()
	for _, h := range headers {
		key, value, _ := strings.Cut(h, ": ")
		r.Header.Add(key, value)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	response := w.Result()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer{response, data}
}

const v1 = "/api/catalog/v1/default"

// ns and table make what a test stands on.
func (f *fixture) ns(levels ...string) {
	f.t.Helper()
	name, _ := json.Marshal(levels)
	f.must(200, f.do("POST", v1+"/namespaces", fmt.Sprintf(`{"namespace":%s}`, name)))
}

const schema = `{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id","required":true,"type":"long"}]}`

func (f *fixture) table(namespace, name string) answer {
	f.t.Helper()
	quoted, _ := json.Marshal(name)
	return f.must(200, f.do("POST", v1+"/namespaces/"+namespace+"/tables", fmt.Sprintf(`{"name":%s,"schema":%s}`, quoted, schema)))
}

func (f *fixture) must(status int, a answer) answer {
	f.t.Helper()
	if a.StatusCode != status {
		f.t.Fatalf("status %d, want %d: %s", a.StatusCode, status, a.body)
	}
	return a
}

// fails checks the whole error model.
func (f *fixture) fails(a answer, status int, kind string) string {
	f.t.Helper()
	var body struct {
		Error struct {
			Message, Type string
			Code          int
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		f.t.Errorf("not the error model: %v: %q", err, a.body)
	}
	if a.StatusCode != status || body.Error.Code != status || body.Error.Type != kind || body.Error.Message == "" {
		f.t.Errorf("status %d, body %s; want %d %s", a.StatusCode, a.body, status, kind)
	}
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		f.t.Errorf("content type %q", got)
	}
	return body.Error.Message
}

// into decodes a success.
func (a answer) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
}
