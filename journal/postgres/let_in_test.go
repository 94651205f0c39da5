package postgres_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"puddle/internal/postgrestest"
	"puddle/journal/postgres"
)

// TestNotLetIn: who cannot be let in is told so, and that is not what passes by itself.
func TestNotLetIn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, dir := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hba := filepath.Join(folder, "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("local all "+postgrestest.Superuser+" trust\nlocal all merganser scram-sha-256\nlocal all grebe trust\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := postgrestest.New(t, "hba_file="+hba)
	url := server.Open(t)
	name := url[strings.LastIndex(url, "/t")+1 : strings.Index(url, "?")]
	exec(t, url, "CREATE ROLE merganser LOGIN PASSWORD 'right'", "CREATE ROLE grebe LOGIN", "REVOKE CONNECT ON DATABASE "+name+" FROM PUBLIC")
	for url, said := range map[string]string{
		server.URL(name, "merganser") + "&password=wrong": "password authentication failed",
		server.URL(name, "smew"):                          `"smew"`,
		server.URL(name, "grebe"):                         "permission denied for database",
		server.URL("nowhere", postgrestest.Superuser):     `"nowhere" does not exist`,
		untrusted(t):                                "certificate",
		url + "&sslmod=require":                     `unrecognized configuration parameter "sslmod"`,
		url + "&lock_timeout=soon":                  `invalid value for parameter "lock_timeout"`,
		withoutTLS(t, nil) + "?sslmode=verify-full": "the server has no TLS, which sslmode demands",
		withoutTLS(t, nobody) + "?sslmode=prefer":   `role "a" does not exist`,
		withoutTLS(t, nobody) + "?sslmode=allow":    `role "a" does not exist`,
	} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true})
		wantError(t, url, err, postgres.ErrNotLetIn)
		wantError(t, url, err, postgres.ErrAway)
		told := err.Error()
		if !strings.Contains(told, said) || strings.ContainsAny(told, "\n\t") || strings.Contains(told, "is away") || strings.Contains(told, "tls error: server refused") {
			t.Errorf("%s: %q does not say %s, or more", url, told, said)
		}
	}
}

// nobody is what a server says to a role that it does not know.
var nobody = &pgproto3.ErrorResponse{Severity: "FATAL", Code: "28000", Message: `role "a" does not exist`}

// withoutTLS is a server that refuses TLS, and says one thing to whoever begins without.
func withoutTLS(t *testing.T, says *pgproto3.ErrorResponse) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(conn net.Conn) {
		defer conn.Close()
		back := pgproto3.NewBackend(conn, conn)
		began, err := back.ReceiveStartupMessage()
		if _, asked := began.(*pgproto3.SSLRequest); asked || err != nil || says == nil {
			_, _ = conn.Write([]byte("N"))
			return
		}
		back.Send(says)
		_ = back.Flush()
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn)
		}
	}()
	return "postgres://a@" + l.Addr().String() + "/b"
}

// untrusted is a server whose certificate nobody has signed.
func untrusted(t *testing.T) (url string) {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			asked := make([]byte, 8) // for TLS
			if _, err := io.ReadFull(conn, asked); err == nil {
				_, _ = conn.Write([]byte("S"))
				_ = tls.Server(conn, certified.TLS).Handshake()
			}
			conn.Close()
		}
	}()
	return "postgres://a@" + l.Addr().String() + "/b?sslmode=verify-full"
}
