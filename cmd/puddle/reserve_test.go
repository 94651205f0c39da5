package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"puddle/rest"
)

// The reserve is given back once, when a disk is full, and changes are taken again
// when it could be made anew with as much room beside it.
func TestReserve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db.reserve")
	free := int64(2 * reserveBytes)
	r := &reserve{path: path, log: zerolog.Nop(), spent: true, free: func() (int64, error) { return free, nil }}
	all := reserves{r}
	size := func(want int64) {
		t.Helper()
		if info, err := os.Stat(path); err != nil || info.Size() != want {
			t.Errorf("the reserve is %v, %v; want %d bytes", info, err, want)
		}
	}
	if err := all.admit(); err != nil {
		t.Fatal(err)
	}
	size(reserveBytes)
	all.spend(nil)
	all.spend(errors.New("not of a disk"))
	size(reserveBytes)
	for _, c := range []struct {
		reason error
		free   int64
	}{{syscall.ENOSPC, 2*reserveBytes - 1}, {syscall.EDQUOT, 2*reserveBytes - 1}, {errors.New("input/output error"), tightBytes - 1}} {
		free = c.free
		if !all.spend(fmt.Errorf("append: %w", c.reason)) || all.spend(syscall.ENOSPC) {
			t.Error("the reserve is not spent once")
		}
		size(0)
		if err := all.admit(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("without room: %v", err)
		}
		size(0)
		free = 2 * reserveBytes
		if err := all.admit(); err != nil {
			t.Errorf("with room: %v", err)
		}
		size(reserveBytes)
	}
}

// That there is room is told after it was missing, and not of the first reserve of a
// data folder.
func TestFirstReserveIsNotTold(t *testing.T) {
	for _, free := range []int64{2 * reserveBytes, 0} {
		var log bytes.Buffer
		n := &node{log: zerolog.New(&log)}
		r := n.findReserve(filepath.Join(t.TempDir(), "journal.db"))
		r.free = func() (int64, error) { return free, nil }
		if err := r.admit(); (err == nil) != (free > 0) || log.Len() > 0 {
			t.Errorf("%d bytes free at first: %v, logged %q", free, err, log.String())
		}
		r.spend(syscall.ENOSPC)
		log.Reset()
		free = 2 * reserveBytes
		if err := r.admit(); err != nil || !strings.Contains(log.String(), "there is room") {
			t.Errorf("with room again: %v, logged %q", err, log.String())
		}
	}
}

// That a disk is full is an error in the log once, however many changes are refused
// for it.
func TestCase156_FullDiskIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	r := startedWith(t, configured(t, t.TempDir(), ""), zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.DebugLevel))
	full := r.node.reserves[0]
	full.mu.Lock()
	full.free = func() (int64, error) { return 0, nil }
	full.mu.Unlock()
	full.spend(syscall.ENOSPC)
	for range 3 {
		if _, status := r.makeNamespaces("n", 1); status != http.StatusInsufficientStorage {
			t.Errorf("a change is answered with %d", status)
		}
	}
	r.stopped()
	count := func(words ...string) (n int) {
		for line := range strings.Lines(log.String()) {
			if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
				n++
			}
		}
		return n
	}
	if n := count(`"level":"error"`); n != 1 || count("the disk is full: the reserve is given back") != 1 {
		t.Errorf("%d errors are logged:\n%s", n, log.String())
	}
	if n := count(`"level":"warn"`, `"message":"request"`, `"status":507`); n != 3 {
		t.Errorf("%d refused requests are logged:\n%s", n, log.String())
	}
	if n := count(`"level":"debug"`, `"message":"recording"`); n != 3 {
		t.Errorf("%d refused groups are logged:\n%s", n, log.String())
	}
}

// Each disk is told of when it becomes nearly full, and when it is no more.
func TestAlarm(t *testing.T) {
	var log bytes.Buffer
	n := &node{log: zerolog.New(&log)}
	low := map[string]bool{}
	for _, c := range []struct {
		free int64
		err  error
		want string
	}{
		{10, nil, ""}, {9, nil, "nearly full"}, {8, nil, ""}, {0, errors.New("gone"), ""}, {10, nil, "room again"}, {1, nil, "nearly full"},
	} {
		log.Reset()
		n.alarm(low, []rest.DiskRoom{{Name: "data-dir", Free: c.free, Least: 10, Err: c.err}, {Name: "journal", Free: 10, Least: 10}})
		if got := log.String(); c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, `"journal"`) {
			t.Errorf("%d bytes free, %v: logged %q, want %q", c.free, c.err, got, c.want)
		}
	}
}

// A disk says what is free, and what should be: 5 %, or 1 GiB where that is less.
func TestDiskRoom(t *testing.T) {
	r := disk{"data-dir", t.TempDir()}.room()
	if r.Err != nil || r.Name != "data-dir" || r.Free <= 0 || r.Least <= 0 || r.Least > leastBytes {
		t.Errorf("got %+v", r)
	}
	if r := (disk{"data-dir", filepath.Join(t.TempDir(), "none")}).room(); r.Err == nil {
		t.Errorf("of no folder: %+v", r)
	}
}
