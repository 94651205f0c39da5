package postgres_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	programs "os/exec"
	"os/user"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestSettings: sessions have the settings that turns rest on, except for those that the
// URL makes, in either way, and the schema is the path whatever it says.
func TestSettings(t *testing.T) {
	url := postgrestest.Open(t)
	for name, db := range map[string]*postgres.DB{
		"plan_cache_mode=force_generic_plan lock_timeout=20s idle_in_transaction_session_timeout=10s jit=off application_name=puddle search_path=puddle default_transaction_read_only=off": open(t, url),
		"plan_cache_mode=auto lock_timeout=5s idle_in_transaction_session_timeout=10s jit=on application_name=x search_path=puddle default_transaction_read_only=off": open(t,
			url+"&plan_cache_mode=auto&application_name=x&search_path=y&options=-c%20lock_timeout%3D5s%20--jit%3Don"),
		"plan_cache_mode=force_generic_plan lock_timeout=20s idle_in_transaction_session_timeout=10s jit=off application_name=puddle search_path=puddle default_transaction_read_only=on": openWith(t,
			postgres.Options{URL: url, ReadOnly: true}),
	} {
		var got string
		err := db.Read(t.Context(), func(conn *pgx.Conn) error {
			return conn.QueryRow(t.Context(), `SELECT string_agg(name || '=' || current_setting(name), ' ' ORDER BY n) FROM unnest(ARRAY['plan_cache_mode',
				'lock_timeout', 'idle_in_transaction_session_timeout', 'jit', 'application_name', 'search_path', 'default_transaction_read_only'])
				WITH ORDINALITY AS s (name, n)`).Scan(&got)
		})
		if err != nil || got != name {
			t.Errorf("got %s, %v\nwant %s", got, err, name)
		}
	}
}

// TestPooler: PgBouncer that keeps sessions does between: tables are made, events appended
// and read, who runs is seen, and who is alone goes on. The process that it names to a client
// is none of the server.
func TestPooler(t *testing.T) {
	program, err := programs.LookPath("pgbouncer")
	switch {
	case err != nil && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs pgbouncer (Debian: apt-get install pgbouncer)")
	case err != nil:
		t.Fatal(err)
	}
	server := postgrestest.Shared(t)
	config, err := pgx.ParseConfig(server.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, pool(t, program, config))
	journaltest.Append(t, db, births(t, lake))
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	leave, err := db.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Alone(t.Context())
	wantLocked(t, err, "1 server runs")
	leave()
	if leave, err = db.Alone(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer leave()
	wantError(t, "who is alone", db.Check(t.Context()), nil)
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	var path string
	if err := db.Pool().QueryRow(t.Context(), `SELECT current_setting('search_path') || current_setting('lock_timeout')`).Scan(&path); err != nil || path != "puddle20s" {
		t.Errorf("%q, %v", path, err)
	}
}

// pool runs a pooler in front of a database for the length of a test, and answers its URL.
func pool(t *testing.T, program string, to *pgx.ConnConfig) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	folder := t.TempDir()
	ini := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n%[1]s = host=%[2]s port=%[3]d dbname=%[1]s user=%[4]s\n[pgbouncer]\npool_mode = session\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %[5]d\nunix_socket_dir =\nauth_type = any\n", to.Database, to.Host, to.Port, to.User, port)
	if err := os.WriteFile(ini, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-q", ini}
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chmod(folder, 0o755), os.Chmod(filepath.Dir(folder), 0o755)); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"-u", ownerOf(t, to.Host)}, args...)
	}
	run := programs.Command(program, args...)
	run.Stderr = os.Stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for until := time.Now().Add(10 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", to.User, address, to.Database)
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

// ownerOf is the user whose folder it is.
func ownerOf(t *testing.T, folder string) string {
	t.Helper()
	info, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := user.LookupId(fmt.Sprint(info.Sys().(*syscall.Stat_t).Uid))
	if err != nil {
		t.Fatal(err)
	}
	return owner.Username
}
