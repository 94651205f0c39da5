package postgres_test

import (
	"net"
	"strings"
	"testing"

	"puddle/journal/postgres"
)

// TestAttemptsInOneLine: of several addresses each is told, in one line, and a database
// that cannot be reached stays away.
func TestAttemptsInOneLine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, err = postgres.Open(t.Context(), postgres.Options{URL: "postgres://a@" + address + "," + withoutTLS(t, nil)[len("postgres://a@"):] + "?sslmode=prefer"})
	wantError(t, "nobody listens", err, postgres.ErrAway)
	if told := err.Error(); strings.ContainsAny(told, "\n\t") || strings.Count(told, address) < 1 || !strings.Contains(told, "; ") {
		t.Errorf("it says %q", told)
	}
}
