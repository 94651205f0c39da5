package sts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"puddle/internal/awsconfig"
	"puddle/internal/s3test"
	"puddle/rest/access/vended"
	"puddle/rest/access/vended/sts"
)

// Credentials of the environment that are over before they said so are asked for anew, once.
func TestExpiredCredentialsAreRenewed(t *testing.T) {
	const whole = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	for _, test := range []struct {
		good  string // the credentials that are not over
		asked int
	}{{"id1", 1}, {"id2", 2}, {"none", 2}} {
		given, asked := 0, 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/credentials" {
				given++
				ends := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
				_, _ = fmt.Fprintf(w, `{"AccessKeyId": "id%d", "SecretAccessKey": "s", "Token": "t", "Expiration": %q}`, given, ends)
				return
			}
			asked++
			if !strings.Contains(r.Header.Get("Authorization"), "Credential="+test.good+"/") {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte("<ErrorResponse><Error><Code>ExpiredToken</Code></Error></ErrorResponse>"))
				return
			}
			_, _ = w.Write([]byte(whole))
		}))
		none := filepath.Join(t.TempDir(), "none")
		for name, value := range map[string]string{
			"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": none,
			"AWS_SHARED_CREDENTIALS_FILE": none, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": server.URL + "/credentials",
		} {
			t.Setenv(name, value)
		}
		s := service(t, server.URL, func(o *sts.Options) { o.AccessKeyID, o.SecretAccessKey = "", "" })
		made, err := s.Issue(t.Context(), "session", "{}")
		if good := test.good != "none"; (err == nil) != good || good && made.AccessKeyID != "ASIA" || asked != test.asked || given != test.asked {
			t.Errorf("%s: %v, asked %d times with %d credentials", test.good, err, asked, given)
		}
		server.Close()
	}
}

// An answer that does not end is not read to its end.
func TestEndlessAnswer(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusForbidden} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			some := []byte("<Endless>" + strings.Repeat("a", 1<<16))
			for n := 0; n < 64; n++ {
				if _, err := w.Write(some); err != nil {
					return
				}
			}
		}))
		if _, err := service(t, server.URL, nil).Issue(t.Context(), "session", "{}"); !errors.Is(err, awsconfig.ErrEndless) {
			t.Errorf("%d: %v", status, err)
		}
		server.Close()
	}
}

// Of many who ask an STS that stalls no more than some do at the same moment, and the others
// wait for as long as they like.
func TestAsksAreBounded(t *testing.T) {
	const bound = 64
	var asking atomic.Int64
	came, answer := make(chan struct{}, 2*bound), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asking.Add(1) > bound {
			t.Error("more ask")
		}
		came <- struct{}{}
		<-answer
		asking.Add(-1)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	s := service(t, server.URL, nil)
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	ask := func(ctx context.Context) error {
		_, err := s.Issue(ctx, "session", "{}")
		return err
	}
	for range bound {
		all.Go(func() { _ = ask(t.Context()) })
	}
	for range bound {
		<-came
	}
	impatient := make(chan error)
	go func() { impatient <- ask(ctx) }()
	leave()
	if err := <-impatient; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	all.Go(func() { _ = ask(t.Context()) })
	close(answer)
	all.Wait()
	if n := len(came); n != 1 {
		t.Errorf("%d asked after those", n)
	}
}

// A page of somebody else's in the place of an answer is not the end.
func TestAskedAgainAfterAStranger(t *testing.T) {
	store := s3test.Start(t)
	for _, words := range []string{"", "<html><body>Log in</body></html>", "<AssumeRoleResponse/>", "<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>"} {
		asked := 0
		to, err := url.Parse(store.Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host
		}}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked == 1 {
				_, _ = io.WriteString(w, words)
				return
			}
			pass.ServeHTTP(w, r)
		}))
		if _, err := service(t, server.URL, nil).Issue(t.Context(), "session", policy(t, vended.Place{Bucket: "lake", Prefix: "t/"})); err != nil || asked != 2 {
			t.Errorf("%q: asked %d times, %v", words, asked, err)
		}
		server.Close()
	}
}
