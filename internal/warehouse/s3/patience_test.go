package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// patient is a store whose service asks an object store of the test's own, with the limits
// that are the default.
func patient(t *testing.T, answer http.RoundTripper) *s3.Store {
	t.Helper()
	service, err := s3.NewSpeaking(t.Context(), s3.Options{
		Region: s3test.Region, Endpoint: "http://127.0.0.1", PathStyle: true, AccessKeyID: "a", SecretAccessKey: "b",
	}, &http.Client{Transport: answer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := warehouse.ParseLocation("s3://lake/wh")
	if err != nil {
		t.Fatal(err)
	}
	return service.Store(at)
}

// trickle is a body that moves some bytes at a time.
type trickle struct {
	text  string
	every time.Duration
	some  int
}

// Read implements io.Reader.
func (b *trickle) Read(p []byte) (int, error) {
	if b.text == "" {
		return 0, io.EOF
	}
	if len(b.text)%b.some == 0 {
		time.Sleep(b.every)
	}
	n := copy(p, b.text[:(len(b.text)-1)%b.some+1])
	b.text = b.text[n:]
	return n, nil
}

// answers is an object store that is a function.
type answers func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func says(r *http.Request, status int, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Etag": {`"e"`}}, Body: io.NopCloser(body), Request: r, ContentLength: -1}
}

// What moves is waited for however long it takes, either way; what stands is not, nor what
// drips.
func TestIdle(t *testing.T) {
	const much, drop = 256 << 10, 1
	for _, test := range []struct {
		every time.Duration
		some  int
		want  string // of the error; empty: none
	}{{9 * time.Second, much, ""}, {11 * time.Second, much, "no byte for 10s"}, {8 * time.Second, drop, "3 bytes in 24s"}} {
		synctest.Test(t, func(t *testing.T) {
			began, tries := time.Now(), 0
			store := patient(t, answers(func(r *http.Request) (*http.Response, error) {
				tries++
				if r.Method == http.MethodPut {
					for some := make([]byte, test.some); ; time.Sleep(test.every) {
						if _, err := io.ReadFull(r.Body, some); err != nil || r.Context().Err() != nil {
							break
						}
					}
					return says(r, http.StatusOK, strings.NewReader("")), r.Context().Err()
				}
				text := io.MultiReader(&trickle{strings.Repeat("slowly ", 12*test.some), test.every, test.some}, contextEnd{r})
				return says(r, http.StatusOK, text), nil
			}))
			data, err := store.Get(t.Context(), "k", 1<<30)
			if err == nil {
				err = store.Put(t.Context(), "k", data)
			}
			if test.want == "" && (err != nil || tries != 2) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%d bytes each %v: %d tries in %v: %d bytes, %v", test.some, test.every, tries, time.Since(began), len(data), err)
			}
		})
	}
}

// contextEnd ends a body as HTTP does: with the request's context, if that has ended.
type contextEnd struct{ *http.Request }

// Read implements io.Reader.
func (e contextEnd) Read([]byte) (int, error) {
	if err := e.Context().Err(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

// What a store may look at much for is waited for longer before its first byte.
func TestLongIdle(t *testing.T) {
	for first, comes := range map[time.Duration]bool{59 * time.Second: true, 61 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			store := patient(t, answers(func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(first):
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
				if r.Method == http.MethodPost {
					return says(r, http.StatusOK, strings.NewReader("<DeleteResult><Deleted><Key>wh/k</Key></Deleted></DeleteResult>")), nil
				}
				return says(r, http.StatusOK, strings.NewReader("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")), nil
			}))
			_, listed := keys(t, store, "")
			for call, err := range map[string]error{"list": listed, "delete": store.DeleteAll(t.Context(), []string{"k"})[0]} {
				if (err == nil) != comes || err != nil && !strings.Contains(err.Error(), "no byte for 1m0s") {
					t.Errorf("%s after %v: %v", call, first, err)
				}
			}
		})
	}
}

// A storm is met with six tries in a few seconds.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		began := time.Now()
		store := patient(t, answers(func(r *http.Request) (*http.Response, error) {
			at = append(at, time.Since(began))
			return says(r, http.StatusServiceUnavailable, strings.NewReader("<Error><Code>SlowDown</Code></Error>")), nil
		}))
		if err := store.Put(t.Context(), "k", nil); err == nil || errors.Is(err, warehouse.ErrDenied) {
			t.Error(err)
		}
		if len(at) != 6 {
			t.Fatalf("tries at %v", at)
		}
		for i, longest := 1, 100*time.Millisecond; i < len(at); i, longest = i+1, 2*longest {
			if pause := at[i] - at[i-1]; pause < longest/2 || pause > longest {
				t.Errorf("pause %d is %v, not between %v and %v", i, pause, longest/2, longest)
			}
		}
	})
}

// A store that says when to come back is heeded, up to where somebody waits for too long.
func TestRetryAfter(t *testing.T) {
	const usual, longest = 100 * time.Millisecond, 5 * time.Second // of the first pause
	for asked, want := range map[string]time.Duration{
		"3": 3 * time.Second, "120": longest, "99999999999999999999": 0, "-1": 0, "": 0, "soon": 0,
		// Dates, of which the clock here begins at midnight of 1 January 2000.
		"Sat, 01 Jan 2000 00:00:04 GMT": 4 * time.Second, "Saturday, 01-Jan-00 00:00:04 GMT": 4 * time.Second,
		"Thu, 24 Sep 2026 10:00:00 GMT": longest, "Fri, 31 Dec 1999 23:59:59 GMT": 0,
		// The store's own clock tells how long that is.
		"Thu, 24 Sep 2026 10:00:00 GMT|Thu, 24 Sep 2026 09:59:57 GMT": 3 * time.Second, "Sat, 01 Jan 2000 00:00:04 GMT|Thu, 24 Sep 2026 10:00:00 GMT": 0,
	} {
		asked, date, _ := strings.Cut(asked, "|")
		for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
			synctest.Test(t, func(t *testing.T) {
				began, tries := time.Now(), 0
				err := patient(t, answers(func(r *http.Request) (*http.Response, error) {
					if tries++; tries > 1 {
						return says(r, http.StatusOK, strings.NewReader("")), nil
					}
					answer := says(r, status, strings.NewReader("<Error><Code>SlowDown</Code></Error>"))
					answer.Header.Set("Retry-After", asked)
					if date != "" {
						answer.Header.Set("Date", date)
					}
					return answer, nil
				})).Put(t.Context(), "k", nil)
				if took := time.Since(began); err != nil || want > 0 && took != want || want == 0 && took > usual {
					t.Errorf("%d, %q: %v after %v", status, asked, err, took)
				}
			})
		}
	}
}

// Work that nobody waits for takes half of the room.
func TestBackgroundLeavesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const parallel, callers = 64, 100
		var inFlight atomic.Int64
		release := make(chan struct{})
		store := patient(t, answers(func(r *http.Request) (*http.Response, error) {
			inFlight.Add(1)
			defer inFlight.Add(-1)
			<-release
			return says(r, http.StatusNoContent, strings.NewReader("")), nil
		}))
		var all sync.WaitGroup
		for i, ctx := range []context.Context{warehouse.InBackground(t.Context()), t.Context()} {
			for range callers {
				all.Go(func() {
					if err := store.Delete(ctx, "k"); err != nil {
						t.Error(err)
					}
				})
			}
			synctest.Wait()
			if n, want := inFlight.Load(), []int64{parallel / 2, parallel}[i]; n != want {
				t.Errorf("%d in flight, not %d", n, want)
			}
		}
		close(release)
		all.Wait()
	})
}

// Without keys of its own a service asks as whom the environment names.
func TestKeysOfTheEnvironment(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "of-the-environment")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "session")
	for id, o := range map[string]s3.Options{
		"of-the-environment": {Region: "r"}, "configured": {Region: "r", AccessKeyID: "configured", SecretAccessKey: "b"},
	} {
		store := speaking(t, o, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			session := r.Header.Get("X-Amz-Security-Token")
			if !strings.Contains(r.Header.Get("Authorization"), "Credential="+id+"/") || (session == "session") != (id != "configured") {
				t.Errorf("asked as %s, session %q", r.Header.Get("Authorization"), session)
			}
		}, nil)
		if err := store.Delete(t.Context(), "k"); err != nil {
			t.Error(err)
		}
	}
}

// What takes the bytes of a put one by one is given up on as well.
func TestPutThatIsTakenInDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := patient(t, answers(func(r *http.Request) (*http.Response, error) {
			for drop := make([]byte, 1); ; time.Sleep(8 * time.Second) {
				if _, err := r.Body.Read(drop); err != nil {
					return nil, err
				}
			}
		}))
		began := time.Now()
		err := store.Put(t.Context(), "k", make([]byte, 1<<20))
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "4 bytes in 24s") || took > 3*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
	})
}
