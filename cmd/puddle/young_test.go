package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"puddle/recover/verify"
)

// Files that are too young to be judged are counted, with the time from when on they are;
// what else was looked at is clean.
func TestYoungFilesAreTold(t *testing.T) {
	again := time.Date(2026, 11, 30, 10, 11, 0, 0, time.UTC)
	for young, wants := range map[int64][]string{
		0: {"clean"},
		2: {"lake: 2 files that no event names, too young to tell whether a change under way made them: look again after 2026-11-30T10:11:00Z", "clean, but for files that are too young"},
	} {
		var out strings.Builder
		r := &verifyReport{session: &session{stdout: &out}, ended: &verifyEnd{}}
		r.take(verifyLine{Summary: &verify.Summary{Warehouse: "lake", Level: 4, TooYoung: young, LookAgain: again}})
		lines := r.text(r.totals())
		if !slices.Equal(lines[1:], wants) {
			t.Errorf("%d: %q", young, lines)
		}
		if err := r.end(true, nil); err != nil || young > 0 && !strings.Contains(out.String(), `"files-too-young": 2,`) || young > 0 && !strings.Contains(out.String(), `"look-again": "2026-11-30T10:11:00Z"`) {
			t.Errorf("%d: %v %s", young, err, out.String())
		}
	}
}

// An address that is taken says what to do.
func TestAddressIsTaken(t *testing.T) {
	r := started(t, configured(t, t.TempDir(), ""))
	c := configured(t, t.TempDir(), "")
	c.Server.Addr = r.tcp.Addr().String()
	_, err := newServer(c, r.log)
	if exitCode(err) != codeNoLook || !strings.Contains(err.Error(), "address already in use: stop what listens there, or set another server.addr") {
		t.Errorf("%d: %v", exitCode(err), err)
	}
	r.stop()
	<-r.ended
}
