package rest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// zipped is a text as gzip has it.
func zipped(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// Case 102: gzip is read, whatever the letters and however it is sent; what is
// not what it claims is refused, and so is every other encoding.
func TestCase102_CompressedBodies(t *testing.T) {
	f := serve(t, nil)
	body := func(name string) string { return `{"namespace":["` + name + `"]}` }
	f.must(200, f.do("POST", v1+"/namespaces", zipped(t, body("a")), "Content-Encoding: gzip"))
	f.must(200, f.do("POST", v1+"/namespaces", zipped(t, body("b")), "Content-Encoding: X-GZIP"))
	f.must(200, f.do("POST", v1+"/namespaces", zipped(t, `{"namespace":`)+zipped(t, `["c"]}`), "Content-Encoding: gzip"))
	chunked := httptest.NewRequest("POST", v1+"/namespaces", strings.NewReader(zipped(t, body("d"))))
	chunked.ContentLength = -1
	f.must(200, f.send(chunked, "Content-Encoding: gzip"))
	f.must(200, f.do("POST", v1+"/namespaces", body("e"), "Content-Encoding: identity", "Content-Type: text/plain"))
	f.must(204, f.do("HEAD", v1+"/namespaces/d", ""))

	packed := zipped(t, body("x"))
	for _, wrong := range []string{"", body("x"), packed[:len(packed)-1], packed[:5], packed + "x", packed[:12] + "zzz" + packed[15:]} {
		f.fails(f.do("POST", v1+"/namespaces", wrong, "Content-Encoding: gzip"), 400, "BadRequestException")
	}
	f.fails(f.do("POST", v1+"/namespaces", packed), 400, "BadRequestException")
	for _, encoding := range []string{"deflate", "zstd", "gzip, gzip", "x-unknown"} {
		a := f.do("POST", v1+"/namespaces", packed, "Content-Encoding: "+encoding)
		f.fails(a, 415, "UnsupportedMediaTypeException")
		equal(t, "Accept-Encoding", a.Header.Get("Accept-Encoding"), "gzip")
	}
	f.must(404, f.do("HEAD", v1+"/namespaces/x", ""))
}

// Case 102: the limits hold for what a body inflates to, and it is not inflated
// further than they reach; they hold as well for what inflates to nothing.
func TestCase102_Bombs(t *testing.T) {
	f := serve(t, func(o *Options) { o.MaxBody = 1000 })
	f.fails(f.do("POST", v1+"/namespaces", zipped(t, strings.Repeat(" ", 60<<20)), "Content-Encoding: gzip"), 413, "RequestTooLargeException")
	if read := f.logged().BytesIn; read > 1000+bytes.MinRead {
		t.Errorf("%d bytes were inflated", read)
	}
	f.fails(f.do("POST", v1+"/namespaces", zipped(t, strings.Repeat(" ", 1001)), "Content-Encoding: gzip"), 413, "RequestTooLargeException")
	hollow := httptest.NewRequest("POST", v1+"/namespaces", strings.NewReader(strings.Repeat(zipped(t, ""), 100)))
	hollow.ContentLength = -1
	f.fails(f.send(hollow, "Content-Encoding: gzip"), 413, "RequestTooLargeException")
	f.must(200, f.do("POST", v1+"/namespaces", zipped(t, `{"namespace":["a"]}`+strings.Repeat(" ", 900)), "Content-Encoding: gzip"))
}

// A body over the limit is refused by its length before it is read, and by what
// came when it has none.
func TestBodiesTooLarge(t *testing.T) {
	f := serve(t, func(o *Options) { o.MaxBody = 100 })
	fits := `{"namespace":["` + strings.Repeat("a", 100-18) + `"]}`
	f.must(200, f.do("POST", v1+"/namespaces", fits))
	f.fails(f.do("POST", v1+"/namespaces", fits+" "), 413, "RequestTooLargeException")
	unread := &countingReader{from: strings.NewReader(strings.Repeat("x", 1000))}
	r := httptest.NewRequest("POST", v1+"/namespaces", unread)
	r.ContentLength = 1000
	f.fails(f.send(r), 413, "RequestTooLargeException")
	if unread.n != 0 {
		t.Errorf("%d bytes were read of a body that was announced to be too large", unread.n)
	}
	r = httptest.NewRequest("POST", v1+"/namespaces", unread)
	r.ContentLength = -1
	f.fails(f.send(r), 413, "RequestTooLargeException")
}

type countingReader struct {
	from io.Reader
	n    int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.n += n
	return n, err
}

// gateReader gives one byte, tells that it was asked, and goes on when it may.
type gateReader struct {
	asked, open chan struct{}
	rest        io.Reader
	once        bool
}

func (r *gateReader) Read(p []byte) (int, error) {
	if !r.once {
		r.once = true
		close(r.asked)
		<-r.open
	}
	return r.rest.Read(p)
}

// Bytes in work are bounded over all requests; what is over is told to come
// again, and the bytes of answered requests count no more.
func TestTooManyBytesInWork(t *testing.T) {
	f := serve(t, func(o *Options) { o.MaxInflight = 100 })
	slow := &gateReader{asked: make(chan struct{}), open: make(chan struct{}), rest: strings.NewReader(`{"namespace":["a"]}` + strings.Repeat(" ", 61))}
	r := httptest.NewRequest("POST", v1+"/namespaces", slow)
	r.ContentLength = 80
	done := make(chan answer)
	go func() { done <- f.send(r) }()
	<-slow.asked
	body := `{"namespace":["b"]}` + strings.Repeat(" ", 10)
	a := f.do("POST", v1+"/namespaces", body)
	f.fails(a, 429, "SlowDownException")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	chunked := httptest.NewRequest("POST", v1+"/namespaces", strings.NewReader(body))
	chunked.ContentLength = -1
	f.fails(f.send(chunked), 429, "SlowDownException")
	f.must(200, f.do("GET", v1+"/namespaces", ""))
	close(slow.open)
	f.must(200, <-done)
	f.must(200, f.do("POST", v1+"/namespaces", body))
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("secret of the network") }

func TestBodyThatBreaksOff(t *testing.T) {
	f := serve(t, nil)
	message := f.fails(f.send(httptest.NewRequest("POST", v1+"/namespaces", brokenReader{})), 400, "BadRequestException")
	if strings.Contains(message, "secret") {
		t.Error(message)
	}
	if f.logged().Err == nil {
		t.Error("the log does not know why")
	}
}

// A client that never sends its body is not waited for longer than a request may
// take.
func TestBodyThatDoesNotCome(t *testing.T) {
	f := serve(t, func(o *Options) { o.RequestTimeout = 1 })
	server := httptest.NewServer(f.handler)
	defer server.Close()
	body, never := io.Pipe()
	defer never.Close()
	response, err := http.Post(server.URL+v1+"/namespaces", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	f.fails(answer{response, data}, 408, "RequestTimeoutException")
}
