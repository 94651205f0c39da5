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
	"time"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// plan has the first requests of a method meet these faults, one each, and counts all.
type plan struct {
	method string
	faults []s3test.Fault
	last   s3test.Fault // of all later ones
	asked  atomic.Int64
}

func (p *plan) hook(r *http.Request) s3test.Fault {
	if p.method != "" && r.Method != p.method {
		return s3test.None
	}
	n := int(p.asked.Add(1))
	if n > len(p.faults) {
		return p.last
	}
	return p.faults[n-1]
}

// behind is a store behind a plan, and the same one before it.
func behind(t *testing.T, p *plan) (through, direct *s3.Store) {
	t.Helper()
	l := inProcess(t)
	location := "s3://" + l.bucket(t) + "/wh"
	faulty, _ := l.faulty(t, p.hook)
	return faulty.at(t, quick, location), l.at(t, s3.Limits{}, location)
}

func wantData(t *testing.T, store *s3.Store, key, want string) {
	t.Helper()
	if got, err := store.Get(t.Context(), key, 1<<20); err != nil || string(got) != want {
		t.Errorf("%q holds %q, %v; want %q", key, got, err, want)
	}
}

// A create whose reply is lost, or that is delivered twice, is one that succeeded, and tells
// what Stat tells.
func TestOwnWriteIsKnown(t *testing.T) {
	for _, fault := range []s3test.Fault{s3test.Lost, s3test.FailedAfter, s3test.Twice} {
		t.Run(string(fault), func(t *testing.T) {
			p := &plan{method: http.MethodPut, faults: []s3test.Fault{fault}}
			through, direct := behind(t, p)
			staged, err := through.Stage(t.Context(), "a/b", []byte("mine"))
			if err != nil {
				t.Fatal(err)
			}
			if found, err := direct.Stat(t.Context(), "a/b"); err != nil || !found.Same(staged) || staged.Size != 4 {
				t.Errorf("staged %+v, found %+v, %v", staged, found, err)
			}
			if err := through.Create(t.Context(), "a/b", []byte("mine")); !errors.Is(err, warehouse.ErrExists) {
				t.Errorf("the same bytes by another write: %v", err)
			}
		})
	}
}

// What another has created while the first try was lost is another's.
func TestAnothersWriteIsToldFromOnesOwn(t *testing.T) {
	p := &plan{method: http.MethodPut, faults: []s3test.Fault{s3test.Refused}}
	through, direct := behind(t, p)
	if err := direct.Create(t.Context(), "k", []byte("theirs")); err != nil {
		t.Fatal(err)
	}
	if err := through.Create(t.Context(), "k", []byte("theirs")); !errors.Is(err, warehouse.ErrExists) {
		t.Errorf("got %v", err)
	}
	wantData(t, direct, "k", "theirs")
}

// An object that is gone between the refusal and the look at it is created.
func TestGoneMeanwhile(t *testing.T) {
	var direct *s3.Store
	l := inProcess(t)
	location := "s3://" + l.bucket(t)
	faulty, _ := l.faulty(t, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodHead {
			if err := direct.Delete(context.Background(), "k"); err != nil {
				t.Error(err)
			}
		}
		return s3test.None
	})
	direct = l.at(t, s3.Limits{}, location)
	if err := direct.Create(t.Context(), "k", []byte("theirs")); err != nil {
		t.Fatal(err)
	}
	if err := faulty.at(t, quick, location).Create(t.Context(), "k", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	wantData(t, direct, "k", "mine")
}

// What passes is tried again, for every call.
func TestPassingFaults(t *testing.T) {
	for _, fault := range append([]s3test.Fault{s3test.Expired}, s3test.Passing...) {
		t.Run(string(fault), func(t *testing.T) {
			for _, method := range []string{http.MethodPut, http.MethodGet, http.MethodHead, http.MethodDelete} {
				through, direct := behind(t, &plan{method: method, faults: []s3test.Fault{fault}})
				story(t, through)
				wantData(t, direct, "a", "put over it")
			}
		})
	}
}

// story calls each method of an empty store.
func story(t *testing.T, store *s3.Store) {
	t.Helper()
	ctx, large := t.Context(), strings.Repeat("0123456789abcdef", 1<<12)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(store.Create(ctx, "a", []byte("created")))
	must(store.Create(ctx, "large", []byte(large)))
	must(store.Put(ctx, "a", []byte("put over it")))
	wantData(t, store, "large", large)
	if found, err := store.Stat(ctx, "large"); err != nil || found.Size != int64(len(large)) || found.Modified == 0 {
		t.Errorf("stat %+v, %v", found, err)
	}
	must(store.Delete(ctx, "large"))
	_, err := store.Stat(ctx, "large")
	if !errors.Is(err, warehouse.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	var keys []string
	for entry, err := range store.List(ctx, "") {
		must(err)
		keys = append(keys, entry.Key)
	}
	if fmt.Sprint(keys) != "[a]" {
		t.Errorf("listed %q", keys)
	}
}

// calls are those of a store of one key.
func calls(ctx context.Context, store *s3.Store) map[string]error {
	_, get := store.Get(ctx, "k", 9)
	_, stat := store.Stat(ctx, "k")
	errs := map[string]error{
		"get": get, "stat": stat, "create": store.Create(ctx, "k", nil), "put": store.Put(ctx, "k", nil),
		"delete": store.Delete(ctx, "k"), "delete all": store.DeleteAll(ctx, []string{"k"})[0],
	}
	_, stats := store.StatAll(ctx, []string{"k"})
	errs["stat all"] = stats[0]
	for _, err := range store.List(ctx, "") {
		errs["list"] = err
	}
	return errs
}

// known are the errors that say that nothing was changed, or that nothing is there.
var known = []error{
	warehouse.ErrNotFound, warehouse.ErrExists, warehouse.ErrTooLarge, warehouse.ErrInvalidKey, warehouse.ErrLink, warehouse.ErrDenied, warehouse.ErrNoBucket,
}

// A storm that does not end is given up on, with an error that leaves open what was done.
func TestStorm(t *testing.T) {
	for _, fault := range []s3test.Fault{s3test.Unavailable, s3test.Failed, s3test.FailedAfter, s3test.Refused, s3test.Lost} {
		p := &plan{last: fault}
		through, _ := behind(t, p)
		for call, err := range calls(t.Context(), through) {
			if err == nil {
				t.Errorf("%s, %s: no error", fault, call)
			}
			for _, sentinel := range known {
				if errors.Is(err, sentinel) {
					t.Errorf("%s, %s: %v", fault, call, err)
				}
			}
		}
		if n, most := p.asked.Load(), int64(9*quick.Tries); n > most {
			t.Errorf("%s: %d requests, want at most %d", fault, n, most)
		}
	}
}

// Refused access is told as that, with the reason, and is not asked for over and over.
func TestDenied(t *testing.T) {
	for _, fault := range []s3test.Fault{s3test.Denied, s3test.Expired} {
		p := &plan{last: fault}
		through, _ := behind(t, p)
		for call, err := range calls(t.Context(), through) {
			if !errors.Is(err, warehouse.ErrDenied) {
				t.Errorf("%s, %s: %v", fault, call, err)
			}
			if !strings.Contains(err.Error(), "AccessDenied") && !strings.Contains(err.Error(), "ExpiredToken") {
				t.Errorf("%s, %s does not tell why: %v", fault, call, err)
			}
		}
		if n := p.asked.Load(); n > 24 {
			t.Errorf("%s: %d requests", fault, n)
		}
	}
}

// A refusal after a try that was lost leaves open what that did.
func TestDeniedAfterALostTry(t *testing.T) {
	through, direct := behind(t, &plan{method: http.MethodPut, faults: []s3test.Fault{s3test.Lost}, last: s3test.Denied})
	if err := through.Put(t.Context(), "k", []byte("done")); err == nil || errors.Is(err, warehouse.ErrDenied) {
		t.Errorf("put: %v", err)
	}
	wantData(t, direct, "k", "done")
	through, direct = behind(t, &plan{faults: []s3test.Fault{s3test.None}, last: s3test.Denied})
	if err := direct.Create(t.Context(), "k", nil); err != nil {
		t.Fatal(err)
	}
	if err := through.Create(t.Context(), "k", nil); err == nil || errors.Is(err, warehouse.ErrDenied) || errors.Is(err, warehouse.ErrExists) {
		t.Errorf("whose it is cannot be asked: %v", err)
	}
}

// A bucket that is not there is never taken for an object that is not.
func TestNoBucket(t *testing.T) {
	for name, start := range map[string]func(testing.TB) lake{"in process": inProcess, "versitygw": versity} {
		t.Run(name, func(t *testing.T) {
			for call, err := range calls(t.Context(), start(t).at(t, quick, "s3://no-such-bucket/wh")) {
				if !errors.Is(err, warehouse.ErrNoBucket) || errors.Is(err, warehouse.ErrNotFound) {
					t.Errorf("%s: %v", call, err)
				}
			}
		})
	}
}

// What arrives late is done then. A create changes nothing where something is, and makes
// what was deleted meanwhile; a put is undone by an older one. Nobody can take it back:
// who writes fresh keys, and deletes none that may still be on its way, sees neither.
func TestWhatArrivesLate(t *testing.T) {
	l := inProcess(t)
	location := "s3://" + l.bucket(t)
	p := &plan{method: http.MethodPut, faults: []s3test.Fault{s3test.Late, s3test.None, s3test.Late}}
	faulty, faults := l.faulty(t, p.hook)
	through := faulty.at(t, quick, location)
	if err := through.Create(t.Context(), "k", []byte("created")); err != nil {
		t.Fatal(err)
	}
	if statuses := faults.Deliver(t); fmt.Sprint(statuses) != "[412]" {
		t.Errorf("the late create: %v", statuses)
	}
	for _, data := range []string{"older", "newer"} {
		if err := through.Put(t.Context(), "k", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	wantData(t, through, "k", "newer")
	faults.Deliver(t)
	wantData(t, through, "k", "older")
}

// Bytes that were to be put are the caller's again when the call returns, although what
// takes them may still be at it.
func TestBytesAreLent(t *testing.T) {
	taking, ended := make(chan struct{}), make(chan struct{})
	l := lake{id: "a", secret: "b"}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 1))
		close(taking)
		<-ended
	}))
	defer server.Close()
	defer close(ended)
	l.endpoint = server.URL
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-taking
		cancel()
	}()
	data := make([]byte, 16<<20) // more than a connection holds
	if err := l.at(t, s3.Limits{}, "s3://lake").Put(ctx, "k", data); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	clear(data) // the race detector sees who else has them
}

// A wait between two tries ends with the context.
func TestCancelledBetweenTries(t *testing.T) {
	l := inProcess(t)
	location := "s3://" + l.bucket(t)
	ctx, cancel := context.WithCancel(t.Context())
	faulty, _ := l.faulty(t, func(*http.Request) s3test.Fault {
		cancel()
		return s3test.Unavailable
	})
	if err := faulty.at(t, s3.Limits{Pause: time.Hour}, location).Put(ctx, "k", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
