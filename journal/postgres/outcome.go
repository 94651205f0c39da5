package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"puddle/journal"
)

// Why the database did not do what it was asked to. Surely nothing was written; the
// same may pass later.
var (
	// ErrBusy: it, or this process, has no room for more now: connections, memory, disk, a
	// lock in time.
	ErrBusy = errors.New("the database is busy")
	// ErrAway: it cannot be reached, or ended the session: it starts, stops or has crashed.
	ErrAway = errors.New("the database is away")
	// ErrNotLetIn is an ErrAway: the server does not know the role, its password, the
	// database or a setting of the URL, has no TLS where the URL demands it, or one of the two
	// does not take the other's certificate. It does not pass by itself.
	ErrNotLetIn error = notLetIn{}
)

type notLetIn struct{}

func (notLetIn) Error() string { return "the database does not let this process in" }
func (notLetIn) Unwrap() error { return ErrAway }

// class is what an error of the server says of the transaction in which it came.
type class int

const (
	// unknown: of a commit it says nothing. Before one was sent nothing is written.
	unknown class = iota
	// rolledBack by a race with others: the same transaction may pass now.
	rolledBack
	// deterministic: rolled back, and it would be again.
	deterministic
)

// meaning is what an error of the server says of the transaction, and why it came: ErrBusy, ErrAway,
// ErrNoSession or nil.
type meaning struct {
	class
	why error
}

// sqlstates are the meanings of errors, by the longest beginning of their code. A
// commit of what is not here is looked for, which is always right. So is one that was
// canceled, or for which there was no room: the server may meet that when all is written
// already, as while it logs how long that took.
var sqlstates = map[string]meaning{
	"40001": {rolledBack, ErrBusy}, // serialization failure
	"40P01": {rolledBack, ErrBusy}, // deadlock
	"40002": {deterministic, nil},
	"40":    {unknown, nil}, // 40003: completion unknown

	"53":    {unknown, ErrBusy}, // disk full, out of memory, too many connections
	"55P03": {unknown, ErrBusy}, // lock not available in time
	"57014": {unknown, ErrBusy}, // canceled, or over statement_timeout

	"0A":    {deterministic, nil},
	"22":    {deterministic, nil},
	"23":    {deterministic, nil},          // a constraint
	"25":    {deterministic, nil},          // of a transaction that has failed, or is read only
	"26":    {deterministic, ErrNoSession}, // a statement was prepared elsewhere
	"28":    {deterministic, nil},
	"42":    {deterministic, nil},
	"42P05": {deterministic, ErrNoSession}, // a statement was prepared here by somebody else
	"54":    {deterministic, nil},

	"08":    {unknown, ErrAway}, // the connection
	"57":    {unknown, ErrAway}, // ended by an administrator or a crash, perhaps after a commit; starting, or stopping
	"58":    {unknown, nil},
	"XX":    {unknown, nil},
	"25P03": {unknown, ErrAway}, // the session ended while nothing happened in it
	"25P04": {unknown, ErrAway}, // or since its transaction took too long
}

// meaningOf is what the server's error in err means; the zero meaning when there is none.
func meaningOf(err error) meaning {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		for n := len(said.Code); n > 0; n-- {
			if m, ok := sqlstates[said.Code[:n]]; ok {
				return m
			}
		}
	}
	return meaning{}
}

// classify says what an error means for the transaction in which it came. What is
// no error of the server, as of the network, is unknown.
func classify(err error) class {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return deterministic
	}
	return meaningOf(err).class
}

// whyNot is ErrBusy, ErrAway, ErrNotLetIn, ErrNoSession or nil. An outcome that is unknown is nothing but that.
func whyNot(err error) error {
	if err == nil || errors.Is(err, journal.ErrUnknownOutcome) || errors.Is(err, ErrBusy) || errors.Is(err, ErrAway) || errors.Is(err, ErrNoSession) {
		return nil
	}
	why := meaningOf(err).why
	if why == nil && isNotLetIn(err) {
		why = ErrNotLetIn
	}
	if why == nil && (isUnreachable(err) || isNetwork(err)) {
		why = ErrAway
	}
	return why
}

// isLost tells that a session ended that was there before.
func isLost(err error) bool {
	return !isUnreachable(err) && (isNetwork(err) || errors.Is(meaningOf(err).why, ErrAway))
}

// isUnreachable tells that there was no session to be had.
func isUnreachable(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// isNotLetIn tells that there was no session to be had for who asked.
func isNotLetIn(err error) bool {
	if !isUnreachable(err) {
		return false
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		const settings, values = "42", "22" // which the server does not know; and rights
		return slices.ContainsFunc([]string{"28", noDatabase, settings, values}, func(class string) bool { return strings.HasPrefix(said.Code, class) })
	}
	_, unverified := errors.AsType[*tls.CertificateVerificationError](err)
	return unverified || slices.ContainsFunc(attemptsOf(err), isWithoutTLS)
}

func isNetwork(err error) bool {
	if _, said := errors.AsType[*pgconn.PgError](err); said {
		return false
	}
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) // of migrations
}

// said is an error as the journal says it, with what it is for whoever asked: ErrClosed,
// ErrBusy, ErrAway or ErrNoSession. What came of the caller's own context is left as it is.
func (db *DB) said(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, journal.ErrClosed):
		return err
	case db.closed.Load():
		return fmt.Errorf("%w: %w", journal.ErrClosed, err)
	case ctx.Err() != nil:
		return err
	}
	if why := whyNot(err); why != nil {
		return fmt.Errorf("%w: %w", why, inOneLine(err))
	}
	if isRefused(err) {
		return refusal{err}
	}
	return err
}

// refusal is an error about what the server was given, and not about the server or
// what is there: the same group would meet it again, another one perhaps not.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// Deterministic tells who tries groups that there is something in this one.
func (refusal) Deterministic() bool { return true }

// isRefused: data that no column takes, a constraint, what is over a limit.
func isRefused(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && !errors.Is(err, journal.ErrUnknownOutcome) &&
		(strings.HasPrefix(said.Code, "22") || strings.HasPrefix(said.Code, "23") || strings.HasPrefix(said.Code, "54"))
}

const (
	uniqueViolation       = "23505" // something is there already
	noDatabase            = "3D000"
	insufficientPrivilege = "42501"
)

// isTaken tells that somebody else has appended, not that another table is damaged.
func isTaken(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == uniqueViolation && (said.TableName == "heads" || said.TableName == "incarnations" || said.TableName == "events")
}
