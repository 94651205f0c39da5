//go:build linux

package recorder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// spoil makes the descriptors that this process has of a file those of another.
func spoil(path, other string, flag int) error {
	to, err := os.OpenFile(other, flag, 0)
	if err != nil {
		return err
	}
	defer to.Close()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return err
	}
	spoilt := false
	for _, link := range links {
		var fd int
		if at, err := os.Readlink(link); err != nil || at != path {
			continue
		}
		if _, err := fmt.Sscan(filepath.Base(link), &fd); err != nil {
			return err
		}
		if fd == int(to.Fd()) {
			continue
		}
		if err := syscall.Dup3(int(to.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			return err
		}
		spoilt = true
	}
	if !spoilt {
		return fmt.Errorf("%s is not open", path)
	}
	return nil
}

// Clients work, and the journal's file takes no bytes, or no syncs, every third
// time. Each of these outcomes is found out: nothing is unknown, nobody stops, and
// the laws hold without a restart.
func TestCase156_RecordingGoesOn(t *testing.T) {
	for name, fail := range map[string]func(path string) error{
		"writes": func(path string) error { return spoil(path, path, os.O_RDONLY) },
		"syncs":  func(path string) error { return spoil(path, os.DevNull, os.O_RDWR) },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 4 {
				p := pair{"journal.db", "puddle.db"}.in(t.TempDir())
				checkGoingOn(t, p, func() error { return fail(p.journal) }, recordertest.Plans().Example(seed))
			}
		})
	}
}

func checkGoingOn(tb rapid.TB, p pair, fail func() error, plans [][]recordertest.Action) {
	tb.Helper()
	j, store := p.open(tb)
	var writes, failed atomic.Int64
	s := newStageOver(tb, j, store, func(step string, done bool) error {
		if done || step != "append" && step != "remember" || writes.Add(1)%3 != 1 {
			return nil
		}
		failed.Add(1)
		if err := fail(); err != nil {
			tb.Errorf("the fault was not made: %v", err)
		}
		return nil
	}, recorder.Options{})
	seen := recordertest.NewOutcomes()
	recordertest.RunClients(plans, seen, s.Recorder)
	for _, err := range seen.Failures() {
		if !errors.Is(err, recorder.ErrNotRecorded) || errors.Is(err, journal.ErrUnknownOutcome) {
			tb.Errorf("failed for another reason: %v", err)
		}
	}
	if err := s.Ready(); err != nil || failed.Load() == 0 {
		tb.Errorf("after %d faults: %v", failed.Load(), err)
	}
	closeIt(tb, s)
	seen.Check(tb, recordertest.CheckLaws(tb, j, store))
	seen.CheckKeys(tb, j)
	j, store = p.reopen(tb, j, store)
	seen.Check(tb, recordertest.CheckLaws(tb, j, store))
	seen.CheckKeys(tb, j)
	closeIt(tb, j)
	closeIt(tb, store)
}
