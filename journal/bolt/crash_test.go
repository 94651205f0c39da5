package bolt_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"puddle/journal/journaltest"
)

// crashFile tells a process of the test binary that it is the one to be killed,
// and where its journal is.
const crashFile = "PUDDLE_TEST_CRASH_FILE"

// crashEvents is more than a process appends before it is killed.
const crashEvents = 2_000

// appendForEver goes on with the history of the lake, in groups of growing and
// shrinking size, and says each seq that was acknowledged.
func appendForEver(t *testing.T, path string) {
	j := open(t, path)
	entries := history(t, lake, crashEvents)
	done := 0
	if head, err := j.Warehouse(lake).Head(t.Context()); err == nil {
		done = int(head.Seq)
	}
	for n := 1; ; n = n%7 + 1 {
		if err := j.Append(t.Context(), entries[done:done+n]...); err != nil {
			t.Fatal(err)
		}
		done += n
		fmt.Println(done)
	}
}

// TestKilled kills a process that appends, again and again. After each time all
// that was acknowledged is there, and the chain is whole.
func TestKilled(t *testing.T) {
	if path := os.Getenv(crashFile); path != "" {
		appendForEver(t, path)
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := history(t, lake, crashEvents)
	for round := range 20 {
		acknowledged := appendUntilKilled(t, path, round%9)
		j := open(t, path)
		events := journaltest.Events(t, j.Warehouse(lake), 0)
		if len(events) < acknowledged {
			t.Fatalf("round %d: %d events are there, %d were acknowledged", round, len(events), acknowledged)
		}
		for i, e := range events {
			if e.Position != entries[i].Event.Position {
				t.Fatalf("round %d: event %s, want %s", round, e.Position, entries[i].Event.Position)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// appendUntilKilled lets a process append, kills it after some acknowledgements
// (none: perhaps before its file is there), and answers the last one.
func appendUntilKilled(t *testing.T, path string, after int) (acknowledged int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), crashFile+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range after {
		if !lines.Scan() {
			t.Fatalf("the process ended: %v, having said %q", cmd.Wait(), lines.Text())
		}
		if acknowledged, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it said before it was killed
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			acknowledged = n
		}
	}
	_ = cmd.Wait()
	return acknowledged
}
