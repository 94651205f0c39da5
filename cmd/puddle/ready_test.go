package main

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// While a server is being opened it answers that it is: to load balancers, and to
// commands on the same machine.
func TestStartingIsTold(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	s, err := newServer(c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	s.node.opening.replayed("default", 100_000, 250_000)
	said := func(path string) (int, string) {
		answer, err := http.Get("http://" + s.tcp.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	if status, _ := said("/healthz"); status != http.StatusOK {
		t.Errorf("alive: %d", status)
	}
	const progress = "starting: replaying default: 100000 of 250000 events"
	for _, path := range []string{"/readyz", "/api/catalog/v1/config"} {
		if status, text := said(path); status != http.StatusServiceUnavailable || !strings.Contains(text, progress) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	for _, run := range []struct {
		args string
		code int
		out  string
	}{
		{"status", codeWarnings, "warning: not ready: " + progress},
		{"status --nagios", int(pluginWarning), "WARNING - not ready: " + progress + " | waiting=0\n"},
		{"log", codeNoLook, ""},
	} {
		if code, out := ran(t, dir, run.args); code != run.code || !strings.Contains(out, run.out) {
			t.Errorf("%s: exit code %d, %s", run.args, code, out)
		}
	}
	if err := s.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, text := said("/readyz"); status != http.StatusOK {
		t.Errorf("ready: %d %s", status, text)
	}
	if code, out := ran(t, dir, "status --nagios"); code != 0 || !strings.HasPrefix(out, "OK - default at 1 | waiting=0 journal=") {
		t.Errorf("exit code %d, %s", code, out)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if code, out := ran(t, dir, "status --nagios"); code != int(pluginCritical) || out != "CRITICAL - no server runs\n" {
		t.Errorf("exit code %d, %s", code, out)
	}
}

// ran is the exit code of a command, and its report.
func ran(t *testing.T, dir, args string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	s := &session{stdout: &out, stderr: io.Discard, stop: t.Context(), force: t.Context()}
	code := run(append([]string{"-c", filepath.Join(dir, "puddle.yaml")}, strings.Fields(args)...), s)
	return code, out.String()
}

// A server is not ready while its pointer tables do not read.
func TestReadyLooksIntoTheTables(t *testing.T) {
	r := started(t, configured(t, t.TempDir(), ""))
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	if err := r.node.tables.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	if status := r.ready(); status != http.StatusServiceUnavailable {
		t.Errorf("with tables that do not read: %d", status)
	}
	r.stop()
	<-r.ended // what it says of the tables that are closed is not asked
}

// A writer that takes no changes is told: why, and that somebody must see to it.
func TestWriterStates(t *testing.T) {
	dir := t.TempDir()
	r := started(t, configured(t, dir, ""))
	for _, step := range []struct {
		state, reason string
		begin, end    func()
	}{
		{"no-room", "the disk is full: changes are refused until there is room", func() {
			spend(r.node.reserves[0], true)
		}, func() { spend(r.node.reserves[0], false) }},
		{"stopped", "read only until restart", func() { r.node.recorder.Close() }, func() {}},
	} {
		step.begin()
		if _, out := ran(t, dir, "status --nagios"); !strings.Contains(out, " default.purges-pending=0 default.purges-due=0") {
			t.Errorf("%s: no numbers of purges, which can be read: %s", step.state, out)
		}
		if status := r.ready(); status != http.StatusServiceUnavailable {
			t.Errorf("%s: /readyz is %d", step.state, status)
		}
		if code, out := ran(t, dir, "status --nagios"); code != int(pluginCritical) || !strings.HasPrefix(out, "CRITICAL - not ready: "+step.reason+": ") {
			t.Errorf("%s: exit code %d, %s", step.state, code, out)
		}
		if code, out := ran(t, dir, "status"); code != codeFindings || !strings.Contains(out, "writer: "+step.state) || !strings.Contains(out, "critical: not ready: "+step.reason) {
			t.Errorf("%s: exit code %d, %s", step.state, code, out)
		}
		step.end()
	}
	r.stopped()
}

// spend makes a reserve one of a disk that is full, or is no more.
func spend(r *reserve, spent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spent, r.free = spent, func() (int64, error) { return 7, nil }
}

// ready is the status of /readyz.
func (r *running) ready() int {
	r.t.Helper()
	answer, err := http.Get(r.url("/readyz"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
