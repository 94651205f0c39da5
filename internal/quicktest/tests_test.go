package quicktest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestOwn: what runs has a folder of its own, and what has ended leaves none.
func TestOwn(t *testing.T) {
	in := t.TempDir()
	left := filepath.Join(in, prefix+"left")
	if err := os.MkdirAll(filepath.Join(left, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() {
			folder, remove, err := own(in)
			if err != nil {
				t.Error(err)
				return
			}
			defer remove()
			if err := os.WriteFile(filepath.Join(folder, "duck"), nil, 0o600); err != nil {
				t.Error(err)
			}
			_, end, err := own(in)
			if err != nil {
				t.Error(err)
				return
			}
			end()
			if _, err := os.Stat(filepath.Join(folder, "duck")); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if there, err := os.ReadDir(in); err != nil || len(there) > 0 {
		t.Errorf("%v are there: %v", there, err)
	}
}

type ran func() int

func (r ran) Run() int { return r() }

// TestTests: temporary folders of tests are in memory, but on a disk where everything is
// required, and the exit code is theirs.
func TestTests(t *testing.T) {
	for _, require := range []string{"", "all"} {
		t.Setenv("PUDDLE_TEST_REQUIRE", require)
		t.Setenv("TMPDIR", t.TempDir())
		disk := os.TempDir()
		moves := require == "" && Folder(disk) != disk
		var was string
		code := Tests(ran(func() int {
			was = os.TempDir()
			return 7
		})).Run()
		if code != 7 || (was != disk) != moves {
			t.Errorf("PUDDLE_TEST_REQUIRE=%s: exit code %d, in %s", require, code, was)
		}
		if _, err := os.Stat(was); moves == (err == nil) {
			t.Errorf("%s: %v", was, err)
		}
	}
}
