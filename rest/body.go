package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// firstBuffer is the most that is allotted on the word of a Content-Length.
const firstBuffer = 1 << 20

// budget is how many bytes of bodies may be in work at once. Safe for
// concurrent use.
type budget struct {
	max  int64
	used atomic.Int64
}

func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.max {
		b.used.Add(-n)
		return false
	}
	return true
}

func (b *budget) give(n int64) { b.used.Add(-n) }

// body is a request's body on its way in. What it took of the budget is given
// back by release, when the request is answered.
type body struct {
	from   io.Reader
	limit  int64
	budget *budget
	read   int64
	taken  int64
}

// Read implements io.Reader within the limits.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.read += int64(n)
	if b.read > b.limit {
		return 0, tooLarge(b.limit)
	}
	if err := b.take(b.read); err != nil {
		return 0, err
	}
	return n, err
}

// take makes sure that the budget holds n bytes of this body.
func (b *body) take(n int64) error {
	if n <= b.taken {
		return nil
	}
	if !b.budget.take(n - b.taken) {
		return slowDown(http.StatusTooManyRequests, "Too many bytes of requests are in work", nil)
	}
	b.taken = n
	return nil
}

func (b *body) release() { b.budget.give(b.taken) }

// readBody reads the whole body within time and limits. Compressed ones are
// refused (case 102).
func (c *call) readBody(w http.ResponseWriter, patience time.Duration) ([]byte, error) {
	r := c.request
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, &failure{
			status: http.StatusUnsupportedMediaType, kind: "UnsupportedMediaTypeException",
			message: "Request bodies must not be compressed",
		}
	}
	if r.ContentLength > c.body.limit {
		return nil, tooLarge(c.body.limit)
	}
	c.body.from = r.Body
	if err := c.body.take(max(r.ContentLength, 0)); err != nil {
		return nil, err
	}
	connection := http.NewResponseController(w) // a recorder in a test has no deadlines
	_ = connection.SetReadDeadline(time.Now().Add(patience))
	defer func() { _ = connection.SetReadDeadline(time.Time{}) }()
	var data bytes.Buffer
	data.Grow(int(min(max(r.ContentLength, 0), firstBuffer)) + bytes.MinRead)
	_, err := data.ReadFrom(&c.body)
	var known *failure
	switch {
	case err == nil, errors.As(err, &known):
		return data.Bytes(), err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &failure{status: http.StatusRequestTimeout, kind: "RequestTimeoutException", message: "The request body did not come in time", err: err}
	}
	return nil, &failure{status: http.StatusBadRequest, kind: "BadRequestException", message: "The request body cannot be read", err: err}
}
