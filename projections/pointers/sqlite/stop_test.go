package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"puddle/projections/pointers/sqlite"
)

// copyLive copies a file that is open, with its log, as a process that is killed
// leaves it.
func copyLive(t testing.TB, path string) (left string) {
	t.Helper()
	left = filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(left+suffix, data, 0o600)
		}
		if err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			t.Fatal(err)
		}
	}
	return left
}

func openAt(t testing.TB, path, boot string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, sqlite.Options{Boot: func() string { return boot }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func wantStop(t testing.TB, what string, db *sqlite.DB, want sqlite.Stop) {
	t.Helper()
	if got := db.LastStop(); got != want {
		t.Errorf("%s: the last stop was %v, want %v", what, got, want)
	}
}

// How the last process ended is told by its mark and the kernel's boot.
func TestLastStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "puddle.db")
	db := openAt(t, path, "one")
	wantStop(t, "a new file", db, sqlite.Clean)
	fill(t, db, 3)
	for _, c := range []struct {
		what, boot string
		want       sqlite.Stop
	}{
		{"the same boot", "one", sqlite.Killed},
		{"another boot", "two", sqlite.Crashed},
		{"an unknown boot", "", sqlite.Crashed},
	} {
		wantStop(t, c.what, openAt(t, copyLive(t, path), c.boot), c.want)
	}
	closeDB(t, db)
	wantStop(t, "a closed file, at another boot", openAt(t, path, "two"), sqlite.Clean)

	unknown := filepath.Join(t.TempDir(), "unknown.db")
	fill(t, openAt(t, unknown, ""), 1)
	wantStop(t, "no boot is known", openAt(t, copyLive(t, unknown), ""), sqlite.Crashed)
}

// The mark is in the file itself, whatever becomes of the log.
func TestLastStopWithoutTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "puddle.db")
	db := openAt(t, path, "one")
	fill(t, db, 3)
	left := copyLive(t, path)
	if err := os.Remove(left + "-wal"); err != nil {
		t.Fatal(err)
	}
	wantStop(t, "after the log was lost", openAt(t, left, "two"), sqlite.Crashed)
}

// Who closes tables that nobody has compared leaves them to be compared.
func TestUntrustedIsNotClean(t *testing.T) {
	path := filepath.Join(t.TempDir(), "puddle.db")
	fill(t, openAt(t, path, "one"), 3)
	left := copyLive(t, path)
	db := openAt(t, left, "two")
	closeDB(t, db)
	db = openAt(t, left, "two")
	wantStop(t, "not trusted", db, sqlite.Killed)
	db.Trust()
	closeDB(t, db)
	wantStop(t, "trusted", openAt(t, left, "three"), sqlite.Clean)
}
