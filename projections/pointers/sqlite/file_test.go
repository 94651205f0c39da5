package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"puddle/internal/quicktest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(quicktest.Tests(m)) }

// told is a warehouse with n tables, as a journal, and its id.
func told(t testing.TB, n int) (journal.Reader, uuid.UUID) {
	t.Helper()
	id := uuid.New()
	story := journaltest.NewStory(id)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range n {
		story.CreateTable(tableName(i))
	}
	j := journal.NewMemory()
	journaltest.Append(t, j, journaltest.Entries(t, story.Drafts, journaltest.Start))
	return j.Warehouse(id), id
}

func fill(t testing.TB, db *sqlite.DB, n int) uuid.UUID {
	t.Helper()
	j, id := told(t, n)
	if err := projections.CatchUp(context.Background(), j, 0, db.Warehouse(id)); err != nil {
		t.Fatal(err)
	}
	return id
}

func closeDB(t testing.TB, db *sqlite.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func folder(t testing.TB, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Whatever the folder allows, nobody else reads the file or its log.
func TestFilesAreTheOwners(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	db := open(t, path)
	defer closeDB(t, db)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + suffix); err != nil || info.Mode() != 0o600 {
			t.Errorf("%q: %v, %v", suffix, info, err)
		}
	}
}

func TestOpenRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	run := func(path, statement string) string {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := filepath.Join(dir, "own.db")
	closeDB(t, open(t, own))
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]error{
		run(filepath.Join(dir, "foreign.db"), "CREATE TABLE t (x)"):                                 sqlite.ErrForeign,
		run(filepath.Join(dir, "marked.db"), "PRAGMA application_id = 7"):                           sqlite.ErrForeign,
		run(own, "PRAGMA user_version = 1"):                                                         pointers.ErrSchema,
		write("text.db", bytes.Repeat([]byte("this is no database\n"), 1000)):                       pointers.ErrCorrupt,
		write("cut.db", []byte("SQLite format 3\x00 and then nothing more of it, not even a page")): pointers.ErrCorrupt,
	} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(path, sqlite.Options{})
		if err == nil {
			db.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", filepath.Base(path), err, want)
		}
		if after, err := os.ReadFile(path); err != nil || want == pointers.ErrCorrupt && !bytes.Equal(after, before) {
			t.Errorf("%s was changed: %v", filepath.Base(path), err)
		}
	}
}

func TestOpenCreates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "odd ?name=%20#é.db")
	db := open(t, path)
	id := fill(t, db, 3)
	closeDB(t, db)
	if got := folder(t, dir); !slices.Equal(got, []string{filepath.Base(path)}) {
		t.Errorf("after closing the folder holds %q", got)
	}
	db = open(t, path)
	if _, err := db.Warehouse(id).Object(context.Background(), tableName(2)); err != nil {
		t.Error(err)
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fill(t, open(t, empty), 1)
	if _, err := sqlite.Open(filepath.Join(dir, "no", "such", "folder.db"), sqlite.Options{}); err == nil {
		t.Error("a file was opened in a folder that is not there")
	}
}

// Who deletes the file and forgets its log gets an empty store, not half of the
// old one.
func TestOpenWithoutTheFileOfALog(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from.db")
	db := open(t, from)
	id := fill(t, db, 10)
	log, err := os.ReadFile(from + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("a log of %d bytes, %v", len(log), err)
	}
	path := filepath.Join(dir, "puddle.db")
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	cursor, err := open(t, path).Warehouse(id).Cursor(context.Background())
	if err != nil || !cursor.IsZero() {
		t.Errorf("the new store stands at %v, %v", cursor, err)
	}
}

// Damage that opening does not read is found by the calls that do.
func TestCorruptLater(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "puddle.db")
	db := open(t, path)
	id := fill(t, db, 2_000)
	if err := db.Check(ctx); err != nil {
		t.Error(err)
	}
	closeDB(t, db)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	if len(data) < 100*page {
		t.Fatalf("only %d bytes", len(data))
	}
	for i := 20 * page; i < len(data); i++ { // the first pages hold the schema
		data[i] = 0xa5
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	// A file that was not closed is read when it is opened.
	if err := os.WriteFile(path+"-wal", []byte("left behind"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(path, sqlite.Options{}); !errors.Is(err, pointers.ErrCorrupt) {
		t.Errorf("open what was not closed: %v", err)
	}
	if err := os.Remove(path + "-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	looked, err := sqlite.OpenReadOnly(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(looked.Check(ctx), looked.Close()); !errors.Is(err, pointers.ErrCorrupt) {
		t.Errorf("check: %v", err)
	}
	db = open(t, path)
	w := db.Warehouse(id)
	if _, err := w.Dump(ctx); !errors.Is(err, pointers.ErrCorrupt) {
		t.Errorf("dump: %v", err)
	}
	if err := w.Reset(ctx); !errors.Is(err, pointers.ErrCorrupt) {
		t.Errorf("reset: %v", err)
	}
	if !db.Damaged() {
		t.Error("the store has forgotten the damage")
	}
	closeDB(t, db)

	at := time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC)
	aside, err := sqlite.SetAside(path, at)
	if err != nil || aside != path+".broken-20260203T040506.789Z" {
		t.Fatalf("set aside as %q: %v", aside, err)
	}
	kept, err := os.ReadFile(aside)
	if err != nil || !bytes.Equal(kept[20*page:], data[20*page:]) {
		t.Errorf("what was set aside is not what was there: %v", err)
	}
	fill(t, open(t, path), 1)
}

func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "puddle.db")
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone("two hours ahead", 7200))
	if _, err := sqlite.SetAside(path, at); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.WriteFile(path+suffix, []byte("old"+suffix), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	aside, err := sqlite.SetAside(path, at)
	if err != nil {
		t.Fatal(err)
	}
	base := "puddle.db.broken-20260203T020506.000Z"
	if got, want := folder(t, dir), []string{base, base + "-shm", base + "-wal"}; !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if data, err := os.ReadFile(aside + suffix); err != nil || string(data) != "old"+suffix {
			t.Errorf("%q holds %q, %v", suffix, data, err)
		}
	}
	if err := os.WriteFile(path, []byte("newer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.SetAside(path, at); !errors.Is(err, os.ErrExist) {
		t.Errorf("onto what was set aside before: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "newer" {
		t.Errorf("after a refusal the file holds %q, %v", data, err)
	}
}

func TestClosed(t *testing.T) {
	ctx := context.Background()
	db := open(t, filepath.Join(t.TempDir(), "puddle.db"))
	w := db.Warehouse(fill(t, db, 1))
	closeDB(t, db)
	closeDB(t, db)
	_, begin := db.Begin(ctx)
	_, cursor := w.Cursor(ctx)
	for what, err := range map[string]error{"begin": begin, "cursor": cursor, "apply": w.Apply(ctx), "reset": w.Reset(ctx)} {
		if !errors.Is(err, pointers.ErrClosed) {
			t.Errorf("%s after close: %v", what, err)
		}
	}
}

// The log is moved into the file while commits go on, and begins anew.
func TestLogBeginsAnew(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "puddle.db")
	const limit = 64 << 10
	var checkpoints atomic.Int64
	db, err := sqlite.Open(path, sqlite.Options{CheckpointBytes: limit, OnCheckpoint: func(took time.Duration) {
		if took <= 0 {
			t.Errorf("a checkpoint took %s", took)
		}
		checkpoints.Add(1)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	size := func() int64 {
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	story := journaltest.NewStory(uuid.New())
	chain := journal.NewChain(story.Warehouse, journaltest.Incarnation(story.Warehouse), 0)
	commits, times, last := 0, 0, size()
	for ; times < 2 && commits < 100_000; commits++ {
		story.CreateNamespace(journal.Namespace{fmt.Sprint(commits)}, nil)
		tell(t, db, story, &chain, 1)
		now := size()
		if now < last && last > limit {
			times++
		}
		last = now
	}
	if checkpoints.Load() == 0 {
		t.Error("no checkpoint is told")
	}
	if times < 2 {
		t.Errorf("the log grew to %d bytes in %d commits and began anew %d times", last, commits, times)
	}
	got, err := db.Warehouse(story.Warehouse).Children(ctx, nil, projections.Page{})
	if err != nil || len(got) != commits {
		t.Errorf("%d namespaces after %d commits, %v", len(got), commits, err)
	}
}

// More calls than readers take turns, and one that gives up waiting says so.
func TestReadersTakeTurns(t *testing.T) {
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "puddle.db"), sqlite.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := db.Warehouse(fill(t, db, 50))
	errs := make(chan error)
	for i := range 50 {
		go func() {
			o, err := w.Object(context.Background(), tableName(i))
			if err == nil && o.Identifier.Name != tableName(i).Name {
				err = fmt.Errorf("got %v", o)
			}
			errs <- err
		}()
	}
	for range 50 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
