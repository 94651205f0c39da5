package postgrestest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// another is a server that was not started, and has no files but those that fill makes.
func (c *Cluster) another(tb testing.TB, settings []string, fill func(data string)) *Cluster {
	tb.Helper()
	b := &Cluster{bin: c.bin, as: c.as, settings: slices.Concat(c.settings, settings)}
	if err := b.makeFolder(filepath.Dir(c.folder)); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.Remove)
	fill(b.data())
	return b
}

// Backup is a base backup of a server that runs, as a server of its own: it was not
// started. Settings are further ones. It goes with the test.
func (c *Cluster) Backup(tb testing.TB, settings ...string) *Cluster {
	tb.Helper()
	return c.another(tb, settings, func(data string) {
		c.Run(tb, "pg_basebackup --checkpoint=fast --no-sync --pgdata="+data)
	})
}

// Again is a server with the files of one that does not run, as Backup is.
func (c *Cluster) Again(tb testing.TB, settings ...string) *Cluster {
	tb.Helper()
	return c.another(tb, settings, func(data string) { c.Run(tb, "cp -pR "+c.data()+" "+data) })
}

// Follower is a standby of a server that runs: it streams what that one writes, and is
// known to it by a name. It goes with the test.
func (c *Cluster) Follower(tb testing.TB, name string, settings ...string) *Cluster {
	tb.Helper()
	s := c.Backup(tb, settings...)
	s.write(tb, "postgresql.auto.conf", fmt.Sprintf("primary_conninfo = 'host=%s user=%s application_name=%s'\n", c.folder, Superuser, name))
	s.Standby(tb)
	if err := s.Start(); err != nil {
		tb.Fatal(err)
	}
	return s
}

// Forsake has a standby stream no more: what its server writes from now on it does not have.
func (c *Cluster) Forsake(tb testing.TB) {
	tb.Helper()
	c.Exec(tb, "ALTER SYSTEM SET primary_conninfo = ''")
	c.Exec(tb, "SELECT pg_reload_conf()")
	for told[bool](tb, c, "SELECT count(*) > 0 FROM pg_stat_wal_receiver") {
	}
}

// Caught waits until a standby has replayed what its primary has written.
func (c *Cluster) Caught(tb testing.TB, primary *Cluster) {
	tb.Helper()
	end := told[string](tb, primary, "SELECT pg_current_wal_lsn()::text")
	for told[bool](tb, c, "SELECT pg_last_wal_replay_lsn() < '"+end+"'") {
	}
}

// Promote makes a standby a server that takes changes.
func (c *Cluster) Promote(tb testing.TB) {
	tb.Helper()
	if !told[bool](tb, c, "SELECT pg_promote()") {
		tb.Fatal("it is not promoted")
	}
}

// Recover starts a server from a base backup, to where its settings say that WAL is to be
// replayed, and returns when it takes changes.
func (c *Cluster) Recover(tb testing.TB) {
	tb.Helper()
	c.write(tb, "recovery.signal", "")
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	for told[bool](tb, c, "SELECT pg_is_in_recovery()") {
	}
}

// Archived has all WAL that there is archived, as archive_command says.
func (c *Cluster) Archived(tb testing.TB) {
	tb.Helper()
	last := told[string](tb, c, "SELECT pg_walfile_name(pg_switch_wal())")
	for !told[bool](tb, c, "SELECT coalesce(last_archived_wal, '') >= '"+last+"' FROM pg_stat_archiver") {
	}
}

// Folder makes a folder beside the server's files, for it to write to.
func (c *Cluster) Folder(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(c.folder, name)
	c.Run(tb, "mkdir "+path)
	return path
}

// Run runs a command of a shell as the server's user. PostgreSQL's programs are found, and
// find the server.
func (c *Cluster) Run(tb testing.TB, command string) {
	tb.Helper()
	cmd := c.command("/bin/sh", "-ec", command)
	cmd.Env = append(cmd.Env, "PATH="+c.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "PGHOST="+c.folder, "PGUSER="+Superuser)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// told is what a server says, to the superuser in the database postgres.
func told[T any](tb testing.TB, c *Cluster, question string) (answer T) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), c.URL("postgres", Superuser))
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(tb.Context())
	if err := conn.QueryRow(tb.Context(), question).Scan(&answer); err != nil {
		tb.Fatal(err)
	}
	return answer
}

// write writes a file among the server's.
func (c *Cluster) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(c.data(), name), []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}
