package s3_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// What answers 200 with a page of its own, or with nothing, is no empty bucket, and nothing
// that it says of an object is believed: nobody learns from it that something is lost.
func TestAnswersOfNoObjectStore(t *testing.T) {
	for _, words := range []string{"", "ok", "{}", "<html><body>Log in</body></html>", "<ListBucketResult/>", `<?xml version="1.0"?>`} {
		store := served(t, inHand{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, words) })}, "s3://lake/wh")
		_, listed := keys(t, store, "")
		_, got := store.Get(t.Context(), "k", 100)
		_, looked := store.Stat(t.Context(), "k")
		many := make([]string, 20)
		for i := range many {
			many[i] = fmt.Sprint("k", i)
		}
		_, lookedAt := store.StatAll(t.Context(), many)
		deleted := store.Delete(t.Context(), "k")
		for call, err := range map[string]error{"delete": deleted, "delete of many": store.DeleteAll(t.Context(), many)[0], "list": listed, "get": got, "stat": looked, "stat of many": lookedAt[7]} {
			if err == nil || !strings.Contains(err.Error(), "no object store") || is(err, warehouse.ErrNotFound) || !s3.Passing(err) {
				t.Errorf("%q: %s: %v", words, call, err)
			}
		}
	}
}

// A store that answers a delete with 200 has done it if the object is gone.
func TestDeleteThatIsAnswered200(t *testing.T) {
	asked := ""
	store := served(t, inHand{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked += r.Method + " "; r.Method == http.MethodHead {
			w.WriteHeader(http.StatusNotFound)
		}
	})}, "s3://lake/wh")
	if err := store.Delete(t.Context(), "k"); err != nil || asked != "DELETE HEAD " {
		t.Errorf("%s: %v", asked, err)
	}
}

// One such answer on the way is not the end.
func TestListAgainAfterAStranger(t *testing.T) {
	first := true
	list := pages{page: func(int) ([]string, string) { return []string{"wh/a"}, "" }}
	store := served(t, inHand{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !first {
			list.ServeHTTP(w, r)
		}
		first = false
	})}, "s3://lake/wh")
	if got, err := keys(t, store, ""); err != nil || fmt.Sprint(got) != "[a]" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Nobody is sent elsewhere: what was signed for one host is not asked of another, whatever
// that would answer.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s %s", r.Method, r.URL, r.Header)
		w.Header().Set("ETag", `"e"`)
	}))
	defer elsewhere.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		sends := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL+r.URL.RequestURI())
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error><Code>TemporaryRedirect</Code><Message>ask another</Message></Error>")
		}))
		service, err := s3.New(t.Context(), s3.Options{Endpoint: sends.URL, PathStyle: true, AccessKeyID: "a", SecretAccessKey: "b", Limits: quick})
		if err != nil {
			t.Fatal(err)
		}
		at, err := warehouse.ParseLocation("s3://lake/wh")
		if err != nil {
			t.Fatal(err)
		}
		for call, ask := range asks(service.Store(at)) {
			if err := ask(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) {
				t.Errorf("%d: %s: %v", status, call, err)
			}
		}
		sends.Close()
	}
}

// asks are one call of each kind.
func asks(store *s3.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"get":    func(ctx context.Context) error { _, err := store.Get(ctx, "k", 100); return err },
		"stat":   func(ctx context.Context) error { _, err := store.Stat(ctx, "k"); return err },
		"create": func(ctx context.Context) error { return store.Create(ctx, "k", []byte("bytes")) },
		"put":    func(ctx context.Context) error { return store.Put(ctx, "k", []byte("bytes")) },
		"delete": func(ctx context.Context) error { return store.Delete(ctx, "k") },
		"delete of many": func(ctx context.Context) error {
			return store.DeleteAll(ctx, []string{"k"})[0]
		},
		"list": func(ctx context.Context) error {
			for _, err := range store.List(ctx, "") {
				return err
			}
			return nil
		},
	}
}
