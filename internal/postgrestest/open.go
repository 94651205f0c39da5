package postgrestest

import (
	"net/url"
	"sync"
	"testing"

	"puddle/internal/quicktest"
)

// shared is the server of the test binary.
var shared struct {
	mu       sync.Mutex
	inMain   bool
	settings []string
	cluster  *Cluster
	err      error
}

// Main runs the tests of a package, stops the server that they shared, and answers
// the exit code: TestMain hands it to os.Exit. The settings are that server's, as New
// takes them. Where not everything is required the tests are quick (internal/quicktest).
func Main(m *testing.M, settings ...string) int {
	shared.mu.Lock()
	shared.inMain, shared.settings = true, settings
	shared.mu.Unlock()
	code := quicktest.Tests(m).Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster != nil {
		shared.cluster.Remove()
	}
	return code
}

// Open gives the superuser's URL of an empty database for one test, in the server
// that the tests of the package share. It goes with the test, whoever still uses it. Safe
// for concurrent use.
func Open(tb testing.TB) string {
	tb.Helper()
	c := Shared(tb)
	source := c.Open(tb)
	tb.Cleanup(func() {
		u, err := url.Parse(source)
		if err != nil {
			tb.Fatal(err)
		}
		c.Exec(tb, drop(u.Path[1:]))
	})
	return source
}

// Shared is the server that the tests of the package share: nobody stops it.
func Shared(tb testing.TB) *Cluster {
	tb.Helper()
	bin := need(tb)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.inMain {
		tb.Fatal("TestMain of this package does not call postgrestest.Main")
	}
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = create(bin, quicktest.Folder(disk), nil, shared.settings)
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.cluster
}
