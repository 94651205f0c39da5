package postgres_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

var (
	// An index that finds rows by no more than their warehouse, or none.
	walk = regexp.MustCompile(`Seq Scan on (cursor|namespaces|objects|places|purges|history|names)|Index Cond: \(\(?warehouse = \$1\)?\)$`)
	// What forgets a warehouse, or reads its one row, may.
	whole = regexp.MustCompile(`^DELETE FROM \w+ WHERE warehouse = \$1$|^UPDATE objects SET state = 3|^(SELECT|UPDATE|INSERT INTO)[^()]* cursor\b[^()]*$`)
	ours  = regexp.MustCompile(`\b(cursor|namespaces|objects|places|purges|history|names)\b`)
)

// Nothing costs more when there are more objects: every statement of turns and reads looks
// rows up by more than their warehouse.
func TestPlans(t *testing.T) {
	r := start(t, postgrestest.Open(t))
	story := use(t, r)
	if err := r.store.Analyze(); err != nil {
		t.Fatal(err)
	}
	askAll(t, r.store.Warehouse(story.Warehouse), story)
	crowd(t, r, []uuid.UUID{story.Warehouse}, []journal.Identifier{tableName(0)}, func() {})
	seen := map[string]bool{}
	for _, pooled := range r.journal.Pool().AcquireAllIdle(t.Context()) {
		for name, statement := range prepared(t, pooled.Conn()) {
			if seen[statement] || !ours.MatchString(statement) || whole.MatchString(statement) || strings.Contains(statement, "FROM events") {
				continue
			}
			seen[statement] = true
			for _, line := range plan(t, pooled.Conn(), name, statement) {
				if walk.MatchString(strings.TrimSpace(line)) && !strings.Contains(line, "cursor") {
					t.Errorf("%s\n\t%s", statement, line)
				}
			}
		}
		pooled.Release()
	}
	if len(seen) < 30 {
		t.Errorf("only %d statements were looked at", len(seen))
	}
}

func prepared(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	rows, _ := conn.Query(context.Background(), `SELECT name, statement FROM pg_prepared_statements`)
	statements := map[string]string{}
	var name, statement string
	if _, err := pgx.ForEachRow(rows, []any{&name, &statement}, func() error {
		statements[name] = statement
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return statements
}

// plan is that of a statement, with the cursor told.
func plan(t *testing.T, conn *pgx.Conn, name, statement string) []string {
	t.Helper()
	lines := postgrestest.Plan(t, conn, name, statement)
	// The cursor has one row a warehouse, wherever it is joined.
	for i := range lines {
		if i > 0 && strings.Contains(lines[i-1], " on cursor") {
			lines[i] = "(cursor) " + lines[i]
		}
	}
	return lines
}

// use runs every statement of turns, some of them often enough for tables that are not
// empty.
func use(t *testing.T, r replica) *journaltest.Story {
	t.Helper()
	story := journaltest.NewStory(uuid.New())
	r.bear(t, story)
	in, id := journal.Namespace{"a"}, journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "t"}
	story.CreateNamespace(in, nil)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range 300 {
		story.CreateTable(tableName(i))
		story.CreateNamespace(journal.Namespace{"ns", fmt.Sprint(i)}, nil)
	}
	for i := range 100 {
		story.Drop(tableName(100+i), true)
	}
	r.tell(t, story, 512)
	story.UpdateNamespace(in, nil, map[string]string{"k": "v"})
	story.CreateTable(id)
	for range 10 { // some of them move
		story.Commit(id)
	}
	table := story.Objects[id.Key()].UUID
	story.Drop(id, true)
	story.Undrop(table, id)
	story.Drop(id, true)
	story.Purge(table)
	story.DropNamespace(in)
	for len(story.Drafts) > 0 { // one is not foreseen
		n := min(4, len(story.Drafts))
		r.turn(t, story.Warehouse, story.Drafts[:n], story.Drafts[:n-1])
		story.Drafts = story.Drafts[n:]
	}
	return story
}

// askAll asks everything.
func askAll(t *testing.T, w projections.Warehouse, story *journaltest.Story) {
	t.Helper()
	ctx := context.Background()
	id := tableName(7)
	table := story.Objects[id.Key()].UUID
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	_, err := w.Namespace(ctx, id.Namespace)
	check(err)
	_, err = w.Children(ctx, id.Namespace, projections.Page{})
	check(err)
	_, err = w.Objects(ctx, id.Namespace, journal.Table, projections.Page{})
	check(err)
	_, err = w.Object(ctx, id)
	check(err)
	_, err = w.Places(ctx, table)
	check(err)
	_, _, err = w.PlaceHolder(ctx, "/w/t/f", uuid.Nil)
	check(err)
	_, err = w.Steps(ctx, table)
	check(err)
	_, _, err = w.LastStep(ctx, table)
	check(err)
	_, err = w.Created(ctx, table, "")
	check(err)
	_, err = w.Holders(ctx, id)
	check(err)
	_, _, err = w.Purge(ctx, table)
	check(err)
	_, err = w.Purges(ctx, 0, 10)
	check(err)
}
