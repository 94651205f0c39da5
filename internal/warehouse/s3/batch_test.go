package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

func is(err, target error) bool { return errors.Is(err, target) }

// filled is a lake with objects in a bucket, their keys, and how many requests of a method
// came since.
func filled(t *testing.T, n int, hook s3test.Hook) (store *s3.Store, keys []string, asked map[string]*atomic.Int64) {
	t.Helper()
	asked = map[string]*atomic.Int64{"POST": {}, "DELETE": {}, "HEAD": {}, "GET": {}, "PUT": {}}
	l := inProcess(t)
	location := "s3://" + l.bucket(t) + "/wh"
	for i := range n {
		keys = append(keys, fmt.Sprintf("data/%04d.parquet", i))
	}
	fill(t, l.at(t, quick, location), keys)
	faulty, _ := l.faulty(t, func(r *http.Request) s3test.Fault {
		asked[r.Method].Add(1)
		return hook(r)
	})
	return faulty.at(t, quick, location), keys, asked
}

func fill(t *testing.T, store *s3.Store, keys []string) {
	t.Helper()
	for _, key := range keys {
		if err := store.Put(t.Context(), key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
}

func noFault(*http.Request) s3test.Fault { return s3test.None }

func wantGone(t *testing.T, store *s3.Store, errs []error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Errorf("got %v", err)
		}
	}
	if left, err := keys(t, store, ""); err != nil || len(left) > 0 {
		t.Errorf("%d left, %v", len(left), err)
	}
}

// A thousand objects go by one request, and as many are looked at by one.
func TestManyByOneRequest(t *testing.T) {
	store, all, asked := filled(t, 1200, noFault)
	infos, errs := store.StatAll(t.Context(), all)
	for i := range all {
		if errs[i] != nil || infos[i].Size != 1 {
			t.Errorf("%q: %+v, %v", all[i], infos[i], errs[i])
		}
	}
	if n := asked["GET"].Load(); n != 2 || asked["HEAD"].Load() != 0 {
		t.Errorf("%d lists, %d looks", n, asked["HEAD"].Load())
	}
	errs = store.DeleteAll(t.Context(), append(all, "data/none"))
	if n := asked["POST"].Load(); n != 2 || asked["DELETE"].Load() != 0 {
		t.Errorf("%d batches, %d deletes", n, asked["DELETE"].Load())
	}
	wantGone(t, store, errs)
}

// Objects that lie far from each other are looked at one by one, after one page of what
// lies between them.
func TestStatOfWhatIsFarApart(t *testing.T) {
	store, all, asked := filled(t, 1100, noFault)
	some := []string{"data", "data/none"}
	for i := 0; i < len(all); i += 90 {
		some = append(some, all[i])
	}
	_, errs := store.StatAll(t.Context(), some)
	for i, err := range errs {
		if i < 2 != is(err, warehouse.ErrNotFound) || i > 1 && err != nil {
			t.Errorf("%q: %v", some[i], err)
		}
	}
	if n := asked["HEAD"].Load(); n > 4 {
		t.Errorf("%d looks", n)
	}
}

// When a list is refused, each is looked at.
func TestStatWithoutTheRightToList(t *testing.T) {
	store, all, _ := filled(t, 20, func(r *http.Request) s3test.Fault {
		if r.URL.Query().Has("list-type") {
			return s3test.Denied
		}
		return s3test.None
	})
	_, errs := store.StatAll(t.Context(), all)
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// One outage is that of all keys: they are not asked for one after the other, each as often
// as may be, while others wait for who asks.
func TestStatOfManyInAnOutage(t *testing.T) {
	store, all, asked := filled(t, 20, func(*http.Request) s3test.Fault { return s3test.Unavailable })
	_, errs := store.StatAll(t.Context(), append(all, "a//b"))
	for i, err := range errs {
		if i < len(all) && (err == nil || is(err, warehouse.ErrNotFound) || !strings.Contains(err.Error(), all[i])) || i == len(all) && !is(err, warehouse.ErrInvalidKey) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if lists, looks := asked["GET"].Load(), asked["HEAD"].Load(); lists != int64(quick.Tries) || looks > 0 {
		t.Errorf("%d lists, %d looks", lists, looks)
	}
}

// answering answers what a batch is asked with a status and a body, and passes all else on.
func answering(t *testing.T, n, status int, body string) (store *s3.Store, keys []string, batches *atomic.Int64) {
	t.Helper()
	batches = &atomic.Int64{}
	l := inProcess(t)
	location := "s3://" + l.bucket(t) + "/wh"
	for i := range n {
		keys = append(keys, fmt.Sprint("k", i))
	}
	fill(t, l.at(t, quick, location), keys)
	pass, err := s3test.NewFaults(l.endpoint, noFault)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			pass.ServeHTTP(w, r)
			return
		}
		batches.Add(1)
		if r.Header.Get("Content-MD5") == "" {
			t.Error("no digest")
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	l.endpoint = server.URL
	return l.at(t, quick, location), keys, batches
}

// A store that cannot delete many at once deletes one after the other; one that never can
// is asked once.
func TestBatchWithoutBatches(t *testing.T) {
	for status, want := range map[int]int64{http.StatusNotImplemented: 1, http.StatusMethodNotAllowed: 1, http.StatusBadRequest: 2} {
		store, all, batches := answering(t, 3, status, "<Error><Code>MalformedXML</Code></Error>")
		errs := store.DeleteAll(t.Context(), all[:2])
		wantGone(t, store, append(errs, store.DeleteAll(t.Context(), all[2:])...))
		if n := batches.Load(); n != want {
			t.Errorf("%d: %d batches", status, n)
		}
	}
}

// What is told of one key is of that key: gone before, refused, to be tried again, or not
// mentioned at all.
func TestBatchThatFailsInPart(t *testing.T) {
	store, _, _ := answering(t, 6, http.StatusOK, `<DeleteResult><Deleted><Key>wh/k0</Key></Deleted>
		<Error><Key>wh/k1</Key><Code>NoSuchKey</Code></Error>
		<Error><Key>wh/k2</Key><Code>AccessDenied</Code><Message>locked</Message></Error>
		<Error><Key>wh/k3</Key><Code>SlowDown</Code></Error>
		<Error><Key>wh/k4</Key><Code>Odd</Code></Error></DeleteResult>`)
	errs := store.DeleteAll(t.Context(), []string{"k0", "k1", "k2", "k3", "k4", "k5", "a//b"})
	for i, want := range []error{nil, nil, warehouse.ErrDenied, nil, errors.New("any"), nil, warehouse.ErrInvalidKey} {
		if (want == nil) != (errs[i] == nil) || i != 4 && want != nil && !is(errs[i], want) {
			t.Errorf("%d: %v", i, errs[i])
		}
	}
	if left, err := keys(t, store, ""); fmt.Sprint(left) != "[k0 k1 k2 k4]" { // nobody has deleted the first
		t.Errorf("left %q, %v", left, err)
	}
	if !strings.Contains(errs[2].Error(), "locked") {
		t.Errorf("got %v", errs[2])
	}
}

// A batch whose context has ended deletes nothing.
func TestBatchCancelled(t *testing.T) {
	store, all, asked := filled(t, 2, noFault)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range store.DeleteAll(ctx, all) {
		if !is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if n := asked["POST"].Load() + asked["DELETE"].Load(); n > 0 {
		t.Errorf("%d requests", n)
	}
}
