package s3test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// versityHow is how to get the program.
const versityHow = "needs versitygw (go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)"

// VersityInstalled tells why no server process can be started here; nil: one can.
func VersityInstalled() error {
	_, err := versityProgram()
	return err
}

func versityProgram() (string, error) {
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path, nil
	}
	folders := []string{os.Getenv("GOBIN")}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, "go", "bin"))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, "versitygw")
		if found, err := os.Stat(path); err == nil && !found.IsDir() && folder != "" {
			return path, nil
		}
	}
	return "", errors.New(versityHow)
}

// Process is an object store of its own process: versitygw on a folder, which verifies
// signatures and checksums, and keeps objects as files, so that no folder is also an
// object. Safe for concurrent use, but for Stop.
type Process struct {
	Endpoint                     string
	AccessKeyID, SecretAccessKey string

	folder string
	server *exec.Cmd
	stdin  io.WriteCloser
	made   atomic.Int64 // buckets
}

// processKeeper starts the server, and ends it when a line comes or the pipe ends. Without
// a line the process that started it is gone, and nobody else removes the folder.
const processKeeper = `folder=$1; shift; "$@" </dev/null & child=$!; read -r line; asked=$?
kill -KILL $child; wait $child; [ $asked = 0 ] || rm -rf "$folder"`

// StartProcess starts a server for a program that is no test, or one with flags of its own
// for how it keeps objects. Who starts it ends it with Stop.
func StartProcess(ctx context.Context, flags ...string) (*Process, error) {
	program, err := versityProgram()
	if err != nil {
		return nil, err
	}
	p := &Process{AccessKeyID: "puddle", SecretAccessKey: "a secret of puddle's"}
	if p.folder, err = os.MkdirTemp("", "versitygw"); err != nil {
		return nil, err
	}
	if err := p.start(ctx, program, flags); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Process) start(ctx context.Context, program string, flags []string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	p.Endpoint = "http://" + address
	lake := filepath.Join(p.folder, "lake")
	if err := os.Mkdir(lake, 0o700); err != nil {
		return err
	}
	arguments := []string{"-c", processKeeper, "keeper", p.folder, program, "--quiet", "--port", address, "--region", Region, "posix"}
	p.server = exec.Command("/bin/sh", append(append(arguments, flags...), lake)...)
	p.server.Dir = p.folder
	p.server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+p.AccessKeyID, "ROOT_SECRET_KEY="+p.SecretAccessKey)
	p.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the tests is for them to pass on
	log := &tail{}
	p.server.Stdout, p.server.Stderr = log, log
	if p.stdin, err = p.server.StdinPipe(); err != nil {
		return err
	}
	if err := p.server.Start(); err != nil {
		return err
	}
	if err := answers(ctx, p.Endpoint); err != nil {
		return fmt.Errorf("versitygw does not answer: %w\n%s", err, log)
	}
	return nil
}

// freePort is one that nobody listens on. It is below those that systems give to whoever
// asks for any, so that nobody is given it meanwhile.
func freePort() (int, error) {
	const first, ports, tries = 20000, 12000, 20
	var failed error
	for range tries {
		port := first + rand.IntN(ports)
		listening, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, listening.Close()
		}
		failed = err
	}
	return 0, failed
}

// answers waits until a server speaks, whatever it says.
func answers(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		ask, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
		if err != nil {
			return err
		}
		reply, err := http.DefaultClient.Do(ask)
		if err == nil {
			return reply.Body.Close()
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return err
		}
	}
}

// MakeBucket makes a new bucket and tells its name.
func (p *Process) MakeBucket() (string, error) {
	name := fmt.Sprintf("bucket-%d", p.made.Add(1))
	return name, os.Mkdir(filepath.Join(p.folder, "lake", name), 0o700)
}

// Bucket makes a new bucket and tells its name.
func (p *Process) Bucket(t testing.TB) string {
	t.Helper()
	name, err := p.MakeBucket()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Stop ends the server at once and removes all it has. Idempotent.
func (p *Process) Stop() {
	if p.stdin != nil {
		_, _ = p.stdin.Write([]byte("stop\n")) // a keeper that is gone has stopped it
		_ = p.server.Wait()                    // by a signal
		p.stdin = nil
	}
	_ = os.RemoveAll(p.folder)
}

// tail is the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text string // guarded by mu
}

const tailBytes = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(p)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines strings.Builder
	for scanner := bufio.NewScanner(strings.NewReader(t.text)); scanner.Scan(); {
		lines.WriteString("  " + scanner.Text() + "\n")
	}
	return lines.String()
}
