package awsconfig

import (
	"errors"
	"fmt"
	"io"
)

// ErrEndless ends an answer that is longer than any may be.
var ErrEndless = errors.New("the answer does not end")

// Bounded is a body that fails with [ErrEndless] when it has more than so many bytes.
func Bounded(body io.ReadCloser, most int) io.ReadCloser {
	return &bounded{ReadCloser: body, most: most, left: most}
}

type bounded struct {
	io.ReadCloser
	most, left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrEndless, b.most)
	}
	return n, err
}
