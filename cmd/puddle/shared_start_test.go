package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/postgrestest"
)

// Whatever commit of a start is cut off, before the database has it or after: the server
// starts, with one birth and with whole tables.
func TestCommitsOfAStartAreLost(t *testing.T) {
	cluster, dir := postgrestest.Shared(t), t.TempDir()
	for _, fault := range []postgrestest.Fault{postgrestest.DropBefore, postgrestest.DropAfter} {
		for at := int32(1); ; at++ {
			direct := postgrestest.Open(t)
			p, err := cluster.Through()
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
			s, err := startServer(t.Context(), replica(t, filepath.Join(dir, fmt.Sprint(fault, at)), url, 1, ""), zerolog.Nop())
			if err != nil {
				t.Fatalf("commit %d is dropped (%d): %v", at, fault, err)
			}
			p.OnCommit(nil)
			lost := commits.Load() >= at
			r := &running{server: s, t: t}
			r.make("", `{"namespace":["a"]}`)
			if ids, err := r.node.journal.Warehouses(t.Context()); err != nil || len(ids) != 1 {
				t.Errorf("commit %d is dropped (%d): warehouses are %v, %v", at, fault, ids, err)
			}
			if status := r.ready(); status != http.StatusOK {
				t.Errorf("commit %d is dropped (%d): ready is %d", at, fault, status)
			}
			if err := r.close(); err != nil {
				t.Error(err)
			}
			if !lost {
				break
			}
		}
	}
}
