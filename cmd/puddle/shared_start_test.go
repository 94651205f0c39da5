package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
)

// Whatever commit of a start is cut off, before the database has it or after: the server
// starts, with one birth and with whole tables.
func TestCommitsOfAStartAreLost(t *testing.T) {
	commits := startWithout(t, 0, postgrestest.Pass)
	if commits == 0 {
		t.Fatal("a start commits nothing")
	}
	for _, fault := range []postgrestest.Fault{postgrestest.DropBefore, postgrestest.DropAfter} {
		for at := int32(1); at <= commits; at++ {
			t.Run(fmt.Sprint(fault, " at ", at), func(t *testing.T) {
				t.Parallel()
				if startWithout(t, at, fault) < at {
					t.Error("it was not dropped")
				}
			})
		}
	}
}

// startWithout starts and stops a server on a new database, of whose commits one meets a
// fault, and tells how many there were until it had started.
func startWithout(t *testing.T, at int32, fault postgrestest.Fault) int32 {
	t.Helper()
	direct := postgrestest.Open(t)
	p, err := postgrestest.Shared(t).Through()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	url, err := p.URL(direct)
	if err != nil {
		t.Fatal(err)
	}
	var commits atomic.Int32
	p.OnCommit(func() postgrestest.Fault {
		if commits.Add(1) == at {
			return fault
		}
		return postgrestest.Pass
	})
	s, err := startServer(t.Context(), replica(t, t.TempDir(), url, 1, ""), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	p.OnCommit(nil)
	r := &running{server: s, t: t}
	r.make("", `{"namespace":["a"]}`)
	if ids, err := r.node.journal.Warehouses(t.Context()); err != nil || len(ids) != 1 {
		t.Errorf("warehouses are %v, %v", ids, err)
	}
	if status := r.ready(); status != http.StatusOK {
		t.Errorf("ready is %d", status)
	}
	if err := r.close(); err != nil {
		t.Error(err)
	}
	return commits.Load()
}
