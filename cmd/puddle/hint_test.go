package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"puddle/cmd/puddle/config"
	"puddle/internal/s3test"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/probe"
)

// What is wrong with an address is said in the words of the configuration.
func TestHintsNameTheKey(t *testing.T) {
	location, err := store.ParseLocation("s3://lake/wh")
	if err != nil {
		t.Fatal(err)
	}
	place := config.Place{URL: "s3://lake/wh", Location: location}
	unknown := fmt.Errorf("dial: %w", &net.DNSError{Err: "no such host", Name: "lake.minio"})
	for want, test := range map[string]struct {
		s   config.Service
		err error
	}{
		"path-style-access: true":        {config.Service{Endpoint: "http://minio"}, unknown},
		"is region right, and are names": {config.Service{Region: "eu-north-7"}, unknown},
		"are endpoint and region right":  {config.Service{Endpoint: "http://minio", PathStyle: true}, unknown},
		"is the path /s3/ right":         {config.Service{Endpoint: "http://minio/s3/"}, store.ErrNoBucket},
		"; make the bucket":              {config.Service{Endpoint: "http://minio/"}, store.ErrNoBucket},
	} {
		if got := unusable(place, test.s, test.err).Error(); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}

// versitygw answers 404 for an access key id that it does not know.
func TestUnknownKeysAreNamed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<Error><Code>XAdminUserNotFound</Code><Message>No user exists with the provided access key ID.</Message></Error>"))
	}))
	defer server.Close()
	_, file := overStore(t, t.TempDir(), "d", "s3://lake/wh", server.URL, "s3cret", "")
	out := report(t, file, codeNoLook, "config", "check", "--probe")
	if !strings.Contains(out, "are access-key-id and secret-access-key right") {
		t.Errorf("%s", out)
	}
}

// Without keys that may write nothing is known of reads.
func TestReadsAreUnseenWhereNothingIsWritten(t *testing.T) {
	p := placeReport{Probe: &probe.Report{Steps: []probe.Step{{Name: probe.Write, Verdict: probe.Denied, Err: store.ErrDenied}}}}
	if row := fmt.Sprint(p.row()[3:5]); row != "[denied unseen]" {
		t.Errorf("conditional writes and reads: %s", row)
	}
}

// Recover and verify say of a bucket what a start says. A recovery tells who may have the
// warehouse still.
func TestRecoverAndVerifyGiveTheHint(t *testing.T) {
	server := s3test.Start(t)
	bucket, dir := server.Bucket(t), t.TempDir()
	c, file := overBucket(t, dir, server, bucket)
	started(t, c).stopped()
	_, wrong := overStore(t, dir, "d", "s3://"+bucket+"/wh", server.Endpoint, "s3cret", "")
	for _, command := range []string{"verify", "recover"} {
		var text bytes.Buffer
		code := run([]string{"-c", wrong, command}, &session{stdout: &text, stderr: &text, stop: t.Context(), force: t.Context()})
		out := text.String()
		for _, want := range []string{"s3://" + bucket + "/wh", "default", "are access-key-id and secret-access-key right"} {
			if code != codeNoLook || !strings.Contains(out, want) {
				t.Errorf("%s: exit code %d, %q is not said: %s", command, code, want, out)
			}
		}
	}
	overBucket(t, dir, server, bucket)
	if err := os.RemoveAll(c.DataDir); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if out := report(t, file, codeDone, "recover", "--dry-run"); !strings.Contains(out, "another server may still run on this warehouse (head.json was last written at 20") {
		t.Errorf("recover: %s", out)
	}
}
