package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"puddle/internal/postgrestest"
)

func TestMain(m *testing.M) {
	if os.Getenv(startDir) != "" { // a start that ends by a kill, which leaves what scripts need
		os.Exit(m.Run())
	}
	testscript.Main(tests{m}, map[string]func(){"puddle": main})
}

// tests share a PostgreSQL server that keeps what it acknowledges.
type tests struct{ *testing.M }

func (t tests) Run() int { return postgrestest.Main(t.M, "fsync=on") }

// The scripts run the program as its users do. Beside testscript's own commands
// they have:
//
//	code N ARG…                  puddle ARG… ends with the exit code N
//	serve ARG…                   starts puddle ARG… and waits until it listens, at $ADDR
//	quit [KILL]                  ends it, and with TERM sees that its exit code is 0
//	http STATUS METHOD PATH [BODY]  asks it, with $TOKEN if set; the body, or @FILE; stdout is the answer
//	sqlite-backup DB COPY        is SQLite's online backup
//	damage FILE OLD NEW          writes NEW over every OLD, which is as long
//	postgres                     makes an empty database, at $PUDDLE_PG_URL; PostgreSQL's programs are found, and find its server
func TestScripts(t *testing.T) {
	p := scripting(t, map[string]bool{"s3": false})
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// scripting is what scripts have, beside some conditions.
func scripting(t *testing.T, conditions map[string]bool) testscript.Params {
	return testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Values[serverKey{}] = &background{}
			env.Setenv("TOKEN", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "serve": serve, "quit": quit, "http": ask, "sqlite-backup": sqliteBackup, "damage": damage,
			"postgres": func(ts *testscript.TestScript, _ bool, _ []string) { makeDatabase(ts, postgrestest.Shared(t), t) },
		},
		Condition: func(name string) (bool, error) {
			if is, known := conditions[name]; known {
				return is, nil
			}
			return condition(name)
		},
	}
}

// condition knows [required]: nothing may be skipped, and [postgres]: it is installed. Beside
// them there is [s3]: warehouses are in a bucket.
func condition(name string) (bool, error) {
	switch name {
	case "required":
		return os.Getenv("PUDDLE_TEST_REQUIRE") == "all", nil
	case "postgres":
		return postgrestest.Installed() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// makeDatabase makes one in a server. Its URL is exported to puddle.
func makeDatabase(ts *testscript.TestScript, server *postgrestest.Cluster, t *testing.T) {
	ts.Setenv("PUDDLE_PG_URL", server.Open(t))
	ts.Setenv("PGHOST", filepath.Dir(server.Socket()))
	ts.Setenv("PGUSER", postgrestest.Superuser)
	ts.Setenv("PATH", server.Programs()+string(os.PathListSeparator)+ts.Getenv("PATH"))
	ts.Setenv("EXPORT", ts.Getenv("EXPORT")+" PUDDLE_PG_URL")
}

type serverKey struct{}

// background is the server that a script runs.
type background struct {
	process *exec.Cmd
	ended   chan error // once its stderr has been read
	log     strings.Builder
}

func program(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath("puddle") // as testscript.Main has put it there
	ts.Check(err)
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "WORK="+ts.Getenv("WORK"))
	for _, name := range strings.Fields(ts.Getenv("EXPORT")) {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := program(ts, args[1:])
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		ts.Fatalf("puddle: %v", err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("puddle %s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

var listening = regexp.MustCompile(`listening.*address[^0-9[]*([^ ",]+)|address[^0-9[]*([^ ",]+).*listening`)

func serve(ts *testscript.TestScript, _ bool, args []string) {
	server := ts.Value(serverKey{}).(*background)
	server.process, server.ended = program(ts, args), make(chan error, 1)
	stderr, err := server.process.StderrPipe()
	ts.Check(err)
	ts.Check(server.process.Start())
	ts.Defer(func() { server.process.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		server.log.WriteString(lines.Text() + "\n")
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			ts.Setenv("ADDR", found[1]+found[2])
			go server.drain(stderr)
			return
		}
	}
	ts.Fatalf("puddle %s does not listen: %v\n%s", strings.Join(args, " "), server.process.Wait(), server.log.String())
}

// drain reads the log to its end, as Wait wants it, and reports how it ended.
func (b *background) drain(stderr io.Reader) {
	_, err := io.Copy(io.Discard, stderr)
	b.ended <- errors.Join(err, b.process.Wait())
}

func quit(ts *testscript.TestScript, _ bool, args []string) {
	server := ts.Value(serverKey{}).(*background)
	signal := syscall.SIGTERM
	if len(args) > 0 && args[0] == "KILL" {
		signal = syscall.SIGKILL
	}
	ts.Check(server.process.Process.Signal(signal))
	if err := <-server.ended; err != nil && signal == syscall.SIGTERM {
		ts.Fatalf("the server ended with %v", err)
	}
}

func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if len(args[1]) != len(args[2]) || !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s cannot be damaged so", args[0])
	}
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(data, []byte(args[1]), []byte(args[2])), 0o600))
}

func ask(ts *testscript.TestScript, _ bool, args []string) {
	var body io.Reader
	if len(args) > 3 {
		body = strings.NewReader(args[3])
		if file, ok := strings.CutPrefix(args[3], "@"); ok {
			body = strings.NewReader(ts.ReadFile(file))
		}
	}
	request, err := http.NewRequest(args[1], "http://"+ts.Getenv("ADDR")+args[2], body)
	ts.Check(err)
	if token := ts.Getenv("TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer answer.Body.Close()
	_, err = io.Copy(ts.Stdout(), answer.Body)
	ts.Check(err)
	if got := strconv.Itoa(answer.StatusCode); got != args[0] {
		ts.Fatalf("%s %s: status %s, want %s", args[1], args[2], got, args[0])
	}
}
