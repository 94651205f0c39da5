package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"puddle/rest/access"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// failure is an error as a client sees it.
type failure struct {
	status  int
	kind    string // error.type of Iceberg's error model
	message string
	headers map[string]string
	err     error // what lies behind it, for the log
}

// Error is the message.
func (f *failure) Error() string { return f.message }

// Unwrap gives what lies behind.
func (f *failure) Unwrap() error { return f.err }

// fault is a status with the type that clients know it by.
type fault struct {
	status int
	kind   string
}

// faults is the one table from what the catalog refuses to what clients are
// told. On commits, 500, 502, 503 and 504 mean to clients that the outcome is
// unknown: see surely.
var faults = map[catalog.Code]fault{
	catalog.NoSuchNamespace:   {http.StatusNotFound, "NoSuchNamespaceException"},
	catalog.NoSuchTable:       {http.StatusNotFound, "NoSuchTableException"},
	catalog.NoSuchView:        {http.StatusNotFound, "NoSuchViewException"},
	catalog.FileMissing:       {http.StatusNotFound, "NotFoundException"},
	catalog.AlreadyExists:     {http.StatusConflict, "AlreadyExistsException"},
	catalog.NamespaceNotEmpty: {http.StatusConflict, "NamespaceNotEmptyException"},
	catalog.CommitFailed:      {http.StatusConflict, "CommitFailedException"},
	catalog.Invalid:           {http.StatusBadRequest, "BadRequestException"},
	catalog.IllegalArgument:   {http.StatusBadRequest, "IllegalArgumentException"},
	catalog.Unprocessable:     {http.StatusUnprocessableEntity, "UnprocessableEntityException"},
	catalog.Unsupported:       {http.StatusNotAcceptable, "UnsupportedOperationException"},
	catalog.Unsafe:            {http.StatusConflict, "UnsafeChangeException"}, // puddle's own routes, and register
	catalog.Unavailable:       {http.StatusServiceUnavailable, "SlowDownException"},
	catalog.ReadOnly:          {http.StatusForbidden, "ForbiddenException"},
	catalog.Full:              {http.StatusInsufficientStorage, "InsufficientStorageException"}, // somebody must do something: no 429, which clients repeat at once
	catalog.OutcomeUnknown:    {http.StatusInternalServerError, "CommitStateUnknownException"},
}

// retryAfter is how many seconds a client is asked to wait for a passing reason
// to pass.
const retryAfter = "1"

// retryAfterFull is the same where somebody has to make room.
const retryAfterFull = "60"

// failed turns any error into what the client is told. commits says that the
// route commits, where clients read statuses differently.
func failed(err error, commits bool) *failure {
	var f *failure
	var refusal *catalog.Error
	var invalid *metadata.Invalid
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &refusal):
		return refused(refusal, commits)
	case errors.As(err, &invalid):
		return badRequest("%v", err)
	case errors.Is(err, access.ErrNotAuthorized):
		return unauthorized(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		// Before the record: a record waits for nobody (catalog.Recorder).
		return slowDown(surely(commits), "The request took too long", err)
	}
	return internal(err, commits)
}

func refused(e *catalog.Error, commits bool) *failure {
	known, ok := faults[e.Code]
	if !ok {
		return internal(e, commits)
	}
	if e.Code == catalog.Unavailable {
		return slowDown(surely(commits), e.Message, e.Err)
	}
	f := &failure{status: known.status, kind: known.kind, message: e.Message, err: e.Err}
	if e.Code == catalog.Full {
		f.headers = map[string]string{"Retry-After": retryAfterFull}
	}
	return f
}

// surely is the status of "surely not done, try again": on a commit 503 would be
// read as an unknown outcome.
func surely(commits bool) int {
	if commits {
		return http.StatusTooManyRequests
	}
	return faults[catalog.Unavailable].status
}

func slowDown(status int, message string, err error) *failure {
	return &failure{
		status: status, kind: faults[catalog.Unavailable].kind, message: message,
		headers: map[string]string{"Retry-After": retryAfter}, err: err,
	}
}

// internal hides what went wrong: the log has it. On a commit nobody can say
// whether it was done.
func internal(err error, commits bool) *failure {
	kind := "InternalServerError"
	if commits {
		kind = faults[catalog.OutcomeUnknown].kind
	}
	return &failure{status: http.StatusInternalServerError, kind: kind, message: "The server failed to answer", err: err}
}

func unauthorized(err error) *failure {
	return &failure{
		status: http.StatusUnauthorized, kind: "NotAuthorizedException", message: "Not authorized: " + err.Error(),
		headers: map[string]string{"WWW-Authenticate": `Bearer realm="puddle"`}, err: err,
	}
}

func forbidden(err error) *failure {
	return &failure{status: http.StatusForbidden, kind: "ForbiddenException", message: "Forbidden: a request of another site's page", err: err}
}

func badRequest(format string, args ...any) *failure {
	known := faults[catalog.Invalid]
	return &failure{status: known.status, kind: known.kind, message: fmt.Sprintf(format, args...)}
}

func noSuchWarehouse(name string) *failure {
	return &failure{status: http.StatusNotFound, kind: "NoSuchWarehouseException", message: "Warehouse does not exist: " + name}
}

func noSuchRoute(method, path string) *failure {
	return &failure{status: http.StatusNotFound, kind: "NoSuchEndpointException", message: "No such endpoint: " + method + " " + path}
}

func wrongMethod(method, path, allow string) *failure {
	return &failure{
		status: http.StatusMethodNotAllowed, kind: "MethodNotAllowedException",
		message: "The endpoint has no " + method + ": " + path, headers: map[string]string{"Allow": allow},
	}
}

func tooLarge(limit int64) *failure {
	return &failure{
		status: http.StatusRequestEntityTooLarge, kind: "RequestTooLargeException",
		message: fmt.Sprintf("The request body is over the limit of %d bytes", limit),
	}
}
