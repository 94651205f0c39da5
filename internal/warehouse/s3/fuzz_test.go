package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"puddle/internal/fuzztest"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// parrot is an object store that answers everything in the same way.
type parrot struct {
	status int
	tag    string
	writer string // of the write id
	length string
	body   []byte
}

// RoundTrip implements http.RoundTripper.
func (p parrot) RoundTrip(r *http.Request) (*http.Response, error) {
	header := http.Header{}
	for name, value := range map[string]string{
		"Etag": p.tag, "X-Amz-Meta-Puddle-Write": p.writer, "Content-Length": p.length, "Last-Modified": "Thu, 24 Sep 2026 10:00:00 GMT",
	} {
		if value != "" && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) { // else HTTP has refused it before
			header.Set(name, value)
		}
	}
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: p.status, Status: http.StatusText(p.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(p.body)), ContentLength: -1, Request: r,
	}, nil
}

const answeredPage = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>%v</IsTruncated><EncodingType>url</EncodingType>%s</ListBucketResult>`

// FuzzAnswers: whatever an object store answers, a call ends; what it gives is within the
// limits that its contract names, and an error names the key.
func FuzzAnswers(f *testing.F) {
	object := `<Contents><Key>wh/t/%s</Key><Size>7</Size><ETag>"x"</ETag><LastModified>2026-09-24T10:00:00.000Z</LastModified></Contents>`
	two := strings.ReplaceAll(object, "%s", "a") + strings.ReplaceAll(object, "%s", "b%20c")
	f.Add(200, `"x"`, "", "", []byte("bytes"))
	f.Add(200, "", "", "1099511627776", []byte("bytes"))
	f.Add(412, "", "a-write", "", []byte(`<Error><Code>PreconditionFailed</Code></Error>`))
	f.Add(404, "", "", "", []byte(`<Error><Code>NoSuchBucket</Code></Error>`))
	f.Add(403, "", "", "", []byte(`<Error><Code>AccessDenied</Code><Message>no</Message></Error>`))
	f.Add(200, "", "", "", fmt.Appendf(nil, answeredPage, true, two+`<NextContinuationToken>n</NextContinuationToken>`))
	f.Add(200, "", "", "", fmt.Appendf(nil, answeredPage, false, two+strings.ReplaceAll(object, "%s", "%zz")))
	f.Add(200, "", "", "", []byte(`<DeleteResult><Deleted><Key>wh/t/a</Key></Deleted><Error><Key>wh/t/b</Key><Code>AccessDenied</Code></Error></DeleteResult>`))
	service := &repeater{}
	store := repeating(f, service)
	f.Fuzz(func(t *testing.T, status int, tag, writer, length string, body []byte) {
		p := parrot{200 + int(uint(status)%400), tag, writer, length, body} // HTTP has dealt with those below
		service.now = p
		fuzztest.Bounded(t, len(body), 256, 0, func() { readAll(t, store, p) })
		fuzztest.Bounded(t, len(body), 256, 0, func() { writeAll(t, store) })
	})
}

// repeater answers as the parrot of now does.
type repeater struct{ now parrot }

// RoundTrip implements http.RoundTripper.
func (r *repeater) RoundTrip(asked *http.Request) (*http.Response, error) {
	return r.now.RoundTrip(asked)
}

// repeating is a store on an object store that is none.
func repeating(t *testing.F, speaks http.RoundTripper) *s3.Store {
	service, err := s3.NewSpeaking(context.Background(), s3.Options{
		Region: "us-east-1", Endpoint: "http://s3.test", PathStyle: true, AccessKeyID: "a", SecretAccessKey: "s",
		Limits: s3.Limits{Tries: 2, Pause: 2},
	}, &http.Client{Transport: speaks, Timeout: time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := warehouse.ParseLocation("s3://lake/wh")
	if err != nil {
		t.Fatal(err)
	}
	return service.Store(at)
}

func readAll(t *testing.T, store *s3.Store, p parrot) {
	const limit = 64
	data, is, err := store.Fetch(t.Context(), "t/a", limit)
	if err == nil && (len(data) > limit || is.Size != int64(len(data)) || !bytes.HasPrefix(p.body, data)) {
		t.Fatalf("%d bytes, %+v", len(data), is)
	}
	named(t, "t/a", err)
	info, err := store.Stat(t.Context(), "t/a")
	if named(t, "t/a", err); err == nil && info.Size < 0 {
		t.Fatalf("%+v", info)
	}
	last := ""
	for entry, err := range store.List(t.Context(), "t") {
		if err != nil {
			named(t, "t/", err)
			break
		}
		if warehouse.CheckKey(entry.Key) != nil || !strings.HasPrefix(entry.Key, "t/") || entry.Key <= last || entry.Size < 0 {
			t.Fatalf("%+v after %q", entry, last)
		}
		last = entry.Key
	}
}

func writeAll(t *testing.T, store *s3.Store) {
	info, err := store.Stage(t.Context(), "t/a", []byte("new"))
	if named(t, "t/a", err); err == nil && info.Size != 3 {
		t.Fatalf("%+v", info)
	}
	named(t, "t/a", store.Put(t.Context(), "t/a", []byte("new")))
	named(t, "t/a", store.Delete(t.Context(), "t/a"))
	keys := []string{"t/a", "t/b"}
	for i, err := range store.DeleteAll(t.Context(), keys) {
		named(t, keys[i], err)
	}
}

// named fails for an error that does not say of which key.
func named(t *testing.T, key string, err error) {
	t.Helper()
	if err != nil && (!strings.Contains(err.Error(), key) || errors.Is(err, warehouse.ErrLink)) {
		t.Fatalf("of %s: %v", key, err)
	}
}
