//go:build linux

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of its own, for one test.
func smallDisk(t *testing.T, options string) (path string) {
	t.Helper()
	path = t.TempDir()
	err := syscall.Mount("tmpfs", path, "tmpfs", 0, options)
	switch {
	case errors.Is(err, syscall.EPERM) && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		t.Skip("needs the right to mount a file system (CAP_SYS_ADMIN)")
	case err != nil:
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return path
}

// fill takes all the room that a folder's disk has.
func fill(t *testing.T, folder string) (ballast string) {
	t.Helper()
	ballast = filepath.Join(folder, "ballast")
	file, err := os.OpenFile(ballast, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return ballast
}

const aTable = `{"name":"t","schema":{"type":"struct","fields":[]}}`

// Case 156: on a full disk changes are refused with 507, reads go on, also after a
// restart, and changes are taken again when there is room. What was acknowledged
// is there and what was refused is not.
func TestCase156_FullDisk(t *testing.T) {
	for _, c := range []struct{ name, more string }{
		{"data-dir", "journal: {path: %[1]s/journal.db}\nmetastore: {sqlite: {path: %[1]s/puddle.db}}"},
		{"journal", "journal: {path: %s/journal.db}"},
		{"tables", "metastore: {sqlite: {path: %s/puddle.db}}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := smallDisk(t, "size=40M")
			on := configured(t, t.TempDir(), fmt.Sprintf(c.more, disk))
			r := started(t, on)
			made, _ := r.makeNamespaces("before", 3)
			if status := r.post("/api/catalog/v1/namespaces/before0/tables", aTable); status != http.StatusOK {
				t.Fatalf("create a table: %d", status)
			}

			ballast := fill(t, disk)
			late, status := r.makeNamespaces("full", 5_000)
			if made = append(made, late...); status != http.StatusInsufficientStorage {
				t.Fatalf("the disk is full after %d changes, and the next is answered with %d", len(late), status)
			}
			stillFull(t, r, made)
			r.stopped()
			r = started(t, on)
			stillFull(t, r, made)

			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			after, status := r.makeNamespaces("after", 3)
			if len(after) != 3 {
				t.Fatalf("there is room, and a change is answered with %d", status)
			}
			r.wantNamespaces(append(made, after...))
			r.stopped()
			r = started(t, on)
			r.wantNamespaces(append(made, after...))
			r.stopped()
		})
	}
}

// stillFull sees that reads go on and changes are refused.
func stillFull(t *testing.T, r *running, made []string) {
	t.Helper()
	r.wantNamespaces(made)
	if status, _ := r.read("/api/catalog/v1/namespaces/before0/tables/t"); status != http.StatusOK {
		t.Errorf("a load is answered with %d", status)
	}
	for range 3 {
		if _, status := r.makeNamespaces("refused", 1); status != http.StatusInsufficientStorage {
			t.Errorf("a change is answered with %d", status)
		}
	}
}

// Case 156: a server starts on a disk that others have filled while it was stopped.
func TestCase156_StartOnAFullDisk(t *testing.T) {
	disk := smallDisk(t, "size=40M")
	on := configured(t, t.TempDir(), fmt.Sprintf("journal: {path: %[1]s/journal.db}\nmetastore: {sqlite: {path: %[1]s/puddle.db}}", disk))
	r := started(t, on)
	made, _ := r.makeNamespaces("before", 3)
	if status := r.post("/api/catalog/v1/namespaces/before0/tables", aTable); status != http.StatusOK {
		t.Fatalf("create a table: %d", status)
	}
	r.stopped()
	ballast := fill(t, disk)
	r = started(t, on)
	stillFull(t, r, made)
	r.stopped()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	r = started(t, on)
	after, _ := r.makeNamespaces("after", 1)
	r.wantNamespaces(append(made, after...))
	if len(after) != 1 {
		t.Error("there is room, and a change is refused")
	}
	r.stopped()
}

// Case 156: on a warehouse whose disk is full no table is half there, whether it is
// a file that does not fit or a folder.
func TestCase156_FullWarehouse(t *testing.T) {
	for _, c := range []struct {
		name, options string
		fill          func(t *testing.T, folder string) (ballast string)
	}{{"file", "size=4M", fill}, {"folder", "size=4M,nr_inodes=40", fillInodes}} {
		t.Run(c.name, func(t *testing.T) {
			disk, dir := smallDisk(t, c.options), t.TempDir()
			if err := os.Symlink(disk, filepath.Join(dir, "w")); err != nil {
				t.Fatal(err)
			}
			r := started(t, configured(t, dir, ""))
			defer r.stopped()
			made, _ := r.makeNamespaces("n", 1)
			for strings.Count(r.page("/api/puddle/v1/status"), `"behind":0`) < 4 { // what is replaced on a full disk leaves room
			}
			ballast := c.fill(t, disk)
			for range 3 {
				if status := r.post("/api/catalog/v1/namespaces/n0/tables", aTable); status != http.StatusInsufficientStorage {
					t.Errorf("a table on a full disk is answered with %d", status)
				}
			}
			if status, _ := r.read("/api/catalog/v1/namespaces/n0/tables/t"); status != http.StatusNotFound {
				t.Errorf("a load of it with %d", status)
			}
			r.wantNamespaces(made)
			if err := os.RemoveAll(ballast); err != nil {
				t.Fatal(err)
			}
			if left := filesOf(t, disk); len(left) > 0 {
				t.Errorf("files were left: %v", left)
			}
			if status := r.post("/api/catalog/v1/namespaces/n0/tables", aTable); status != http.StatusOK {
				t.Errorf("there is room, and a table is answered with %d", status)
			}
		})
	}
}

// fillInodes takes all the files and folders that a disk can have.
func fillInodes(t *testing.T, folder string) (ballast string) {
	t.Helper()
	ballast = filepath.Join(folder, "ballast")
	err := os.Mkdir(ballast, 0o700)
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(ballast, fmt.Sprint(i)), nil, 0o600)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return ballast
}

// filesOf are the files outside of puddle's own folder.
func filesOf(t *testing.T, root string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == "_puddle" {
			return filepath.SkipDir
		}
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}
