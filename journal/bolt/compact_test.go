package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

var (
	lake = uuid.MustParse("01234567-89ab-7def-8123-456789abcdef")
	pond = uuid.MustParse("00000000-1111-7222-8333-444444444444")
)

// loose is a closed journal of two warehouses, one of them in its second
// incarnation, with answers, documents and many pages that are not in use.
func loose(t *testing.T, path string) (entries []journal.Entry) {
	t.Helper()
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var drafts []journal.Draft
	for _, w := range []uuid.UUID{pond, lake} {
		s := journaltest.NewStory(w)
		ns := journal.Namespace{"sales"}
		s.CreateNamespace(ns, nil)
		for i := range 120 {
			s.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprint("t", i%7)})
		}
		drafts = append(drafts, s.Drafts...)
	}
	entries = journaltest.Entries(t, drafts, journaltest.Start)
	for _, e := range entries { // one at a time: pages are left behind
		journaltest.Append(t, j, []journal.Entry{e})
	}
	head := entries[len(entries)-1].Event.Position
	draft := journaltest.NewStory(lake).Drafts[0]
	draft.Body = journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &head, Reason: "recovered"}
	second, _, err := journal.NewChain(lake, pond, 1_000_000).Next(draft, journal.At(journaltest.Start))
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Append(t, j, []journal.Entry{second})
	answer := journal.Answer{
		Request: journal.Request{Actor: "cli:me", Key: "01234567-89ab-7def-8123-456789abcdef", Route: "PUT /x", Until: journaltest.Start.Add(time.Hour)},
		Status:  204,
	}
	if err := j.Remember(t.Context(), lake, journaltest.Start, answer); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return append(entries, second)
}

// contents is all that a closed journal holds, key by key.
func contents(t *testing.T, path string) map[string]string {
	t.Helper()
	j, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	all := map[string]string{}
	err = j.db.View(func(tx *bbolt.Tx) error {
		return walk(t.Context(), tx, everything, func(path [][]byte, key, value []byte) error {
			all[fmt.Sprintf("%x/%x", path, key)] = string(value)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func names(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A compacted journal holds every key and value of the old one, is smaller, and
// goes on.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	before, size := contents(t, path), fileSize(t, path)
	counted := map[string]int64{}
	done, err := Compact(t.Context(), path, CompactOptions{Progress: func(what string, done int64) { counted[what] = done }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the copy differs (-old +new):\n%s", diff)
	}
	if now := fileSize(t, path); now >= size/2 || done.Before != size || done.After != now {
		t.Errorf("%d bytes became %d, said as %d and %d", size, now, done.Before, done.After)
	}
	if counted["bytes copied"] == 0 || counted["warehouses checked"] != 2 {
		t.Errorf("progress %v", counted)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("the folder holds %v", got)
	}
	goesOn(t, path)
}

// goesOn appends to a journal what comes after the pond's last event.
func goesOn(t *testing.T, path string) {
	t.Helper()
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	events := journaltest.Events(t, j.Warehouse(pond), 0)
	s := journaltest.NewStory(pond)
	s.CreateNamespace(journal.Namespace{"later"}, nil)
	draft := s.Drafts[1]
	draft.ID, draft.Request = uuid.New(), nil
	entry, _, err := journal.ChainAt(events[len(events)-1]).Next(draft, journal.At(journaltest.Start.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Append(t, j, []journal.Entry{entry})
}

// Old incarnations go only when they are to, and a dry run changes nothing.
func TestCompactPrunes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	before, size := contents(t, path), fileSize(t, path)
	planned, err := Compact(t.Context(), path, CompactOptions{Prune: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" || fileSize(t, path) != size {
		t.Errorf("a dry run changed the journal:\n%s", diff)
	}
	done, err := Compact(t.Context(), path, CompactOptions{Prune: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(planned.Histories, done.Histories); diff != "" {
		t.Errorf("planned and done differ:\n%s", diff)
	}
	if low, high := done.After/2, done.After*2; planned.After < low || planned.After > high {
		t.Errorf("about %d bytes were planned, %d are there", planned.After, done.After)
	}
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	left, err := j.histories(t.Context())
	if err != nil || len(left) != 2 || !left[0].Current || !left[1].Current {
		t.Errorf("left are %v, %v", left, err)
	}
	pruned := slices.DeleteFunc(done.Histories, func(c journal.Compaction) bool { return !c.Pruned })
	if len(pruned) != 1 || pruned[0].Incarnation != journaltest.Incarnation(lake) || pruned[0].Events != 122 || pruned[0].Name != "lake" {
		t.Errorf("pruned were %+v", pruned)
	}
}

// Whoever made something of the incarnations is told before they are gone, and only
// then; where that fails the journal stays.
func TestCompactTellsOfPruning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	told := 0
	o := CompactOptions{Pruning: func() error { told++; return nil }}
	compact := func(want error, times int) {
		t.Helper()
		if _, err := Compact(t.Context(), path, o); !errors.Is(err, want) || told != times {
			t.Fatalf("got %v, told %d times, want %d", err, told, times)
		}
	}
	compact(nil, 0)
	o.Prune, o.DryRun = true, true
	compact(nil, 0)
	before := contents(t, path)
	o.DryRun, o.Pruning = false, func() error { told++; return errBroken }
	compact(errBroken, 1)
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the journal differs:\n%s", diff)
	}
	o.Pruning = func() error { told++; return nil }
	compact(nil, 2)
	compact(nil, 2) // nothing is left out any more
}

// A dry run says about how large the copy is, also of a journal that has nearly
// nothing: a file has pages of its own.
func TestCompactEstimatesSmallFiles(t *testing.T) {
	for _, commits := range []int{0, 1, 5, 20, 300} {
		path := filepath.Join(t.TempDir(), "journal.db")
		j, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := journaltest.NewStory(pond)
		s.CreateNamespace(journal.Namespace{"n"}, nil)
		for range commits {
			s.Commit(journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"})
		}
		journaltest.Append(t, j, journaltest.Entries(t, s.Drafts, journaltest.Start))
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		planned, dryErr := Compact(t.Context(), path, CompactOptions{DryRun: true})
		done, err := Compact(t.Context(), path, CompactOptions{})
		if err := errors.Join(dryErr, err); err != nil {
			t.Fatal(err)
		}
		if planned.After < done.After*3/4 || planned.After > done.After*4/3 {
			t.Errorf("after %d commits: about %d bytes were planned, %d are there", commits, planned.After, done.After)
		}
	}
}

// What is damaged, in use or in doubt stays as it is.
func TestCompactRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	j, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), path, CompactOptions{}); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("of a journal in use: %v", err)
	}
	err = j.db.Update(func(tx *bbolt.Tx) error {
		h, err := openHistory(tx, lake, journaltest.Incarnation(lake))
		if err != nil {
			return err
		}
		key, value := h.documents.Cursor().First()
		value = append([]byte(nil), value...)
		value[len(value)-1] ^= 1
		return h.documents.Put(key, value)
	})
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	before := contents(t, path)
	for _, o := range []CompactOptions{{}, {DryRun: true}} {
		var damage *journal.Damage
		if _, err := Compact(t.Context(), path, o); !errors.As(err, &damage) || damage.Incarnation != journaltest.Incarnation(lake) {
			t.Errorf("of a damaged journal: %v", err)
		}
	}
	if err := os.WriteFile(path+copySuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), path, CompactOptions{}); !errors.Is(err, ErrDoubtful) {
		t.Errorf("of a journal in doubt: %v", err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Error("a refusal changed the journal")
	}
}

var compactSteps = []string{"copy", "check", "prune", "rename", "sync folder"}

// Law 5: whatever step fails, before or after it took effect, or ends the
// process: the journal is there, with all that it had.
func TestCompactFaults(t *testing.T) {
	made := filepath.Join(t.TempDir(), "journal.db")
	loose(t, made)
	data, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range compactSteps {
		for _, when := range []string{"before", "after", "killed before", "killed after"} {
			t.Run(step+"/"+when, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "journal.db")
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				before := contents(t, path)
				if when == "before" || when == "after" {
					_, err := Compact(t.Context(), path, CompactOptions{step: failing(step, when == "after", errBreak)})
					if !errors.Is(err, errBroken) {
						t.Fatalf("got %v", err)
					}
				} else {
					killCompaction(t, path, step, when == "killed after")
				}
				if diff := cmp.Diff(before, contents(t, path)); diff != "" {
					t.Errorf("the journal differs:\n%s", diff)
				}
				swept, err := Sweep(path)
				copied, renamed := slices.Index(compactSteps, "copy"), slices.Index(compactSteps, "rename")
				at := slices.Index(compactSteps, step)
				left := when == "killed after" && at < renamed || when == "killed before" && at > copied && at <= renamed
				if err != nil || swept != left {
					t.Errorf("swept %v, %v", swept, err)
				}
				if got := names(t, filepath.Dir(path)); len(got) != 1 {
					t.Errorf("the folder holds %v", got)
				}
				goesOn(t, path)
				if _, err := Compact(t.Context(), path, CompactOptions{}); err != nil {
					t.Errorf("again: %v", err)
				}
			})
		}
	}
}

// A compaction that is stopped, or killed, in the middle of the copy leaves the
// journal.
func TestCompactEndsInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	before := contents(t, path)
	ctx, stop := context.WithCancel(t.Context())
	_, err := Compact(ctx, path, CompactOptions{Progress: func(string, int64) { stop() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("the folder holds %v", got)
	}
	killCompaction(t, path, "", false)
	if swept, err := Sweep(path); err != nil || !swept {
		t.Errorf("swept %v, %v", swept, err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the journal differs:\n%s", diff)
	}
}

var errBroken = errors.New("broken")

func errBreak() error { return errBroken }

// failing fails at a step, before it is done or after.
func failing(at string, after bool, fail func() error) func(string, func() error) error {
	return func(name string, do func() error) error {
		if name != at {
			return do()
		}
		if after {
			if err := do(); err != nil {
				return err
			}
		}
		return fail()
	}
}

const (
	compactFile = "PUDDLE_TEST_COMPACT_FILE"
	compactStep = "PUDDLE_TEST_COMPACT_STEP"
	// compactRetain: not all documents are retained.
	compactRetain = "PUDDLE_TEST_COMPACT_RETAIN"
)

// What is retained by compactions that fail.
const killedAge = 20 * time.Hour

var killedNow = journaltest.Start.AddDate(1, 0, 0)

// TestCompactIsKilled is the process that killCompaction starts.
func TestCompactIsKilled(t *testing.T) {
	path, step := os.Getenv(compactFile), os.Getenv(compactStep)
	if path == "" {
		return
	}
	at, after := step[1:], step[0] == '+'
	die := func() error { return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGKILL), errBroken) }
	o := CompactOptions{step: failing(at, after, die)}
	if os.Getenv(compactRetain) != "" {
		o.Retain, o.Now = killedAge, killedNow
	}
	if at == "" {
		o.Progress = func(_ string, done int64) {
			if done > 100_000 {
				t.Error(die())
			}
		}
	}
	_, err := Compact(context.Background(), path, o)
	t.Fatalf("it lived on: %v", err)
}

// killCompaction lets a process compact, which dies at a step, or in the middle of
// the copy where none is named.
func killCompaction(t *testing.T, path, step string, after bool, more ...string) {
	t.Helper()
	mark := "-"
	if after {
		mark = "+"
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCompactIsKilled$")
	cmd.Env = append(append(os.Environ(), compactFile+"="+path, compactStep+"="+mark+step), more...)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%v\n%s", err, out)
	}
}
