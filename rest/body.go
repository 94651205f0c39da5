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

	"github.com/klauspost/compress/gzip"
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

// body is a request's body on its way in, inflated. What it took of the budget is given
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

// readBody reads the whole body within time and limits. What is compressed with
// gzip is inflated, within the same limits (case 102).
func (c *call) readBody(w http.ResponseWriter, patience time.Duration) ([]byte, error) {
	r := c.request
	packed, err := isGzip(r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	if r.ContentLength > c.body.limit {
		return nil, tooLarge(c.body.limit)
	}
	if err := c.body.take(max(r.ContentLength, 0)); err != nil {
		return nil, err
	}
	connection := http.NewResponseController(w) // a recorder in a test has no deadlines
	_ = connection.SetReadDeadline(time.Now().Add(patience))
	defer func() { _ = connection.SetReadDeadline(time.Time{}) }()
	c.body.from = r.Body
	if packed {
		c.body.from = &inflater{packed: http.MaxBytesReader(w, r.Body, c.body.limit)}
	}
	var data bytes.Buffer
	data.Grow(int(min(max(r.ContentLength, 0), firstBuffer)) + bytes.MinRead)
	if _, err = data.ReadFrom(&c.body); err != nil {
		return nil, unread(err)
	}
	return data.Bytes(), nil
}

// isGzip tells how a body is encoded: with gzip or not at all.
func isGzip(encodings []string) (bool, error) {
	switch encoding := strings.ToLower(strings.Join(encodings, ",")); encoding {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	}
	return false, &failure{
		status: http.StatusUnsupportedMediaType, kind: "UnsupportedMediaTypeException",
		message: "Request bodies may be compressed with gzip only", headers: map[string]string{"Accept-Encoding": "gzip"},
	}
}

// inflater reads what is packed. It begins with the first Read, when the time
// for reading is limited.
type inflater struct {
	packed io.Reader
	z      *gzip.Reader
}

// Read implements io.Reader.
func (i *inflater) Read(p []byte) (n int, err error) {
	if i.z == nil {
		if i.z, err = gzip.NewReader(i.packed); err != nil {
			return 0, err
		}
	}
	return i.z.Read(p)
}

// unread words why a body could not be read.
func unread(err error) error {
	var known *failure
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &over):
		return tooLarge(over.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{status: http.StatusRequestTimeout, kind: "RequestTimeoutException", message: "The request body did not come in time", err: err}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return badRequest("The request body is not what its Content-Encoding says: %v", err)
	}
	return &failure{status: http.StatusBadRequest, kind: "BadRequestException", message: "The request body cannot be read", err: err}
}
