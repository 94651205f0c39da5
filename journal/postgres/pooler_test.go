package postgres_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	programs "os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// TestPooler: PgBouncer that keeps sessions does between: tables are made, events appended
// and read, who runs is seen, and who is alone goes on. The process that it names to a client
// is none of the server.
func TestPooler(t *testing.T) {
	db := open(t, pool(t, "session"))
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

// TestPoolerOfTransactions: one that does not keep sessions is refused, whether or not
// prepared statements tell of it, and before a lock is left in a session of nobody.
func TestPoolerOfTransactions(t *testing.T) {
	url := pool(t, "transaction")
	for _, how := range []string{"", "&default_query_exec_mode=cache_describe"} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: url + how, Unsafe: true})
		wantError(t, "open"+how, err, postgres.ErrNoSession)
	}
}

// TestSessionThatMoves: a turn on a connection that leads to another process than it did is
// refused.
func TestSessionThatMoves(t *testing.T) {
	db := openWith(t, postgres.Options{URL: postgrestest.Open(t), Unsafe: true, MaxConnections: 1})
	journaltest.Append(t, db, births(t, lake))
	e := after(t, db, draft(lake))
	if err := db.Read(t.Context(), func(conn *pgx.Conn) error { postgres.Mislead(conn); return nil }); err != nil {
		t.Fatal(err)
	}
	wantError(t, "a turn", db.Append(t.Context(), e), postgres.ErrNoSession)
	wantError(t, "who is asked for it", db.Check(t.Context()), postgres.ErrNoSession)
	db.Pool().Reset()
	wantTruth(t, db, e, db.Append(t.Context(), e))
}

// pool runs a pooler in front of a database for the length of a test, and answers its URL.
func pool(t *testing.T, mode string) string {
	t.Helper()
	program, err := programs.LookPath("pgbouncer")
	switch {
	case err != nil && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs pgbouncer (Debian: apt-get install pgbouncer)")
	case err != nil:
		t.Fatal(err)
	}
	to, err := pgx.ParseConfig(postgrestest.Shared(t).Open(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	ini := filepath.Join(folder, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\n%[1]s = host=%[2]s port=%[3]d dbname=%[1]s user=%[4]s\n[pgbouncer]\npool_mode = %[5]s\n"+
		"listen_addr =\nunix_socket_dir = %[6]s\nlisten_port = 6432\nauth_type = any\n", to.Database, to.Host, to.Port, to.User, mode, folder)
	if err := os.WriteFile(ini, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{ini}
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chmod(folder, 0o777), os.Chmod(filepath.Dir(folder), 0o755)); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"-u", ownerOf(t, to.Host)}, args...)
	}
	run := programs.Command(program, args...)
	log, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	said := ""
	for lines := bufio.NewScanner(log); !strings.Contains(lines.Text(), "process up"); said += lines.Text() + "\n" {
		if !lines.Scan() {
			t.Fatalf("pgbouncer does not start: %s", said)
		}
	}
	go io.Copy(io.Discard, log)
	return fmt.Sprintf("postgres://%s@/%s?host=%s&port=6432&sslmode=disable", to.User, to.Database, folder)
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
