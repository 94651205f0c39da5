package s3test

import (
	"context"
	"os"
	"sync"
	"testing"
)

// shared is the server process of the test binary. Its keeper ends it also where no TestMain
// calls Main.
var shared struct {
	mu      sync.Mutex
	process *Process
	err     error
}

// Main runs the tests of a package, stops the server process that they shared, and answers
// the exit code: TestMain hands it to os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	StopVersity()
	return code
}

// StopVersity stops the server process that tests shared, for a TestMain that calls not
// only Main. Idempotent.
func StopVersity() {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.process != nil {
		shared.process.Stop()
		shared.process = nil
	}
}

// Versity is the server process that the tests of the package share, where each makes its
// own buckets: nobody stops it. The test is skipped where it is not installed, and fails
// there under PUDDLE_TEST_REQUIRE=all.
func Versity(tb testing.TB) *Process {
	tb.Helper()
	needVersity(tb)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.process == nil && shared.err == nil {
		shared.process, shared.err = StartProcess(context.Background())
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.process
}

// VersityWithVersions is a server process of the test alone, whose buckets can keep versions
// and lock them. The test is skipped as with Versity.
func VersityWithVersions(t testing.TB) *Process {
	t.Helper()
	needVersity(t)
	p, err := StartProcess(t.Context(), "--versioning-dir", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func needVersity(tb testing.TB) {
	tb.Helper()
	err := VersityInstalled()
	switch {
	case err == nil:
	case os.Getenv("PUDDLE_TEST_REQUIRE") == "all":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
}
