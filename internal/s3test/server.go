package s3test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Region is that of every server.
const Region = "us-east-1"

// Server is an object store that lives as long as a test.
type Server struct {
	Endpoint                     string
	AccessKeyID, SecretAccessKey string

	backend           gofakes3.Backend
	next              http.Handler
	buckets           atomic.Int64
	ignoresConditions bool
}

// Option makes a server other than AWS's.
type Option func(*Server)

// IgnoringConditions is a store that writes whatever If-None-Match and If-Match say, as
// some do.
func IgnoringConditions() Option { return func(s *Server) { s.ignoresConditions = true } }

// Start starts an object store in this process.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := &Server{backend: s3mem.New(), AccessKeyID: "puddle", SecretAccessKey: "a secret of puddle's"}
	for _, o := range options {
		o(s)
	}
	s.next = gofakes3.New(s.backend).Server()
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	s.Endpoint = listening.URL
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.ignoresConditions && r.Method != http.MethodGet && r.Method != http.MethodHead {
		r.Header.Del("If-None-Match")
		r.Header.Del("If-Match")
	}
	s.next.ServeHTTP(w, r)
}

// Bucket makes a new bucket and tells its name.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("bucket-%d", s.buckets.Add(1))
	if err := s.backend.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	return name
}
