package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"puddle/internal/s3test"
)

// lake is a warehouse in a bucket, and a network to it on which requests fail as the test
// says.
type lake struct {
	*testing.T
	dir      string // with the data folder and the configuration
	endpoint string // of the network
	bucket   string

	mu   sync.Mutex
	hook s3test.Hook // guarded by mu
}

// newLake is one in a bucket of an object store that is there.
func newLake(t *testing.T, store *s3test.Server, bucket, more string) *lake {
	t.Helper()
	l := &lake{T: t, dir: t.TempDir(), bucket: bucket}
	_, l.endpoint = s3test.Faulty(t, store.Endpoint, l.fault)
	l.configure(store.SecretAccessKey, more)
	return l
}

// configure writes the configuration, for an owner with a secret.
func (l *lake) configure(secret, more string) {
	l.Helper()
	text := fmt.Sprintf(`server: {addr: "127.0.0.1:0"}
data-dir: %s
warehouses:
  default:
    location: s3://%s/wh
    s3: {region: %s, endpoint: %q, path-style-access: true, access-key-id: puddle, secret-access-key: %q}
    purge: {grace: 0s}
%s`, l.data(), l.bucket, s3test.Region, l.endpoint, secret, more)
	if err := os.WriteFile(l.config(), []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
}

func (l *lake) config() string { return filepath.Join(l.dir, "puddle.yaml") }
func (l *lake) data() string   { return filepath.Join(l.dir, "d") }

// fault is what becomes of a request.
func (l *lake) fault(r *http.Request) s3test.Fault {
	l.mu.Lock()
	hook := l.hook
	l.mu.Unlock()
	if hook == nil {
		return s3test.None
	}
	return hook(r)
}

// weather has requests fail from now on; nil: none does.
func (l *lake) weather(hook s3test.Hook) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hook = hook
}

// puddle runs the program, and tells what it printed.
func (l *lake) puddle(want int, args ...string) string {
	l.Helper()
	got, said := l.run(args...)
	if got != want {
		l.Fatalf("puddle %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, want, said)
	}
	return said
}

// run is puddle with any exit code.
func (l *lake) run(args ...string) (code int, said string) {
	l.Helper()
	cmd := l.command(args...)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		l.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (l *lake) command(args ...string) *exec.Cmd {
	l.Helper()
	path, err := exec.LookPath("puddle") // as testscript.Main has put it there
	if err != nil {
		l.Fatal(err)
	}
	return exec.CommandContext(l.Context(), path, append([]string{"-c", l.config()}, args...)...)
}

// remote is a server in a process of its own.
type remote struct {
	*lake
	cmd  *exec.Cmd
	addr string
	read chan error // its log, to the end
}

// serve starts one, and waits until it listens.
func (l *lake) serve() *remote {
	l.Helper()
	s := &remote{lake: l, cmd: l.command("serve"), read: make(chan error, 1)}
	log, err := s.cmd.StderrPipe()
	if err != nil {
		l.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		l.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	var said bytes.Buffer
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			s.addr = found[1] + found[2]
			go func() {
				_, err := io.Copy(io.Discard, log)
				s.read <- err
			}()
			return s
		}
	}
	l.Fatalf("puddle does not serve: %v\n%s", s.cmd.Wait(), said.String())
	return nil
}

// kill ends it at once.
func (s *remote) kill() {
	s.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	<-s.read
	_ = s.cmd.Wait() // it was killed
}

// stop ends it when all is written behind the journal.
func (s *remote) stop() {
	s.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.Fatal(err)
	}
	if err := errors.Join(<-s.read, s.cmd.Wait()); err != nil {
		s.Fatal(err)
	}
}

// answer is what a request was told; status 0: nothing.
type answer struct {
	status int
	body   []byte
}

func (s *remote) ask(method, path, body string) answer {
	request, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.addr+"/api/catalog/v1/"+path, strings.NewReader(body))
	if err != nil {
		return answer{}
	}
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}
	}
	return answer{got.StatusCode, text}
}

// tableAnswer is what a load or a commit says of a table.
type tableAnswer struct {
	Pointer  string `json:"metadata-location"`
	Metadata struct {
		UUID       string            `json:"table-uuid"`
		Properties map[string]string `json:"properties"`
	} `json:"metadata"`
}

func (a answer) table(t *testing.T) (told tableAnswer) {
	t.Helper()
	if err := json.Unmarshal(a.body, &told); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return told
}
