package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
)

// running is a server as main drives it, in this process.
type running struct {
	*server
	t           *testing.T
	stop, force context.CancelFunc
	ended       chan error
}

// configured is a configuration over folders of the test.
func configured(t *testing.T, dir, more string) config.Config {
	t.Helper()
	file := filepath.Join(dir, "puddle.yaml")
	text := fmt.Sprintf("data-dir: %s/d\nwarehouses: {default: {location: %s/w}}\n%s", dir, dir, more)
	return loadConfig(t, file, text)
}

func started(t *testing.T, c config.Config) *running {
	t.Helper()
	return startedWith(t, c, zerolog.Nop())
}

func startedWith(t *testing.T, c config.Config, log zerolog.Logger) *running {
	t.Helper()
	s, err := startServer(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	stop, cancelStop := context.WithCancel(context.Background())
	force, cancelForce := context.WithCancel(context.Background())
	r, over := &running{s, t, cancelStop, cancelForce, make(chan error, 1)}, make(chan struct{})
	go func() {
		defer close(over)
		r.ended <- s.run(stop, force)
	}()
	t.Cleanup(func() {
		cancelStop()
		cancelForce()
		<-over // until then it writes where the test's folder is removed
	})
	return r
}

func (r *running) stopped() {
	r.t.Helper()
	r.stop()
	if err := <-r.ended; err != nil {
		r.t.Errorf("the server ended with %v", err)
	}
}

func (r *running) url(path string) string { return "http://" + r.tcp.Addr().String() + path }

// post sends a document and answers the status.
func (r *running) post(path, body string) int {
	r.t.Helper()
	answer, err := http.Post(r.url(path), "application/json", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// half begins a request whose body is being read, and answers its connection.
func (r *running) half() net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.tcp.Addr().String())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "POST /api/catalog/v1/namespaces HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 19\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		r.t.Fatalf("answer %q, %v", line, err)
	}
	return conn
}

// SIGTERM drains: a request under way is finished, also what it records.
func TestStopDrains(t *testing.T) {
	dir := t.TempDir()
	r := started(t, configured(t, dir, ""))
	conn := r.half()
	r.stop()
	fmt.Fprint(conn, `{"namespace":["a"]}`)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	if err := <-r.ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	again := started(t, configured(t, dir, ""))
	if status := again.post("/api/catalog/v1/namespaces", `{"namespace":["a"]}`); status != http.StatusConflict {
		t.Errorf("what was acknowledged is not there: status %d", status)
	}
	again.stopped()
}

// Nobody is answered without a token, not even OPTIONS *, which net/http would
// answer itself.
func TestOptionsNeedAToken(t *testing.T) {
	r := started(t, configured(t, t.TempDir(), "authn: {tokens: [{name: a, token: b}]}\n"))
	conn, err := net.Dial("tcp", r.tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("answer %+v, %v", answer, err)
	}
	r.stopped()
}

// A second signal, or the end of the grace, cuts requests off and still stops
// with order.
func TestStopCutsOff(t *testing.T) {
	for name, more := range map[string]string{"forced": "server: {shutdown-grace: 1000h}\n", "grace": "server: {shutdown-grace: 1ms}\n"} {
		t.Run(name, func(t *testing.T) {
			r := started(t, configured(t, t.TempDir(), more))
			r.half()
			r.stop()
			if name == "forced" {
				r.force()
			}
			if err := <-r.ended; err != nil {
				t.Errorf("the server ended with %v", err)
			}
		})
	}
}

// Where the data folder's path is too long for a socket it is elsewhere, and the
// lock file says where; it is gone afterwards.
func TestSocketOfALongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := configured(t, dir, "")
	r := started(t, c)
	by, err := readHolder(c.DataDir)
	if err != nil || by.pid != os.Getpid() || by.socket == "" || strings.HasPrefix(by.socket, dir) || by.address != r.tcp.Addr().String() {
		t.Errorf("holder %+v, %v", by, err)
	}
	info, err := os.Stat(by.socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket %v, %v", info, err)
	}
	_, err = acquire(c.DataDir)
	var busy *held
	if !errors.As(err, &busy) {
		t.Fatalf("error is %v", err)
	}
	asked, err := dial(busy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := asked.get(t.Context(), "/warehouses", nil); err != nil {
		t.Error(err)
	}
	r.stopped()
	if _, err := os.Stat(filepath.Dir(by.socket)); !os.IsNotExist(err) {
		t.Errorf("the socket's folder is still there: %v", err)
	}
	if by, err = readHolder(c.DataDir); err != nil || by != (holder{}) {
		t.Errorf("holder afterwards %+v, %v", by, err)
	}
}

// Requests over the socket are caused by the user at its other end.
func TestSocketNamesItsUser(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "authn: {tokens: [{name: a, token: b}]}\n")
	r := started(t, c)
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", r.socket.path)
	}}}
	answer, err := client.Post("http://puddle/api/catalog/v1/namespaces", "application/json", strings.NewReader(`{"namespace":["a"]}`))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	client.CloseIdleConnections()
	if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["b"]}`); status != http.StatusUnauthorized {
		t.Errorf("without a token: status %d", status)
	}
	r.stopped()
	out := report(t, filepath.Join(dir, "puddle.yaml"), codeDone, "log", "--json", "--actor", "cli:"+userName(os.Getuid()))
	if !strings.Contains(out, `"origin": "cli"`) || !strings.Contains(out, "namespace-created") {
		t.Errorf("log: %s", out)
	}
}

// report runs a command and answers its report.
func report(t *testing.T, file string, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	s := &session{stdout: &stdout, stderr: &stderr, stop: t.Context(), force: t.Context()}
	if got := run(append([]string{"-c", file}, args...), s); got != want {
		t.Errorf("%s: exit code %d, want %d: %s", strings.Join(args, " "), got, want, stderr.String())
	}
	return stdout.String()
}

// Following shows what happens, in order and once, until it is stopped.
func TestLogFollows(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	r := started(t, c)
	r.post("/api/catalog/v1/namespaces", `{"namespace":["before"]}`)
	ctx, stop := context.WithCancel(t.Context())
	lines, out := io.Pipe()
	s := &session{stdout: out, stderr: io.Discard, stop: ctx, file: filepath.Join(dir, "puddle.yaml")}
	asked, err := s.connect(c, reporting)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- logCmd{Warehouse: "default", Limit: 1, JSON: true}.follow(s, asked, time.Millisecond) }()
	in := bufio.NewScanner(lines)
	for i := range 4 {
		if !in.Scan() || !strings.Contains(in.Text(), fmt.Sprintf(`"seq":%d,`, i+2)) {
			t.Fatalf("line %d is %q, %v", i, in.Text(), in.Err())
		}
		r.post("/api/catalog/v1/namespaces", fmt.Sprintf(`{"namespace":["after%d"]}`, i))
	}
	stop()
	go io.Copy(io.Discard, lines)
	if err := <-ended; err != nil {
		t.Errorf("following ended with %v", err)
	}
	asked.close()
	r.stopped()
}

// A journal whose bytes are not what was written is not served from, and is left
// as it is.
func TestDamagedJournalIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	r := started(t, c)
	r.post("/api/catalog/v1/namespaces", `{"namespace":["treasure"]}`)
	r.stopped()
	data, err := os.ReadFile(c.Journal.Path)
	if err != nil {
		t.Fatal(err)
	}
	edited := bytes.ReplaceAll(data, []byte("treasure"), []byte("trinkets"))
	if bytes.Equal(data, edited) {
		t.Fatal("the journal does not hold the name in plain")
	}
	if err := os.WriteFile(c.Journal.Path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = startServer(t.Context(), c, zerolog.Nop())
	if exitCode(err) != codeRefused || !strings.Contains(err.Error(), "see: puddle recover") {
		t.Errorf("error is %v", err)
	}
	after, err := os.ReadFile(c.Journal.Path)
	if err != nil || !bytes.Contains(after, []byte("trinkets")) {
		t.Errorf("the journal was changed, or %v", err)
	}
}

// Pointer tables of another schema, or damaged where only reading finds it, are
// put aside and made anew.
func TestUnusableTablesAreMadeAnew(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"schema": func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			_, err = db.Exec("PRAGMA user_version = 99")
			return errors.Join(err, db.Close())
		},
		"schema 1": func(path string) error { return replaced(path, "testdata/tables-1.sql") },
		"schema 3": func(path string) error { return replaced(path, "testdata/tables-3.sql") },
		"pages": func(path string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i := 4096; i < len(data); i++ {
				data[i] = 0xA5
			}
			return os.WriteFile(path, data, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := configured(t, dir, "")
			r := started(t, c)
			r.post("/api/catalog/v1/namespaces", `{"namespace":["a"]}`)
			r.stopped()
			if err := spoil(c.Metastore.SQLitePath); err != nil {
				t.Fatal(err)
			}
			r = started(t, c)
			if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["a"]}`); status != http.StatusConflict {
				t.Errorf("status %d", status)
			}
			r.stopped()
			if aside, _ := filepath.Glob(c.Metastore.SQLitePath + ".broken-*"); len(aside) == 0 {
				t.Error("nothing was put aside")
			}
		})
	}
}

// replaced makes the file anew from a script.
func replaced(path, from string) error {
	script, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(string(script))
	return errors.Join(err, db.Close())
}

// A database of another program is not set aside: it is not puddle's.
func TestForeignTablesAreRefused(t *testing.T) {
	c := configured(t, t.TempDir(), "")
	started(t, c).stopped()
	if err := os.Remove(c.Metastore.SQLitePath); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", c.Metastore.SQLitePath)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE mail (subject)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = startServer(t.Context(), c, zerolog.Nop())
	var refused *failure
	if !errors.As(err, &refused) || refused.code != codeRefused {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(c.Metastore.SQLitePath); err != nil {
		t.Error(err)
	}
}
