package s3test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Region is that of every server.
const Region = "us-east-1"

// Server is an object store and its STS, at one endpoint. Safe for concurrent use.
type Server struct {
	Endpoint                     string
	AccessKeyID, SecretAccessKey string // of the owner, who may do everything that is not denied

	backend           gofakes3.Backend // nil: another server
	next              http.Handler     // takes what is admitted
	listening         *httptest.Server
	named             string // what names of buckets begin with
	buckets           atomic.Int64
	ignoresConditions bool
	externalID        string
	ending            sync.RWMutex // held alone by who ends an upload in parts with a condition

	mu        sync.Mutex
	forbidden *policy
	sessions  map[string]*session // by access key
	assumed   []Assumed
	stsStatus int
	lastFor   time.Duration
}

// Option makes a server other than AWS's.
type Option func(*Server)

// IgnoringConditions is a store that writes whatever If-None-Match and If-Match say, as
// some do.
func IgnoringConditions() Option { return func(s *Server) { s.ignoresConditions = true } }

// Denying is a store whose policy denies things to everybody, its owner too: see [Server.Deny].
func Denying(things ...string) Option { return func(s *Server) { s.Deny(things...) } }

// WithExternalID is an STS whose role is only assumed with this external id.
func WithExternalID(id string) Option { return func(s *Server) { s.externalID = id } }

// InFrontOf is a server whose objects are in another one, at an endpoint, whose owner has
// this key. Nobody else needs to reach that.
func InFrontOf(endpoint, accessKeyID, secretAccessKey string) Option {
	return func(s *Server) {
		s.backend, s.next = nil, newForward(endpoint, accessKeyID, secretAccessKey)
		s.named = "front-" + strings.ToLower(rand.Text()[:10]) // others make buckets there
	}
}

// Start starts an object store in this process, for a test.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := Open(options...)
	t.Cleanup(s.Close)
	return s
}

// Open starts an object store in this process, until it is closed.
func Open(options ...Option) *Server {
	s := &Server{backend: s3mem.New(), named: "bucket", AccessKeyID: "puddle", SecretAccessKey: "a secret of puddle's", sessions: map[string]*session{}}
	for _, o := range options {
		o(s)
	}
	if s.backend != nil {
		s.next = gofakes3.New(s.backend).Server()
	}
	s.listening = httptest.NewServer(s)
	s.Endpoint = s.listening.URL
	return s
}

// Close ends it, when the requests that it has have ended.
func (s *Server) Close() { s.listening.Close() }

// Deny denies things to everybody from now on, and nothing that was denied before: each
// is an action, like s3:DeleteObject or s3:*, and, behind a space, the pattern of the
// resource that it is denied for, like arn:aws:s3:::bucket/_puddle/*. It panics on
// what is neither.
func (s *Server) Deny(things ...string) {
	denies := &policy{Version: "2012-10-17"}
	for _, thing := range things {
		action, resource, _ := strings.Cut(thing, " ")
		if resource == "" {
			resource = "*"
		}
		one := statement{Effect: "Deny", Action: list[string]{action}, Resource: list[string]{resource}}
		if err := one.check(); err != nil {
			panic(err)
		}
		denies.Statement = append(denies.Statement, one)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbidden = denies
}

// Bucket makes a new bucket and tells its name.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("%s-%d", s.named, s.buckets.Add(1))
	if err := s.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	return name
}

// CreateBucket makes a bucket that is not there.
func (s *Server) CreateBucket(name string) error {
	answer := httptest.NewRecorder()
	s.next.ServeHTTP(answer, httptest.NewRequest(http.MethodPut, "/"+name, http.NoBody))
	if answer.Code != http.StatusOK {
		return fmt.Errorf("bucket %s: %d %s", name, answer.Code, answer.Body)
	}
	return nil
}
