package s3_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// standing is an object store in hand. The first request of a method is done, and its reply
// stands: before it begins, or in the middle of its body.
func standing(t *testing.T, method string, inBody bool) answers {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("lake"); err != nil {
		t.Fatal(err)
	}
	server, stood := inHand{gofakes3.New(backend).Server()}, false
	return func(r *http.Request) (*http.Response, error) {
		came := r.Clone(r.Context())
		came.Header.Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
		reply, err := server.RoundTrip(came)
		if err != nil || stood || r.Method != method {
			return reply, err
		}
		stood = true
		if !inBody {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		body, err := io.ReadAll(reply.Body)
		reply.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(body[:len(body)/2])), stands{r}))
		return reply, err
	}
}

// stands is a body that comes no further for as long as its request is wanted.
type stands struct{ *http.Request }

// Read implements io.Reader.
func (s stands) Read([]byte) (int, error) {
	<-s.Context().Done()
	return 0, s.Context().Err()
}

// What stands is given up on and tried again, for every call; a create whose reply does not
// come is one that succeeded.
func TestRepliesThatStand(t *testing.T) {
	for _, method := range []string{http.MethodPut, http.MethodGet, http.MethodHead, http.MethodDelete} {
		for _, inBody := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				store := patient(t, standing(t, method, inBody))
				story(t, store)
				wantData(t, store, "a", "put over it")
			})
		}
	}
}

// However a call goes on, it asks six times at most, and once more for each look that is due
// when it has.
func TestTriesAreThoseOfOneCall(t *testing.T) {
	for name, test := range map[string]struct {
		head, get int // what the looks are answered
		most      int
	}{
		"the look fails":       {http.StatusServiceUnavailable, 0, 6},
		"its words fail":       {http.StatusNotFound, http.StatusServiceUnavailable, 6},
		"it comes and goes":    {http.StatusNotFound, http.StatusNotFound, 6},
		"it is another's":      {http.StatusOK, 0, 2},
		"the look is refused":  {http.StatusForbidden, http.StatusForbidden, 4}, // with fresh credentials once
		"it cannot be read of": {http.StatusNotImplemented, 0, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := map[string]int{}
			err := patient(t, answers(func(r *http.Request) (*http.Response, error) {
				asked[r.Method]++
				status := map[string]int{http.MethodPut: http.StatusPreconditionFailed, http.MethodHead: test.head, http.MethodGet: test.get}[r.Method]
				body := map[int]string{http.StatusNotFound: "<Error><Code>NoSuchKey</Code></Error>", http.StatusForbidden: "<Error><Code>AccessDenied</Code></Error>"}[status]
				if r.Method == http.MethodHead {
					body = ""
				}
				return says(r, status, strings.NewReader(body)), nil
			})).Create(t.Context(), "k", nil)
			if n := asked["PUT"] + asked["HEAD"] + asked["GET"]; err == nil || n > test.most || errors.Is(err, warehouse.ErrExists) != (test.head == http.StatusOK) {
				t.Errorf("%s: %v, %v", name, asked, err)
			}
		})
	}
}

// A store that creates nothing over a delete marker is told of as that.
func TestCreateOverADeleteMarker(t *testing.T) {
	store := speaking(t, s3.Options{Region: "r", AccessKeyID: "a", SecretAccessKey: "b"}, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		w.Header().Set("X-Amz-Delete-Marker", "true")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	}, nil)
	err := store.Create(t.Context(), "k", nil)
	if err == nil || errors.Is(err, warehouse.ErrExists) || errors.Is(err, warehouse.ErrNotFound) || !strings.Contains(err.Error(), "a delete marker stands there, and the object store creates nothing over a deleted name") {
		t.Error(err)
	}
}

// Success that no object store has told is none: the object is looked for by its write, and
// the put is tried again where it is not.
func TestPutAnsweredByNoObjectStore(t *testing.T) {
	for name, done := range map[string]bool{"the answer was lost": true, "it never came": false} {
		for _, always := range []bool{false, true} {
			puts, there := 0, ""
			store := speaking(t, s3.Options{Region: "r", AccessKeyID: "a", SecretAccessKey: "b"}, func(w http.ResponseWriter, r *http.Request) {
				const id = "X-Amz-Meta-Puddle-Write"
				if r.Method != http.MethodPut {
					w.Header().Set(id, there)
					return
				}
				puts++
				if always || puts == 1 {
					if done {
						there = r.Header.Get(id)
					}
					_, _ = io.WriteString(w, "<html>welcome</html>")
					return
				}
				w.Header().Set("ETag", `"e"`)
			}, nil)
			for _, call := range []func() error{
				func() error { return store.Put(t.Context(), "k", nil) }, func() error { return store.Create(t.Context(), "k", nil) },
			} {
				puts, there = 0, ""
				err, good := call(), done || !always
				if (err == nil) != good || !good && (errors.Is(err, warehouse.ErrExists) || !s3.Passing(err)) || done && puts != 1 {
					t.Errorf("%s, always %v: %d puts, %v", name, always, puts, err)
				}
			}
		}
	}
}

// What comes and goes is not asked about without a pause.
func TestComingAndGoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var puts []time.Time
		err := patient(t, answers(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut {
				puts = append(puts, time.Now())
				return says(r, http.StatusPreconditionFailed, strings.NewReader("")), nil
			}
			return says(r, http.StatusNotFound, strings.NewReader("<Error><Code>NoSuchKey</Code></Error>")), nil
		})).Create(t.Context(), "k", nil)
		if err == nil || !strings.Contains(err.Error(), "comes and goes") || len(puts) != 2 || puts[1].Sub(puts[0]) < 50*time.Millisecond {
			t.Errorf("puts at %v, %v", puts, err)
		}
	})
}

// A service that is closed holds no connection.
func TestClose(t *testing.T) {
	opened, closed := make(chan struct{}, 1), make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"e"`) }))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateIdle:
			opened <- struct{}{}
		case http.StateClosed:
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	service := lake{endpoint: server.URL, id: "a", secret: "b"}.service(t, quick)
	at, err := warehouse.ParseLocation("s3://lake")
	if err == nil {
		err = service.Store(at).Put(t.Context(), "k", nil)
	}
	if <-opened; err != nil {
		t.Fatal(err)
	}
	if err := service.Close(); err != nil {
		t.Error(err)
	}
	<-closed // or it hangs
}
