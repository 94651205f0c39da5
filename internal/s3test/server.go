package s3test

import (
	"fmt"
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

	backend gofakes3.Backend
	buckets atomic.Int64
}

// Start starts an object store in this process.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{backend: s3mem.New(), AccessKeyID: "puddle", SecretAccessKey: "a secret of puddle's"}
	listening := httptest.NewServer(gofakes3.New(s.backend).Server())
	t.Cleanup(listening.Close)
	s.Endpoint = listening.URL
	return s
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
