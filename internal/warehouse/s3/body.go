package s3

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"puddle/internal/awsconfig"
)

// mostWords is how long an answer may be that is no object: a page of a list is the longest,
// with three letters for each byte of a thousand names.
const mostWords = 16 << 20

// watched is a client of HTTP whose requests tell their attempts that they move, and whose
// answers have an end.
type watched struct{ aws.HTTPClient }

// Do implements aws.HTTPClient.
func (c watched) Do(r *http.Request) (*http.Response, error) {
	a, ok := r.Context().Value(attemptKey{}).(attempt)
	if !ok {
		return c.HTTPClient.Do(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // a copy
		r.Body = a.moving(r.Body)
	}
	answer, err := c.HTTPClient.Do(r)
	if err != nil {
		return answer, err
	}
	if r.Method != http.MethodGet || answer.StatusCode >= 300 || strings.Contains(r.URL.RawQuery, "list-type=") {
		answer.Body = awsconfig.Bounded(answer.Body, mostWords)
	}
	answer.Body = a.moving(answer.Body)
	return answer, nil
}

// slowest is how many bytes of a body come in a second, at least: one that drips would hold
// its caller for as long as it does.
const slowest = 16 << 10

// moving is a body that tells when it moves, and fails when it does so too slowly.
type moving struct {
	io.ReadCloser
	attempt attempt
	began   time.Time
	bytes   int64
}

func (a attempt) moving(body io.ReadCloser) *moving {
	return &moving{ReadCloser: body, attempt: a, began: time.Now()}
}

// Read implements io.Reader. A body has twice the time that it may stand, and more for the
// bytes that moved.
func (m *moving) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if n == 0 {
		return n, err
	}
	m.attempt.moved()
	m.bytes += int64(n)
	if took := time.Since(m.began); err == nil && took > 2*m.attempt.idle+time.Duration(m.bytes)*time.Second/slowest {
		return 0, fmt.Errorf("%w: %d bytes in %v", errStalled, m.bytes, took)
	}
	return n, err
}

// lent are bytes of the caller's for one try. When it has ended they are the caller's again,
// also while HTTP still reads what it was to send.
type lent struct {
	mu    sync.Mutex
	bytes *bytes.Reader // guarded by mu
	over  bool          // guarded by mu
}

// Read implements io.Reader.
func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, errStalled
	}
	return l.bytes.Read(p)
}

// Seek implements io.Seeker. The digest of a request is made before it is sent.
func (l *lent) Seek(offset int64, whence int) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.Seek(offset, whence)
}

func (l *lent) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}
