//go:build linux

package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Case 156: without room for the copy the journal stays, and nothing else does.
func TestCase156_CompactOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64M")
	switch {
	case errors.Is(err, syscall.EPERM) && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs the right to mount a file system (CAP_SYS_ADMIN)")
	case err != nil:
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(disk, "journal.db")
	loose(t, path)
	before := contents(t, path)
	ballast := filepath.Join(disk, "ballast")
	file, err := os.Create(ballast)
	for err == nil {
		_, err = file.Write(make([]byte, 16<<10))
	}
	if err := errors.Join(file.Truncate(fileSize(t, ballast)-128<<10), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), path, CompactOptions{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the journal differs:\n%s", diff)
	}
	if got := names(t, disk); len(got) != 2 {
		t.Errorf("the folder holds %v", got)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), path, CompactOptions{}); err != nil {
		t.Errorf("with room: %v", err)
	}
}
