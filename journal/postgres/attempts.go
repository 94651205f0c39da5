package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Where a connection is made several addresses are tried, and one of them with and without
// TLS. pgx tells of all attempts, a line each.

const (
	refusedTLS  = "tls error: server refused TLS connection" // pgx has no other sign of it
	demandedTLS = "the server has no TLS, which sslmode demands"
)

// attemptsOf are the attempts at a connection that failed, but for those with TLS at a server
// without it that were followed by one that does without, or came after it.
func attemptsOf(err error) (told []error) {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return nil
	}
	all := []error{failed.Unwrap()}
	if joined, ok := failed.Unwrap().(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	plain := map[string]bool{} // addresses
	for _, one := range all {
		if !isWithoutTLS(one) {
			plain[addressOf(one)] = true
		}
	}
	for _, one := range all {
		if !isWithoutTLS(one) || !plain[addressOf(one)] {
			told = append(told, one)
		}
	}
	return told
}

func isWithoutTLS(attempt error) bool { return strings.HasSuffix(attempt.Error(), refusedTLS) }

// addressOf is with what pgx begins an attempt: the address, and the host in parentheses.
func addressOf(attempt error) string {
	address, _, _ := strings.Cut(attempt.Error(), "): ")
	return address
}

// oneLine is an error whose text has no line ends.
type oneLine struct {
	error
	text string
}

func (o oneLine) Error() string { return o.text }
func (o oneLine) Unwrap() error { return o.error }

// inOneLine tells what an error does, of attempts at a connection those that matter.
func inOneLine(err error) error {
	text := err.Error()
	if failed, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		var told []string
		for _, one := range attemptsOf(err) {
			told = append(told, strings.Replace(one.Error(), refusedTLS, demandedTLS, 1))
		}
		first, _, _ := strings.Cut(failed.Error(), "`:")
		text = strings.Replace(text, failed.Error(), first+"`: "+strings.Join(told, "\n"), 1)
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return oneLine{err, strings.Join(lines, "; ")}
}
