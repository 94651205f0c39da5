package catalog

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// Code says why a request was not done. Package rest holds the one table that
// turns codes into HTTP statuses and Iceberg's error types.
type Code string

// The codes.
const (
	NoSuchNamespace   Code = "no-such-namespace"
	NoSuchTable       Code = "no-such-table"
	NoSuchView        Code = "no-such-view"
	FileMissing       Code = "file-missing"        // the current metadata file is gone or not what was recorded
	AlreadyExists     Code = "already-exists"      // a name or place is taken
	NamespaceNotEmpty Code = "namespace-not-empty" //
	CommitFailed      Code = "commit-failed"       // a requirement does not hold; refresh and try again
	Invalid           Code = "invalid"             // the request can never be right
	IllegalArgument   Code = "illegal-argument"    // likewise, where clients look for that word (rck §1.1)
	Unprocessable     Code = "unprocessable"       // the request contradicts itself
	Unsupported       Code = "unsupported"         // right, but cannot be done here
	Unsafe            Code = "unsafe"              // something would be lost: not without being told to, or not at all
	Unavailable       Code = "unavailable"         // surely not done, for a passing reason
	ReadOnly          Code = "read-only"           // what is asked to change is the past
	Full              Code = "full"                // surely not done, until somebody makes room on a disk
	OutcomeUnknown    Code = "outcome-unknown"     // done or not: only the journal can tell
)

// Error is a refusal with the text that clients show. Except for OutcomeUnknown
// nothing was changed.
type Error struct {
	Code    Code
	Message string
	Err     error // what lies behind it, for the log; may be nil

	taken journal.ObjectKind // AlreadyExists of a name: what has it
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap gives what lies behind.
func (e *Error) Unwrap() error { return e.Err }

func refuse(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func because(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

func noNamespace(n journal.Namespace) *Error {
	return refuse(NoSuchNamespace, "Namespace does not exist: %s", n)
}

// titled is a kind at the start of a message.
func titled(kind journal.ObjectKind) string {
	if kind == journal.View {
		return "View"
	}
	return "Table"
}

func noObject(kind journal.ObjectKind, id journal.Identifier) *Error {
	code := NoSuchTable
	if kind == journal.View {
		code = NoSuchView
	}
	return refuse(code, "%s does not exist: %s", titled(kind), id)
}

// nameTaken is the refusal of a new object over what has its name (case 97).
func nameTaken(kind journal.ObjectKind, id journal.Identifier, holder journal.ObjectKind) *Error {
	format := "%s with same name already exists: %s"
	if holder == kind {
		format = "%s already exists: %s"
	}
	err := refuse(AlreadyExists, format, titled(holder), id)
	err.taken = holder
	return err
}

// decoded passes a version on, or words what package metadata refused.
func decoded[V version](v V, err error) (V, error) {
	if err != nil {
		return v, worded(err)
	}
	return v, nil
}

// worded turns a refusal of package metadata into an answer.
func worded(err error) error {
	var (
		failed   *metadata.RequirementFailed
		conflict *metadata.Conflict
		dialect  *metadata.DuplicateDialect
	)
	switch {
	case errors.As(err, &failed), errors.As(err, &conflict):
		return because(CommitFailed, err, "%v", err)
	case errors.As(err, &dialect):
		return because(IllegalArgument, err, "%v", err)
	}
	return because(Invalid, err, "%v", err)
}

// reading turns an error of asking into an answer.
func reading(err error) error {
	if err == nil {
		return nil
	}
	return because(Unavailable, err, "The catalog cannot be read at the moment")
}

// recorded turns an error of recording what is about a kind of object, or a
// namespace, into an answer. A pointer that moved is left to onCurrent.
func recorded(kind journal.ObjectKind, err error) error {
	var (
		conflict *projections.Conflict
		refused  *Error
	)
	switch {
	case err == nil, moved(err):
		return err
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &conflict):
		return refusal(kind, conflict)
	case errors.Is(err, journal.ErrUnknownOutcome):
		return because(OutcomeUnknown, err, "The outcome of the change is not known: it may have been made")
	case errors.Is(err, journal.ErrTooLarge), errors.Is(err, journal.ErrRecord):
		return because(Invalid, err, "The change cannot be recorded: %v", err)
	}
	return unwritten(err, "The change was not made: the journal cannot be written at the moment")
}

// unwritten is for a change that was surely not made: Unavailable or Full.
func unwritten(err error, format string, args ...any) *Error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return because(Full, err, format+": a disk is full", args...)
	}
	return because(Unavailable, err, format, args...)
}

// refusal words a conflict that the recorder decided.
func refusal(kind journal.ObjectKind, c *projections.Conflict) *Error {
	switch c.Kind {
	case projections.NamespaceExists:
		return refuse(AlreadyExists, "Namespace already exists: %s", c.Namespace)
	case projections.NamespaceMissing:
		return noNamespace(c.Namespace)
	case projections.NamespaceNotEmpty:
		return refuse(NamespaceNotEmpty, "Namespace %s is not empty", c.Namespace)
	case projections.NameTaken:
		return nameTaken(kind, c.Identifier, c.Object)
	case projections.UUIDTaken:
		return refuse(AlreadyExists, "A table or view with the uuid %s exists in this warehouse, or was dropped from it", c.UUID)
	case projections.PlaceTaken:
		return refuse(AlreadyExists, "Location %s of %s overlaps a location of another table or view (%s)", c.Path, c.Identifier, c.Holder)
	case projections.PurgeBegun:
		switch c.Holder {
		case uuid.Nil:
			return refuse(Unavailable, "The change was not made: whether files are being removed from the places of %s cannot be read at the moment", c.Identifier)
		case c.UUID:
			return refuse(Unsafe, "The purge of %s (%s) has begun: files of it are gone", c.Identifier, c.UUID)
		}
		return refuse(Unavailable, "The change was not made: files of a dropped table (%s) are being removed from location %s of %s; it is free when that is done",
			c.Holder, c.Path, c.Identifier)
	}
	return noObject(kind, c.Identifier) // ObjectMissing
}
