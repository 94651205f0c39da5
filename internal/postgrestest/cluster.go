package postgrestest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/quicktest"
)

// Superuser is who may do everything in a cluster.
const Superuser = "postgres"

// keeper starts the server, and ends it at once when a line comes or the pipe ends. Only the
// server holds the log, which ends with it.
// Without a line the test binary is gone, and nobody else removes the folder.
const keeper = `folder=$1; shift; "$@" </dev/null & child=$!; exec 2>/dev/null; read -r line; asked=$?
kill -QUIT $child; wait $child; [ $asked = 0 ] || rm -rf "$folder"`

// Cluster is one PostgreSQL server. Not for concurrent use, but for Open.
type Cluster struct {
	bin, folder string
	settings    []string
	as          *syscall.Credential
	made        atomic.Int64 // databases

	server *exec.Cmd
	stdin  io.WriteCloser
	log    *serverLog
}

// New starts a server for one test, with settings of postgresql.conf such as
// "fsync=on". The test is skipped or fails where PostgreSQL is not installed.
func New(tb testing.TB, settings ...string) *Cluster {
	tb.Helper()
	bin := need(tb)
	shared.mu.Lock()
	like := shared.cluster
	shared.mu.Unlock()
	c, err := create(bin, quicktest.Folder(disk), like, settings)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Remove)
	return c
}

// Start starts a server for a program that is no test, with settings as New takes
// them, on the disk of the temporary folder. The program ends it with Remove.
func Start(settings ...string) (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	return create(bin, disk, nil, settings)
}

// create makes the files of a cluster in a folder, with those of another if there is one,
// and starts it.
func create(bin, folder string, like *Cluster, settings []string) (c *Cluster, err error) {
	c = &Cluster{bin: bin, settings: settings}
	if c.as, err = owner(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Remove()
		}
	}()
	if err := c.makeFolder(folder); err != nil {
		return nil, err
	}
	if err := c.initialize(like); err != nil {
		return nil, err
	}
	return c, c.Start()
}

// makeFolder makes its folder in another one, for its user.
func (c *Cluster) makeFolder(in string) (err error) {
	if c.folder, err = os.MkdirTemp(in, "pg"); err != nil || c.as == nil {
		return err
	}
	return os.Chown(c.folder, int(c.as.Uid), int(c.as.Gid))
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// command is a program that runs as the server's user.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + c.folder, "TZ=UTC"}
	// An interrupt of the tests is for them to pass on.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as, Setpgid: true}
	return cmd
}

// Start starts the server, and returns when it answers. What a stop has left is
// recovered first.
func (c *Cluster) Start() error {
	args := []string{"-c", keeper, "keeper", c.folder, filepath.Join(c.bin, "postgres"), "-D", c.data(), "-k", c.folder}
	settings := append([]string{"listen_addresses=", "fsync=off", "max_connections=400", "shared_buffers=16MB", "log_min_messages=log"}, c.settings...)
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	c.server = c.command("/bin/sh", args...)
	var err error
	if c.stdin, err = c.server.StdinPipe(); err != nil {
		return err
	}
	out, err := c.server.StderrPipe()
	if err != nil {
		return err
	}
	if err := c.server.Start(); err != nil {
		return err
	}
	c.log = &serverLog{ready: make(chan struct{}), ended: make(chan struct{})}
	go c.log.read(out)
	select {
	case <-c.log.ready:
		return nil
	case <-c.log.ended:
		return fmt.Errorf("postgres did not start:\n%s", strings.Join(c.log.lines, "\n"))
	}
}

// Stop ends the server at once, as a crash would: transactions are cut off, and the
// next start recovers. Idempotent.
func (c *Cluster) Stop() {
	if c.server == nil {
		return
	}
	_, _ = c.stdin.Write([]byte("stop\n")) // a keeper that is gone has stopped it
	<-c.log.ended
	_ = c.server.Wait() // by a signal
	c.server = nil
}

// Remove stops the server and removes all it has. Idempotent.
func (c *Cluster) Remove() {
	c.Stop()
	_ = os.RemoveAll(c.folder)
}

// URL leads to a database as a user.
func (c *Cluster) URL(database, user string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database}
	u.RawQuery = url.Values{"host": {c.folder}}.Encode()
	return u.String()
}

// Socket is the path of the server's socket.
func (c *Cluster) Socket() string { return filepath.Join(c.folder, ".s.PGSQL.5432") }

// PID is the root of the tree of the server's processes, while it runs.
func (c *Cluster) PID() int { return c.server.Process.Pid }

// Exec runs a statement as the superuser, in the database postgres.
func (c *Cluster) Exec(tb testing.TB, sql string) {
	tb.Helper()
	if err := c.exec(context.Background(), sql); err != nil {
		tb.Fatal(err)
	}
}

func (c *Cluster) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres", Superuser))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// serverLog is what a server says, read until it ends.
type serverLog struct {
	ready, ended chan struct{}
	lines        []string // the last ones, for who waited for ended
}

func (l *serverLog) read(out io.Reader) {
	const most = 40
	defer close(l.ended)
	isReady := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if l.lines = append(l.lines, lines.Text()); len(l.lines) > most {
			l.lines = l.lines[1:]
		}
		if !isReady && strings.Contains(lines.Text(), "ready to accept") {
			isReady = true
			close(l.ready)
		}
	}
}

// Standby makes a stopped server a standby of nobody: from its next start on it
// answers, and does not let anybody write.
func (c *Cluster) Standby(tb testing.TB) {
	tb.Helper()
	c.write(tb, "standby.signal", "")
}
