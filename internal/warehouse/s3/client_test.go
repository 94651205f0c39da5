package s3_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// speaking is a store whose service speaks HTTP by a handler, as somebody.
func speaking(t *testing.T, o s3.Options, h http.HandlerFunc, who aws.CredentialsProvider) *s3.Store {
	t.Helper()
	o.Limits = quick
	service, err := s3.NewSpeaking(t.Context(), o, &http.Client{Transport: inHand{h}}, who)
	if err != nil {
		t.Fatal(err)
	}
	at, err := warehouse.ParseLocation("s3://lake/wh")
	if err != nil {
		t.Fatal(err)
	}
	return service.Store(at)
}

// numbered are credentials that are others each time they are asked for.
type numbered struct{ n atomic.Int64 }

// Retrieve implements aws.CredentialsProvider.
func (p *numbered) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: fmt.Sprint("id", p.n.Add(1)), SecretAccessKey: "s", SessionToken: "t", CanExpire: true, Expires: time.Now().Add(time.Hour)}, nil
}

// Credentials that the store says are over, before they said so themselves, are asked for
// anew, once: also where it says so without a word, as to HEAD.
func TestExpiredCredentialsAreRenewed(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden} {
		renewed := 0
		h := func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Authorization"), "Credential=id1/") {
				w.WriteHeader(status)
				if r.Method != http.MethodHead {
					_, _ = io.WriteString(w, "<Error><Code>ExpiredToken</Code></Error>")
				}
				return
			}
			renewed++
			w.Header().Set("ETag", `"e"`)
		}
		for _, call := range []func(*s3.Store) error{
			func(s *s3.Store) error { return s.Create(t.Context(), "k", nil) },
			func(s *s3.Store) error { _, err := s.Stat(t.Context(), "k"); return err },
		} {
			if err := call(speaking(t, s3.Options{Region: "r"}, h, aws.NewCredentialsCache(&numbered{}))); err != nil {
				t.Errorf("%d: %v", status, err)
			}
		}
		if renewed != 2 {
			t.Errorf("%d: %d requests with fresh ones", status, renewed)
		}
	}
}

// A store that refuses whatever comes does not have credentials asked for over and over.
func TestCredentialsAreNotRenewedForEachRefusal(t *testing.T) {
	who := &numbered{}
	store := speaking(t, s3.Options{Region: "r"}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}, aws.NewCredentialsCache(who))
	for range 9 {
		if _, err := store.Stat(t.Context(), "k"); !errors.Is(err, warehouse.ErrDenied) {
			t.Errorf("got %v", err)
		}
	}
	if n := who.n.Load(); n != 2 {
		t.Errorf("asked for %d times", n)
	}
}

// Who has no credentials is told that, after one look for some.
func TestNoCredentials(t *testing.T) {
	looks := 0
	store := speaking(t, s3.Options{Region: "r"}, func(http.ResponseWriter, *http.Request) { t.Error("asked") },
		aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			looks++
			return aws.Credentials{}, errors.New("no role is attached")
		}))
	err := store.Put(t.Context(), "k", nil)
	if !errors.Is(err, warehouse.ErrDenied) || !strings.Contains(err.Error(), "no role is attached") || looks != 1 {
		t.Errorf("%d looks: %v", looks, err)
	}
}

// Where a bucket is: in the host of a URL, or in its path, whatever the environment says.
func TestAddressing(t *testing.T) {
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://env.example", "AWS_ENDPOINT_URL_S3": "http://s3.example", "AWS_USE_DUALSTACK_ENDPOINT": "true", "AWS_PROFILE": "none",
	} {
		t.Setenv(name, value)
	}
	for _, c := range []struct {
		o          s3.Options
		host, path string
	}{
		{s3.Options{Region: "eu-central-1"}, "lake.s3.eu-central-1.amazonaws.com", "/wh/a%20b/c%2B"},
		{s3.Options{Region: "eu-central-1", PathStyle: true}, "s3.eu-central-1.amazonaws.com", "/lake/wh/a%20b/c%2B"},
		{s3.Options{Endpoint: "https://s3.example.org:9000"}, "lake.s3.example.org:9000", "/wh/a%20b/c%2B"},
		{s3.Options{Endpoint: "http://s3.example.org:9000", PathStyle: true}, "s3.example.org:9000", "/lake/wh/a%20b/c%2B"},
		{s3.Options{Endpoint: "http://s3.example.org/behind/a/proxy", PathStyle: true}, "s3.example.org", "/behind/a/proxy/lake/wh/a%20b/c%2B"},
	} {
		c.o.AccessKeyID, c.o.SecretAccessKey = "a", "b"
		var url string
		store := speaking(t, c.o, func(w http.ResponseWriter, r *http.Request) {
			url = r.URL.Host + r.URL.EscapedPath()
			w.WriteHeader(http.StatusNoContent)
		}, nil)
		if err := store.Delete(t.Context(), "a b/c+"); err != nil || url != c.host+c.path {
			t.Errorf("%+v: asked %q, %v; want %s%s", c.o, url, err, c.host, c.path)
		}
	}
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	if _, err := s3.New(t.Context(), s3.Options{}); err == nil {
		t.Error("AWS without a region")
	}
}

// A put carries its checksum in a header, never in a trailer, and is signed over its bytes
// where no TLS keeps them.
func TestPutIsPlain(t *testing.T) {
	for endpoint, signed := range map[string]string{"http://s3.example.org": "15e2b0d3", "https://s3.example.org": "UNSIGNED-PAYLOAD"} {
		o := s3.Options{Endpoint: endpoint, PathStyle: true, AccessKeyID: "a", SecretAccessKey: "b"}
		store := speaking(t, o, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"e"`)
			body, err := io.ReadAll(r.Body)
			h := r.Header
			if err != nil || string(body) != "123456789" || r.ContentLength != 9 || h.Get("Content-Encoding") != "" || h.Get("X-Amz-Trailer") != "" {
				t.Errorf("%q, %d bytes told, %v: %v", body, r.ContentLength, h, err)
			}
			if h.Get("X-Amz-Checksum-Crc32") != "y/Q5Jg==" || !strings.HasPrefix(h.Get("X-Amz-Content-Sha256"), signed) || h.Get("X-Amz-Meta-Puddle-Write") == "" {
				t.Errorf("headers %v", h)
			}
		}, nil)
		if err := store.Put(t.Context(), "k", []byte("123456789")); err != nil {
			t.Error(err)
		}
	}
}

// The limit of a key is that of the object's whole name, and is known before it is asked for.
func TestKeyLength(t *testing.T) {
	store := speaking(t, s3.Options{Region: "r", AccessKeyID: "a", SecretAccessKey: "b"}, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) }, nil)
	key := strings.Repeat("a", warehouse.MaxKey-len("wh/")+1)
	_, get := store.Get(t.Context(), key, 9)
	_, stat := store.Stat(t.Context(), key)
	_, list := keys(t, store, key)
	for _, err := range []error{
		get, stat, list, store.Create(t.Context(), key, nil), store.Put(t.Context(), key, nil), store.Delete(t.Context(), key), store.DeleteAll(t.Context(), []string{key})[0],
	} {
		if !errors.Is(err, warehouse.ErrInvalidKey) {
			t.Errorf("got %v", err)
		}
	}
}

// No more requests are in flight than may be; who waits for room leaves with its context.
func TestParallel(t *testing.T) {
	const parallel, callers = 3, 12
	var now, most atomic.Int64
	entered, release := make(chan struct{}, callers), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n := now.Add(1); n > parallel {
			most.Store(n)
		}
		entered <- struct{}{}
		<-release
		now.Add(-1)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	store := lake{endpoint: server.URL, id: "a", secret: "b"}.at(t, s3.Limits{Parallel: parallel}, "s3://lake")
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			if err := store.Delete(t.Context(), fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	for range parallel {
		<-entered
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- store.Delete(ctx, "late") }()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	group.Wait()
	if n := most.Load(); n > 0 {
		t.Errorf("%d at once", n)
	}
}

// endless is a body without an end.
type endless struct{ read int }

// Read implements io.Reader.
func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	e.read += len(p)
	return len(p), nil
}

// Memory is taken for bytes that came, not for those that are told of.
func TestBodiesThatLie(t *testing.T) {
	for _, limit := range []int64{0, 1, 100, 5 << 20} {
		body := &endless{}
		if data, err := s3.ReadBody(body, aws.Int64(math.MaxInt64), limit); int64(len(data)) != limit+1 || int64(body.read) != limit+1 || err != nil {
			t.Errorf("limit %d: %d bytes of %d, %v", limit, len(data), body.read, err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = s3.ReadBody(strings.NewReader("short"), aws.Int64(1<<40), 1<<40)
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("%d bytes for what never came", after.TotalAlloc-before.TotalAlloc)
	}
	for told, want := range map[int64]bool{4: false, 5: true, 6: false} {
		if data, err := s3.ReadBody(strings.NewReader("12345"), aws.Int64(told), math.MaxInt64); (err == nil) != want || want && string(data) != "12345" {
			t.Errorf("told %d: %q, %v", told, data, err)
		}
	}
	if data, err := s3.ReadBody(strings.NewReader("12345"), nil, math.MaxInt64); err != nil || string(data) != "12345" {
		t.Errorf("told nothing: %q, %v", data, err)
	}
}

// Bytes that are not those of the checksum are read again, and never given.
func TestDamagedBytes(t *testing.T) {
	reads := 0
	store := speaking(t, s3.Options{Endpoint: "http://s3.example.org", AccessKeyID: "a", SecretAccessKey: "b"}, func(w http.ResponseWriter, _ *http.Request) {
		reads++
		w.Header().Set("X-Amz-Checksum-Crc32", "y/Q5Jg==")
		w.Header().Set("ETag", `"e"`)
		_, _ = io.WriteString(w, []string{"12345678X", "123456789"}[min(reads/3, 1)])
	}, nil)
	if data, err := store.Get(t.Context(), "k", 9); err != nil || string(data) != "123456789" || reads != 3 {
		t.Errorf("%q after %d reads, %v", data, reads, err)
	}
}

// Nobody listens, and a proxy that knows no objects answers: neither is an object that is
// not there.
func TestNoObjectStore(t *testing.T) {
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listening.Addr().String()
	_ = listening.Close()
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	for _, endpoint := range []string{closed, web.URL} {
		for call, err := range calls(t.Context(), lake{endpoint: endpoint, id: "a", secret: "b"}.at(t, quick, "s3://lake")) {
			if err == nil || errors.Is(err, warehouse.ErrNotFound) {
				t.Errorf("%s of %s: %v", call, endpoint, err)
			}
		}
	}
}

// Whom a server of TLS is to be known by: those of the machine, or those of AWS_CA_BUNDLE.
func TestTLS(t *testing.T) {
	tls := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	l := lake{endpoint: tls.URL, id: "a", secret: "b"}
	if err := l.at(t, quick, "s3://lake").Delete(t.Context(), "k"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw})
	if err := os.WriteFile(bundle, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", bundle)
	if err := l.at(t, quick, "s3://lake").Delete(t.Context(), "k"); err != nil {
		t.Error(err)
	}
}
