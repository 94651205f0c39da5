package sts_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"puddle/internal/fuzztest"
	"puddle/rest/access/vended/sts"
)

// FuzzIssue: whatever STS answers, there are credentials or an error that says so. That
// they are whole is seen to by who asks.
func FuzzIssue(f *testing.F) {
	const whole = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>` +
		`<SecretAccessKey>hush</SecretAccessKey><SessionToken>token</SessionToken><Expiration>2026-09-24T11:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
	f.Add(false, []byte(whole))
	for _, part := range []string{"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration", "Credentials"} {
		begin, end := strings.Index(whole, "<"+part+">"), strings.Index(whole, "</"+part+">")
		f.Add(false, []byte(whole[:begin]+whole[end+len(part)+3:]))
		f.Add(false, []byte(whole[:begin+len(part)+2]+whole[end:]))
	}
	f.Add(true, []byte(`<ErrorResponse><Error><Code>AccessDenied</Code><Message>no`+"\n"+`more</Message></Error></ErrorResponse>`))
	var refused bool
	var answer []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if refused {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write(answer)
	}))
	f.Cleanup(server.Close)
	service, err := sts.New(f.Context(), sts.Options{Endpoint: server.URL, AccessKeyID: "a", SecretAccessKey: "s", Life: time.Hour})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, no bool, body []byte) {
		refused, answer = no, body
		fuzztest.Bounded(t, len(body), 256, 0, func() {
			made, err := service.Issue(t.Context(), "session", "{}")
			switch {
			case err == nil && no:
				t.Fatalf("%v of %q", made, body)
			case err != nil && !strings.HasPrefix(err.Error(), "sts: AssumeRole"):
				t.Fatalf("%q", err)
			}
		})
	})
}
