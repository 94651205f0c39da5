package postgrestest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Installed tells why no server can be started here; nil: one can.
func Installed() error {
	_, err := programs()
	return err
}

// Programs is the folder of the server's programs, pg_dump and pg_restore among them.
func (c *Cluster) Programs() string { return c.bin }

// programs is the folder of PostgreSQL's programs.
func programs() (string, error) {
	var folders []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(debian, func(a, b string) int { return cmp.Compare(major(b), major(a)) })
	for _, folder := range append(folders, debian...) {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("needs PostgreSQL's initdb and postgres (Debian: apt-get install postgresql)")
}

// major is the version in the path of Debian's programs.
func major(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0: the oldest
	return n
}

// need finds the programs, or ends the test.
func need(tb testing.TB) string {
	tb.Helper()
	bin, err := programs()
	switch {
	case err != nil && os.Getenv("PUDDLE_TEST_REQUIRE") != "all":
		tb.Skip(err)
	case err != nil:
		tb.Fatal(err)
	}
	return bin
}

// owner is who runs the server, nil for whoever runs the tests.
func owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	var failed error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			failed = err
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is nobody else: %w", failed)
}
