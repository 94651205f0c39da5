package sts_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"puddle/internal/s3test"
	"puddle/rest/access/vended"
	"puddle/rest/access/vended/sts"
)

func service(t *testing.T, endpoint string, change func(*sts.Options)) *sts.Service {
	t.Helper()
	o := sts.Options{
		Region: "eu-north-1", Endpoint: endpoint, AccessKeyID: "puddle", SecretAccessKey: "a secret of puddle's",
		RoleARN: s3test.RoleARN, Life: 20 * time.Minute,
	}
	if change != nil {
		change(&o)
	}
	s, err := sts.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func policy(t *testing.T, place vended.Place) string {
	t.Helper()
	text, err := vended.WritePolicy().For("aws", place)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestIssue(t *testing.T) {
	store := s3test.Start(t, s3test.WithExternalID("x"))
	s := service(t, store.Endpoint, func(o *sts.Options) { o.ExternalID = "x" })
	// A name beyond what STS takes as it stands.
	text := policy(t, vended.Place{Bucket: "lake", Prefix: `wh/"世"/`})
	session := vended.Session{Actor: "token:étl", Table: "0193a2c4-0000-7000-8000-000000000001"}.Name()
	made, err := s.Issue(t.Context(), session, text)
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(made.Expires); made.AccessKeyID == "" || made.SecretAccessKey == "" || made.SessionToken == "" || left < 19*time.Minute || left > 20*time.Minute {
		t.Errorf("%s", made)
	}
	if made.Expires.Sub(made.Answered).Round(time.Minute) != 20*time.Minute {
		t.Errorf("answered at %v, as STS says", made.Answered)
	}
	asked := store.Assumed()[0]
	if asked.SessionName != session || asked.Policy != text || asked.ExternalID != "x" || asked.Duration != 20*time.Minute || asked.Region != "eu-north-1" {
		t.Errorf("%+v", asked)
	}
}

// Errors say what, and nothing that was signed, of which the answer to a wrong signature
// holds all.
func TestErrorsHoldNoSecret(t *testing.T) {
	for _, c := range []struct {
		code, message, want string
	}{
		{"AccessDenied", "User: puddle is not authorized", `sts: AssumeRole: AccessDenied (status 403, request "r-1"): User: puddle is not authorized`},
		{"SignatureDoesNotMatch", "It does not match.\n\nThe Canonical String should have been\n'POST\nx-amz-security-token:hush'",
			`sts: AssumeRole: SignatureDoesNotMatch (status 403, request "r-1"): It does not match.`},
		{"MalformedPolicyDocument", strings.Repeat("x", 1000), "sts: AssumeRole: MalformedPolicyDocument"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Requestid", "r-1")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<ErrorResponse><Error><Code>" + c.code + "</Code><Message>" + c.message + "</Message></Error><RequestId>r-1</RequestId></ErrorResponse>"))
		}))
		_, err := service(t, server.URL, nil).Issue(t.Context(), "s", policy(t, vended.Place{Bucket: "lake", Prefix: "t/"}))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "secret") || len(err.Error()) > 500 {
			t.Errorf("%s: %v", c.code, err)
		}
		server.Close()
	}
}

// A passing failure is tried again, a refusal is not.
func TestFailuresAreTriedAgain(t *testing.T) {
	store := s3test.Start(t)
	var asked atomic.Int64
	status := http.StatusServiceUnavailable
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(status)
			return
		}
		store.ServeHTTP(w, r)
	}))
	defer front.Close()
	text := policy(t, vended.Place{Bucket: "lake", Prefix: "t/"})
	if _, err := service(t, front.URL, nil).Issue(t.Context(), "session", text); err != nil || asked.Load() != 2 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
	asked.Store(0)
	status = http.StatusForbidden
	if _, err := service(t, front.URL, nil).Issue(t.Context(), "session", text); err == nil || asked.Load() != 1 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
}

// A store that takes any role is told some; without region and endpoint there is nobody
// to ask.
func TestServicesThatNeedLess(t *testing.T) {
	var role atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		role.Store(r.FormValue("RoleArn"))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	if _, err := service(t, server.URL, func(o *sts.Options) { o.RoleARN, o.Region = "", "" }).Issue(t.Context(), "session", "{}"); err == nil || role.Load() != sts.AnyRole {
		t.Errorf("%v, role %v", err, role.Load())
	}
	for _, key := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE"} {
		t.Setenv(key, "")
	}
	t.Setenv("HOME", t.TempDir())
	if _, err := sts.New(t.Context(), sts.Options{}); err == nil {
		t.Error("nobody is asked")
	}
}

// Where STS is says the configuration, not the environment.
func TestTheEnvironmentNamesNoEndpoint(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://env.example")
	t.Setenv("AWS_ENDPOINT_URL_STS", "http://sts.example")
	t.Setenv("AWS_PROFILE", "none")
	if at := service(t, "", nil).BaseEndpoint(); at != nil {
		t.Errorf("it asks %s", *at)
	}
	if at := service(t, "http://configured.example", nil).BaseEndpoint(); at == nil || *at != "http://configured.example" {
		t.Errorf("it asks %v", at)
	}
}
