package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"puddle/journal"
)

// TestRecoverIsKilled: wherever the program that recovers is killed, the same command
// goes on, and ends with the catalog that it makes when nobody kills it, every event of it
// recorded once; one more run changes nothing. What is served in between is never a part.
func TestRecoverIsKilled(t *testing.T) {
	strace := straced(t)
	kinds := map[string]int{ // system calls, and how many of them are passed over from one kill to the next
		"fsync,fdatasync,renameat,renameat2,linkat,unlinkat,ftruncate,mkdirat": 1, "pwrite64": 29,
	}
	for _, l := range someLosses() {
		t.Run(l.what, func(t *testing.T) {
			t.Parallel()
			at := catalogAt{t, t.TempDir()}
			newKilling(t, l, at, inFolder{at}).everywhere(strace, kinds)
		})
	}
}

// someLosses are a third of the losses where not everything is required, others each time.
func someLosses() (some []loss) {
	first := rand.IntN(3)
	for i, l := range losses() {
		if i%3 == first || os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
			some = append(some, l)
		}
	}
	return some
}

// everywhere kills it at system calls of these kinds, of which some are passed over from one
// kill to the next.
func (k *killing) everywhere(strace string, kinds map[string]int) {
	k.Helper()
	for calls, step := range kinds {
		next := func() int { return step }
		if os.Getenv("PUDDLE_TEST_REQUIRE") != "all" {
			next = func() int { return 1 + rand.IntN(40*step) } // a sample, another one each time
		}
		for n := 1; ; n += next() {
			kill := []string{strace, "-f", "-qqq", "-o", os.DevNull, "-e", "trace=" + calls, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", calls, n)}
			if k.killed(kill) == nil { // at the n-th call of a thread
				break
			}
			k.goesOn(fmt.Sprintf("killed at %s %d", calls, n))
		}
	}
}

func straced(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	switch {
	case err != nil && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs strace (Debian: apt-get install strace)")
	case err != nil:
		t.Fatal(err)
	}
	return path
}

// killing is a loss that is recovered again and again.
type killing struct {
	*testing.T
	loss
	catalogAt
	kept
	catalog, recorded []string // what is there in the end
}

// lost is what is kept when the loss has happened, and the warehouse as it was then.
const (
	lost          = "lost"
	lostWarehouse = "lost-warehouse"
)

func newKilling(t *testing.T, l loss, dir catalogAt, in kept) *killing {
	k := &killing{T: t, loss: l, catalogAt: dir, kept: in}
	lived(t, dir.dir, "journal: {archive: "+l.archive+"}\n"+in.configuration(), func() { in.keep(before) })
	l.happens(in)
	in.keep(lost)
	dir.copied(lostWarehouse, "w")
	if code, said := k.run(); code != codeDone {
		t.Fatalf("it is not recovered: %d: %s", code, said)
	}
	k.catalog, k.recorded = k.held()
	return k
}

// run recovers, in a process of its own: locks of this one are for a moment those of the
// processes that other tests begin, too.
func (k *killing) run() (int, string) {
	k.Helper()
	var said bytes.Buffer
	command := k.command(nil)
	command.Stderr = &said
	var ended *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &ended) {
		k.Fatal(err)
	}
	return command.ProcessState.ExitCode(), said.String()
}

// command recovers, under another command if there is one.
func (k *killing) command(under []string) *exec.Cmd {
	k.Helper()
	puddle, err := exec.LookPath("puddle") // as testscript.Main has put it there
	if err != nil {
		k.Fatal(err)
	}
	args := slices.Concat(under, []string{puddle, "-c", k.at("puddle.yaml"), "recover"}, k.recover)
	return exec.CommandContext(k.Context(), args[0], args[1:]...)
}

// reset puts back what was there when the loss had happened.
func (k *killing) reset() {
	k.Helper()
	k.put(lost)
	k.copied("w", lostWarehouse)
}

// killed recovers what is lost, in a process under a command; nil: it was not killed.
func (k *killing) killed(under []string) error {
	k.Helper()
	k.reset()
	said, err := k.command(under).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != -1) {
		k.Fatalf("it ended by itself: %v: %s", err, said)
	}
	return err
}

// goesOn runs the command again, and once more.
func (k *killing) goesOn(after string) {
	k.Helper()
	for run := range 2 {
		code, said := k.run()
		if code != codeDone && code != codeRefused || run > 0 && code == codeDone && !k.adds() {
			k.Fatalf("%s: run %d: %d: %s", after, run, code, said)
		}
		catalog, recorded := k.held()
		if diff := cmp.Diff(k.catalog, catalog) + cmp.Diff(k.recorded, recorded); diff != "" {
			k.Fatalf("%s: run %d: %s", after, run, diff)
		}
	}
}

// adds tells whether the command adds to a catalog: that never refuses to.
func (k *killing) adds() bool { return slices.Contains(k.recover, "--allow-nonempty") }

// held is what the journal says. What adds, and finds that all is there, does not say that
// it is complete.
func (k *killing) held() (catalog, recorded []string) {
	k.Helper()
	j := k.journal()
	defer j.Close()
	catalog, recorded = heldIn(k.T, j)
	if k.adds() {
		recorded = slices.DeleteFunc(recorded, func(r string) bool { return strings.HasPrefix(r, string(journal.KindRecoveryCompleted)) })
	}
	return catalog, recorded
}
