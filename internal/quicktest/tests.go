package quicktest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// prefix is what the folders of test binaries begin with.
const prefix = "puddle-tests-"

// Runner is a *testing.M, or what runs one.
type Runner interface{ Run() int }

// Tests are tests that are quick where not everything is required. Flags that are given, as
// -rapid.checks and -parallel, are heeded.
func Tests(m Runner) Runner {
	if os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
		return m
	}
	return tests{m}
}

type tests struct{ Runner }

func (t tests) Run() int {
	remove, err := quicken()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	return t.Runner.Run()
}

// quicken changes how this process tests, before its flags are parsed.
func quicken() (remove func(), err error) {
	for name, value := range map[string]string{"rapid.checks": "25", "test.parallel": "6"} {
		if flag.Lookup(name) == nil {
			continue // no law is tested
		}
		if err := flag.Set(name, value); err != nil {
			return nil, err
		}
	}
	disk := os.TempDir()
	in := Folder(disk)
	if in == disk || filepath.Dir(disk) == in { // its own, or that of the tests which have started this process
		return func() {}, nil
	}
	folder, remove, err := own(in)
	if err != nil {
		return nil, err
	}
	return remove, os.Setenv("TMPDIR", folder)
}

// own makes a folder in another, which is this process's until it is removed or the process
// ends, and removes those of processes that have ended: what they left takes memory.
func own(in string) (folder string, remove func(), err error) {
	alone, err := lock(in, 0) // who finds a folder that its maker has not locked yet would remove it
	if err != nil {
		return "", nil, err
	}
	defer alone()
	left, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		return "", nil, err
	}
	for _, l := range left {
		if release, err := lock(l, syscall.LOCK_NB); err == nil {
			_ = os.RemoveAll(l) // another user's stays
			release()
		}
	}
	if folder, err = os.MkdirTemp(in, prefix); err != nil {
		return "", nil, err
	}
	release, err := lock(folder, 0)
	if err != nil {
		return "", nil, err
	}
	if err := os.Chmod(folder, 0o755); err != nil { // servers that tests start as another user read in it
		return "", nil, err
	}
	return folder, func() { _ = os.RemoveAll(folder); release() }, nil
}

// lock locks a folder, and waits until nobody else does unless how is LOCK_NB.
func lock(folder string, how int) (release func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|how); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
