package s3test_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"puddle/internal/s3test"
)

// What each fault does: how often the server is asked, and what the client gets.
func TestFaults(t *testing.T) {
	const body = "0123456789"
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if asked++; err != nil || string(sent) != "sent" || r.Host != "lake.example.org" || r.URL.EscapedPath() != "/a%2Fb%20c" || r.URL.RawQuery != "q=1%2F2" {
			t.Errorf("asked %q, %s of %s: %v", sent, r.URL, r.Host, err)
		}
		w.Header().Set("X-Number", fmt.Sprint(asked))
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	for _, c := range []struct {
		fault  s3test.Fault
		asked  int
		status int // 0: none, or not all of the body
	}{
		{s3test.None, 1, 200}, {s3test.Refused, 0, 0}, {s3test.Lost, 1, 0}, {s3test.Unavailable, 0, 503}, {s3test.Failed, 0, 500},
		{s3test.FailedAfter, 1, 500}, {s3test.Conflict, 0, 409}, {s3test.Expired, 0, 400}, {s3test.Denied, 0, 403}, {s3test.Twice, 2, 200},
		{s3test.Truncated, 1, 0}, {s3test.Drip, 1, 200}, {s3test.Late, 0, 0},
	} {
		t.Run(string(c.fault), func(t *testing.T) {
			faults, endpoint := s3test.Faulty(t, server.URL, func(*http.Request) s3test.Fault { return c.fault })
			asked = 0
			status, got, err := ask(t, endpoint)
			if asked != c.asked || (err == nil) != (c.status != 0) || err == nil && (status != c.status || status == 200 && got != body) {
				t.Errorf("asked %d times, %d, %q, %v", asked, status, got, err)
			}
			if late := faults.Deliver(t); len(late) > 0 != (c.fault == s3test.Late) || len(late) > 0 && asked != 1 {
				t.Errorf("late %v", late)
			}
		})
	}
}

func ask(t *testing.T, endpoint string) (status int, body string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, endpoint+"/a%2Fb%20c?q=1%2F2", strings.NewReader("sent"))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "lake.example.org"
	reply, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return reply.StatusCode, string(text), err
}

// One seed is one plan, and about the share of it fails.
func TestSeeded(t *testing.T) {
	one, same, other := s3test.Seeded(1, 0.3, s3test.Passing...), s3test.Seeded(1, 0.3, s3test.Passing...), s3test.Seeded(2, 0.3, s3test.Passing...)
	failed, differ := 0, 0
	for range 1000 {
		fault := one(nil)
		if fault != s3test.None {
			failed++
		}
		if same(nil) != fault {
			t.Fatal("one seed, two plans")
		}
		if other(nil) != fault {
			differ++
		}
	}
	if failed < 200 || failed > 400 || differ == 0 {
		t.Errorf("%d failed, %d differ", failed, differ)
	}
}

// A server process makes buckets, answers those who know the secret, and leaves nothing.
func TestProcess(t *testing.T) {
	if err := s3test.VersityInstalled(); err != nil {
		s3test.Versity(t) // says what is to be done about it
	}
	p, err := s3test.StartProcess(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	first, second := p.Bucket(t), p.Bucket(t)
	reply, err := http.Get(p.Endpoint + "/" + first)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if first == second || reply.StatusCode != http.StatusForbidden {
		t.Errorf("buckets %s and %s, nobody is answered %d", first, second, reply.StatusCode)
	}
	p.Stop()
	if again, err := http.Get(p.Endpoint); err == nil {
		_ = again.Body.Close()
		t.Error("it answers after it was stopped")
	}
}
