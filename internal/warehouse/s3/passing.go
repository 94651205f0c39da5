package s3

import (
	"context"
	"errors"
)

// Asked tells whether an error is of a request to an object store: of what it answered, or
// that it did not.
func Asked(err error) bool { return asked(err) }

// Passing tells whether what failed in an object store may succeed a moment later: it is
// away, overloaded, or was cut off, or did not answer before a deadline. It does not of what
// it refuses, nor of errors of others.
func Passing(err error) bool {
	return err != nil && (passing(err) || errors.Is(err, context.DeadlineExceeded) && asked(err))
}
