package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// errStalled ends a try that makes no progress.
var errStalled = errors.New("the object store does not answer")

// attempt is one try of a request, and the context of it.
type attempt struct {
	context.Context
	idle  time.Duration
	timer *time.Timer
}

// attempt makes one try when there is room for it.
func (s *Service) attempt(ctx context.Context, once func(attempt) error) error {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.slots }()
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := attempt{Context: limited, idle: s.limits.Idle}
	a.timer = time.AfterFunc(a.idle, func() { cancel(errStalled) })
	defer a.timer.Stop()
	err := once(a)
	if err != nil && errors.Is(context.Cause(limited), errStalled) {
		return fmt.Errorf("%w: no byte for %v", errStalled, a.idle)
	}
	return err
}

// moved tells that there is progress.
func (a attempt) moved() { a.timer.Reset(a.idle) }

// moving is a body that tells when it moves.
type moving struct {
	io.Reader
	attempt attempt
}

// Read implements io.Reader.
func (m moving) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if n > 0 {
		m.attempt.moved()
	}
	return n, err
}

// sending is a body of a request, which is read for its digest and then to be sent.
type sending struct {
	moving
	io.Seeker
}

func (a attempt) sending(data []byte) io.ReadSeeker {
	body := bytes.NewReader(data)
	return sending{moving{body, a}, body}
}
