package dir_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/warehousetest"
)

// TestTheLongWay: what the kernel or the file system does not offer changes nothing.
func TestTheLongWay(t *testing.T) {
	t.Parallel()
	warehousetest.Run(t, func(t *testing.T) warehouse.Store {
		store := open(t, t.TempDir())
		store.GoTheLongWay()
		return store
	})
}

func TestSystemOf(t *testing.T) {
	const mounts = `22 27 0:21 / /proc rw,relatime - proc none rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
28 27 254:1 / /srv/a\040b rw - btrfs /dev/vdb rw
`
	for device, want := range map[string]string{"0:21": "proc", "254:0": "ext4", "254:1": "btrfs", "254:10": "", "4:0": "", "": ""} {
		if got := dir.SystemOf(strings.NewReader(mounts), device); got != want {
			t.Errorf("%q has %q, want %q", device, got, want)
		}
	}
}

// The environment of this test as the program that strace runs.
const (
	stracedCall   = "PUDDLE_TEST_STRACED_CALL"
	stracedFolder = "PUDDLE_TEST_STRACED_FOLDER"
)

// syncs are how many a call costs at most, on an ordered file system and on others.
var syncs = map[string]struct{ ordered, other int }{
	"stage in new folders":  {1, 4},
	"stage":                 {1, 2},
	"create in new folders": {2, 4},
	"create":                {2, 2},
	"make folder":           {1, 2},
	"put":                   {2, 2},
}

func TestSyncs(t *testing.T) {
	if call := os.Getenv(stracedCall); call != "" {
		if err := straced(open(t, os.Getenv(stracedFolder)), call); err != nil {
			t.Fatal(err)
		}
		return
	}
	for call, want := range syncs {
		folder := t.TempDir()
		store := open(t, folder)
		if err := store.Create(ctx, "old/folder/key", nil); err != nil {
			t.Fatal(err)
		}
		most := want.other + 2 // it is new to the process whether old/folder is durable
		if store.Ordered() {
			most = want.ordered
		}
		calls, out, err := strace(t, call, folder)
		if got := strings.Count(calls, "sync("); err != nil || got == 0 || got > most {
			t.Errorf("%s: %d syncs, at most %d are expected; %v\n%s%s", call, got, most, err, calls, out)
		}
	}
}

// straced makes the call that is looked at.
func straced(store *dir.Store, call string) error {
	switch call {
	case "stage in new folders":
		_, err := store.Stage(ctx, "new/folder/key", []byte("x"))
		return err
	case "stage":
		_, err := store.Stage(ctx, "old/folder/new", []byte("x"))
		return err
	case "create in new folders":
		return store.Create(ctx, "new/folder/key", []byte("x"))
	case "create":
		return store.Create(ctx, "old/folder/new", []byte("x"))
	case "make folder":
		return store.MakeFolder(ctx, "new/folder")
	case "put":
		return store.Put(ctx, "old/folder/key", []byte("x"))
	}
	return fmt.Errorf("no call %q", call)
}

// TestFailedSync: what the disk did not take is not there, whichever sync it was.
func TestFailedSync(t *testing.T) {
	for call, at := range map[string]string{"stage": "1", "create": "1", "stage in new folders": "1"} {
		folder := t.TempDir()
		if err := open(t, folder).Create(ctx, "old/folder/key", nil); err != nil {
			t.Fatal(err)
		}
		_, out, err := strace(t, call, folder, "-e", "inject=fsync:error=EIO:when="+at)
		if err == nil || !strings.Contains(out, syscall.EIO.Error()) {
			t.Errorf("%s: the error is not told: %v\n%s", call, err, out)
		}
		if got := keys(t, open(t, folder), ""); len(got) != 1 {
			t.Errorf("%s: after the error there are %q", call, got)
		}
	}
}

// strace runs a call in a process of its own: the system calls that sync, and what
// the process says.
func strace(t *testing.T, call, folder string, options ...string) (calls, out string, err error) {
	t.Helper()
	switch _, err := exec.LookPath("strace"); {
	case err != nil && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs strace (Debian: apt-get install strace)")
	case err != nil:
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "calls")
	args := append([]string{"-f", "-qqq", "-o", trace, "-e", "trace=fsync,fdatasync"}, options...)
	command := exec.Command("strace", append(args, os.Args[0], "-test.run=^TestSyncs$")...)
	command.Env = append(os.Environ(), stracedCall+"="+call, stracedFolder+"="+folder)
	text, err := command.CombinedOutput()
	data, readErr := os.ReadFile(trace)
	if readErr != nil {
		t.Fatal(errors.Join(readErr, err), string(text))
	}
	return string(data), string(text), err
}
