package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
)

// Nothing costs more when there are more objects: every statement of events and
// reads looks rows up by more than their warehouse. What reads or forgets a
// warehouse as a whole may walk it.
func TestPlans(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "puddle.db"), Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	use(t, db)
	reader := <-db.readers
	defer func() { db.readers <- reader }()

	walk := regexp.MustCompile(`SCAN (warehouses|cursor|namespaces|objects|places|purges|history|made|names)|\(warehouse=\?\)$`)
	checked := 0
	for _, s := range []*session{db.writer, reader} {
		for query := range s.prepared {
			if !regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE)`).MatchString(query) || isWhole(query) {
				continue
			}
			checked++
			for _, line := range plan(t, s, query) {
				if walk.MatchString(line) {
					t.Errorf("%s\n\t%s", query, line)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d statements were looked at", checked)
	}
}

// isWhole tells the statements of Begin, Reset and Dump, and the rows of which a
// warehouse has one.
func isWhole(query string) bool {
	return strings.HasSuffix(query, "WHERE warehouse = ?") && strings.HasPrefix(query, "DELETE") ||
		strings.HasPrefix(query, "UPDATE objects SET state = 'past'") ||
		regexp.MustCompile(`FROM (cursor|warehouses)( WHERE|$)`).MatchString(query)
}

func plan(t *testing.T, s *session, query string) []string {
	t.Helper()
	args := make([]any, strings.Count(query, "?"))
	for n := range args {
		if numbered := fmt.Sprint("?", n+1); strings.Contains(query, "?1") && !strings.Contains(query, numbered) {
			args = args[:n]
			break
		}
	}
	var lines []string
	err := s.each(func(rows *sql.Rows) error {
		var id, parent, unused int
		var line string
		err := rows.Scan(&id, &parent, &unused, &line)
		lines = append(lines, line)
		return err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return lines
}

// use runs every statement but those of Dump.
func use(t *testing.T, db *DB) {
	t.Helper()
	ctx := context.Background()
	story := journaltest.NewStory(uuid.New())
	in, id := journal.Namespace{"a"}, journal.Identifier{Namespace: journal.Namespace{"a"}, Name: "t"}
	story.CreateNamespace(in, nil)
	story.UpdateNamespace(in, nil, map[string]string{"k": "v"})
	story.CreateTable(id)
	story.Commit(id)
	table := story.Objects[id.Key()].UUID
	story.Drop(id, true)
	story.Undrop(table, id)
	story.Drop(id, true)
	story.Purge(table)
	story.DropNamespace(in)
	story.CreateNamespace(in, nil)
	w := db.Warehouse(story.Warehouse)
	for _, e := range journaltest.Entries(t, story.Drafts, journaltest.Start) {
		if err := w.Apply(ctx, e.Event); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Namespace(ctx, in)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	_, err = w.Children(ctx, in, projections.Page{})
	check(err)
	_, err = w.Objects(ctx, in, journal.Table, projections.Page{})
	check(err)
	_, err = w.Places(ctx, uuid.New())
	check(err)
	_, err = w.Steps(ctx, uuid.New())
	check(err)
	_, _, err = w.LastStep(ctx, uuid.New())
	check(err)
	_, err = w.Created(ctx, table, "")
	check(err)
	_, _, err = w.Purge(ctx, table)
	check(err)
	_, err = w.Purges(ctx, 0, 10)
	check(err)
	_, _, err = w.PlaceHolder(ctx, "/w/t/f", uuid.Nil)
	check(err)
	_, err = w.Holders(ctx, id)
	check(err)
	if _, err := w.Object(ctx, id); err != projections.ErrNoObject {
		t.Fatal(err)
	}
}
