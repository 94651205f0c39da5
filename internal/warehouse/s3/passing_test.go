package s3_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// What others made of bytes that end early, or of a deadline of their own, is not the object
// store's: who reads a damaged file would wait for ever.
func TestPassingIsOfRequests(t *testing.T) {
	for _, err := range []error{nil, io.ErrUnexpectedEOF, fmt.Errorf("warehouse.json: %w", io.ErrUnexpectedEOF), context.DeadlineExceeded, json.Unmarshal([]byte("{"), new(any)), warehouse.ErrDenied} {
		if s3.Passing(err) {
			t.Errorf("%v passes", err)
		}
	}
	l := inProcess(t)
	location := "s3://" + l.bucket(t)
	for _, fault := range []s3test.Fault{s3test.Unavailable, s3test.Refused, s3test.Truncated} {
		faulty, _ := l.faulty(t, (&plan{last: fault}).hook)
		if _, err := keys(t, faulty.at(t, quick, location), ""); !s3.Passing(err) {
			t.Errorf("%s does not pass: %v", fault, err)
		}
	}
	late := served(t, answers(func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }), location)
	if err := late.Put(t.Context(), "k", nil); !s3.Passing(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline of a request: %v", err)
	}
	cut := served(t, answers(func(r *http.Request) (*http.Response, error) {
		return says(r, http.StatusForbidden, io.MultiReader(strings.NewReader("<Error><Code>Acc"), cutOff{})), nil
	}), location)
	if err := cut.Put(t.Context(), "k", nil); !s3.Passing(err) {
		t.Errorf("words that end early: %v", err)
	}
}

// cutOff is the rest of a body that ends early.
type cutOff struct{}

// Read implements io.Reader.
func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
