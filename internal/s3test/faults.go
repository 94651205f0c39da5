package s3test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// Fault is what becomes of a request on its way to an object store. It is the word for it
// too, so that a flag can list some.
type Fault string

// The faults.
const (
	None        Fault = ""
	Refused     Fault = "refused"      // the connection ends, and nothing was done
	Lost        Fault = "lost"         // it is done, and the connection ends instead of a reply
	Unavailable Fault = "unavailable"  // 503 SlowDown, and nothing was done
	Failed      Fault = "failed"       // 500 InternalError, and nothing was done
	FailedAfter Fault = "failed-after" // it is done, and 500 InternalError
	Conflict    Fault = "conflict"     // 409 ConditionalRequestConflict to a put, and nothing was done
	Expired     Fault = "expired"      // 400 ExpiredToken, and nothing was done
	Denied      Fault = "denied"       // 403 AccessDenied, and nothing was done
	Stranger    Fault = "stranger"     // 200 with a page of somebody else's, and nothing was done
	Twice       Fault = "twice"        // it is done twice, and the second reply comes
	Truncated   Fault = "truncated"    // the connection ends in the middle of the reply's body
	Drip        Fault = "drip"         // the reply's body comes in small pieces
	Late        Fault = "late"         // the connection ends, and it is done when Deliver is called
)

// Passing are the faults that a client survives which tries again and again, also a put that
// must not be done twice. What is refused for good is none of them, nor is what is slow.
var Passing = []Fault{Refused, Lost, Unavailable, Failed, FailedAfter, Conflict, Stranger, Twice, Truncated, Drip}

// Hook tells what becomes of a request. It is asked by many goroutines, may hold a request
// back by not returning, and does not read its body.
type Hook func(*http.Request) Fault

// Seeded has a share of the requests, between 0 and 1, meet one of these faults.
func Seeded(seed uint64, share float64, faults ...Fault) Hook {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, seed)) // guarded by mu
	return func(*http.Request) Fault {
		mu.Lock()
		defer mu.Unlock()
		if random.Float64() >= share {
			return None
		}
		return faults[random.IntN(len(faults))]
	}
}

// Faults passes requests on to an object store, except where its hook has them fail. What
// a client has signed stays as it was, its host too. It is for concurrent use.
type Faults struct {
	to   *url.URL
	hook Hook

	mu   sync.Mutex
	late []request // guarded by mu
}

// NewFaults is a handler in front of the object store at an endpoint.
func NewFaults(endpoint string, hook Hook) (*Faults, error) {
	to, err := url.Parse(endpoint)
	return &Faults{to: to, hook: hook}, err
}

// Faulty serves one for a test, and tells at which endpoint.
func Faulty(t testing.TB, endpoint string, hook Hook) (*Faults, string) {
	t.Helper()
	f, err := NewFaults(endpoint, hook)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(f)
	t.Cleanup(listening.Close)
	return f, listening.URL
}

// ServeHTTP implements http.Handler.
func (f *Faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := f.hook(r)
	if fault == Conflict && r.Method != http.MethodPut {
		fault = None
	}
	if status, code := fault.refusal(); status != 0 {
		failWith(w, r, status, code)
		return
	}
	if fault == Stranger {
		greet(w, r)
		return
	}
	req, err := f.take(r)
	if err != nil || fault == Refused || fault == Late {
		f.keep(req, err == nil && fault == Late)
		panic(http.ErrAbortHandler)
	}
	reply, err := req.send(r)
	if err == nil && fault == Twice {
		_ = reply.Body.Close()
		reply, err = req.send(r)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer reply.Body.Close()
	answer(w, r, reply, fault)
}

// refusal is the answer to what is not passed on, if it has one.
func (f Fault) refusal() (status int, code string) {
	switch f {
	case Unavailable:
		return http.StatusServiceUnavailable, "SlowDown"
	case Failed:
		return http.StatusInternalServerError, "InternalError"
	case Conflict:
		return http.StatusConflict, "ConditionalRequestConflict"
	case Expired:
		return http.StatusBadRequest, "ExpiredToken"
	case Denied:
		return http.StatusForbidden, "AccessDenied"
	}
	return 0, ""
}

// failWith answers as S3 does. The body is read first, so that the client gets to read it.
func failWith(w http.ResponseWriter, r *http.Request, status int, code string) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a fault that was asked for</Message></Error>", code)
}

// greet answers as no object store does.
func greet(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<html><body>Please log in.</body></html>")
}

// request is one that can be sent more than once.
type request struct {
	*http.Request
	body []byte
}

// transport asks for what the client asked for, no more.
var transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}

func (f *Faults) take(r *http.Request) (request, error) {
	body, err := io.ReadAll(r.Body)
	to := *r.URL
	to.Scheme, to.Host = f.to.Scheme, f.to.Host
	header := maps.Clone(r.Header)
	header.Del("Connection")
	header.Del("Expect")
	return request{&http.Request{Method: r.Method, URL: &to, Host: r.Host, Header: header, ContentLength: int64(len(body))}, body}, err
}

// send sends it for as long as whom it is from waits.
func (q request) send(from *http.Request) (*http.Response, error) {
	sent := q.WithContext(from.Context())
	if len(q.body) > 0 {
		sent.Body = io.NopCloser(bytes.NewReader(q.body))
	}
	return transport.RoundTrip(sent)
}

func (f *Faults) keep(q request, late bool) {
	if late {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.late = append(f.late, q)
	}
}

// Deliver sends what was Late, and tells the statuses of the replies.
func (f *Faults) Deliver(t testing.TB) (statuses []int) {
	t.Helper()
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, q := range late {
		reply, err := q.send(q.Request)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		statuses = append(statuses, reply.StatusCode)
	}
	return statuses
}
