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
	for what, url := range map[string]string{
		"a wrong password":             server.URL(name, "merganser") + "&password=wrong",
		"a role that nobody knows":     server.URL(name, "smew"),
		"a role that may not connect":  server.URL(name, "grebe"),
		"a database that is not there": server.URL("nowhere", postgrestest.Superuser),
		"a certificate of nobody":      untrusted(t),
	} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: url, Unsafe: true})
		wantError(t, what, err, postgres.ErrNotLetIn)
		wantError(t, what, err, postgres.ErrAway)
	}
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
