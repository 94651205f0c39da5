package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/pointers"
)

// Law 1, in part: whatever happened, what the events did is what is compared.
func TestLawCompareFindsNothing(t *testing.T) {
	ctx := context.Background()
	db := openAt(t, filepath.Join(t.TempDir(), "puddle.db"), "one")
	rapid.Check(t, func(rt *rapid.T) {
		id := uuid.New()
		j := journal.NewMemory()
		journaltest.Append(t, j, journaltest.Entries(t, journaltest.Draw(rt, id), journaltest.Start))
		to := journal.Seq(rapid.IntRange(1, 40).Draw(rt, "to"))
		if err := projections.CatchUp(ctx, j.Warehouse(id), to, db.Warehouse(id)); err != nil {
			t.Fatal(err)
		}
		if err := db.Compare(ctx, id, j.Warehouse(id)); err != nil {
			rt.Fatal(err)
		}
	})
}

// Each kind of row that a lost write leaves behind its journal is noticed.
func TestCompareFindsLostRows(t *testing.T) {
	id := uuid.New()
	s := journaltest.NewStory(id)
	s.CreateNamespace(journal.Namespace{"ns"}, map[string]string{"k": "v"})
	s.CreateNamespace(journal.Namespace{"gone"}, nil)
	s.UpdateNamespace(journal.Namespace{"ns"}, []string{"m"}, map[string]string{"k": "w", "l": "x"})
	s.DropNamespace(journal.Namespace{"gone"})
	for i := range 4 {
		s.CreateTable(tableName(i))
	}
	s.Commit(tableName(0))
	s.Drop(tableName(1), false)
	s.Drop(tableName(2), true)
	j := journal.NewMemory()
	journaltest.Append(t, j, journaltest.Entries(t, s.Drafts, journaltest.Start))
	wantDamageFound(t, id, j.Warehouse(id),
		`UPDATE warehouses SET name = 'another'`,
		`UPDATE namespaces SET properties = CAST('{"k":"v"}' AS BLOB)`,
		`UPDATE namespaces SET properties = CAST('{"k":"w","l":"x","m":"y"}' AS BLOB)`,
		`DELETE FROM namespaces`,
		`UPDATE namespaces SET id = zeroblob(16)`,
		`UPDATE objects SET held = (SELECT held FROM objects WHERE state = 'dropped') WHERE state = 'live'`,
		`UPDATE objects SET step = step - 1`,
		`UPDATE objects SET state = 'live' WHERE state = 'dropped'`,
		`DELETE FROM objects WHERE state = 'dropped'`,
		`DELETE FROM objects WHERE state = 'live'`,
		`DELETE FROM places`,
		`UPDATE places SET uuid = zeroblob(16)`,
		`UPDATE objects SET held = substr(held, 1, length(held) - 1)`,
		`DELETE FROM purges`,
		`UPDATE purges SET state = 'done'`,
		`DELETE FROM history`,
		`UPDATE history SET what = CAST(replace(CAST(what AS TEXT), 'token:', 'tokem:') AS BLOB)`,
		`UPDATE history SET object = object + 1`,
		`UPDATE history SET before = before - 1 WHERE before > 0`,
		`DELETE FROM made`,
		`UPDATE made SET file = file + 2`,
		`DELETE FROM names`,
		`UPDATE names SET uuid = zeroblob(16)`,
	)
}

// wantDamageFound compares tables with the journal that they follow: as they are, and after
// each of some statements.
func wantDamageFound(t *testing.T, id uuid.UUID, from journal.Reader, damages ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "puddle.db")
	db := openAt(t, path, "one")
	if err := projections.CatchUp(t.Context(), from, 0, db.Warehouse(id)); err != nil {
		t.Fatal(err)
	}
	if err := db.Compare(t.Context(), id, from); err != nil {
		t.Fatal(err)
	}
	for _, damage := range damages {
		left := copyLive(t, path)
		alter(t, left, damage)
		if err := openAt(t, left, "one").Compare(t.Context(), id, from); !errors.Is(err, pointers.ErrCorrupt) {
			t.Errorf("%s: %v", damage, err)
		}
	}
}

func alter(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// BenchmarkCompare is what a start pays after a process was killed: the last
// 10,000 events of 20,000, each of another table.
func BenchmarkCompare(b *testing.B) {
	j, id := told(b, 20_000)
	db := openAt(b, filepath.Join(b.TempDir(), "puddle.db"), "one")
	if err := projections.CatchUp(b.Context(), j, 0, db.Warehouse(id)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := db.Compare(b.Context(), id, j); err != nil {
			b.Fatal(err)
		}
	}
}
