package postgres_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// grows are tables in which a history has more and more rows.
const grows = `(events|documents|requests)`

var (
	namesRows = regexp.MustCompile(`\b` + grows + `\b`)
	scans     = regexp.MustCompile(`Scan (Backward )?(using \S+ )?on (\w+)`)
	// A condition of no more than which history it is.
	ofHistory = regexp.MustCompile(`^Index Cond: \(*(\w+\.)?warehouse = [^ ()]+\)*( AND \(*(\w+\.)?incarnation = [^ ()]+\)*)?$`)
	// What reads the one row at an end of a history may name no more.
	oneRow = regexp.MustCompile(`^WITH RECURSIVE`)
)

// TestPlans: nothing costs more when the history is longer: every statement of appends,
// readers and audits finds its rows by more than their history.
func TestPlans(t *testing.T) {
	url := postgrestest.Open(t)
	db := openWith(t, postgres.Options{URL: url, Unsafe: true, MaxConnections: 1})
	fill(t, db)
	exec(t, url, "ANALYZE")
	db.Pool().Reset()
	journaltest.Append(t, db, []journal.Entry{after(t, db, draft(lake))})
	if err := errors.Join(readAll(t, db), db.CheckEnds(t.Context())); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Audit(t.Context(), lake, func(journal.Flaw) {}); err != nil || all.Requests != ask[int64](t, url, "SELECT count(*) FROM requests") {
		t.Fatalf("%d requests, %v", all.Requests, err)
	}
	seen := 0
	err := db.Read(t.Context(), func(conn *pgx.Conn) error {
		rows, _ := conn.Query(t.Context(), `SELECT name, statement FROM pg_prepared_statements`, pgx.QueryExecModeSimpleProtocol)
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Name, Statement string }])
		for _, p := range all {
			if !namesRows.MatchString(p.Statement) || oneRow.MatchString(p.Statement) {
				continue
			}
			seen++
			table, back := "", false
			for _, line := range postgrestest.Plan(t, conn, p.Name, p.Statement) {
				line = strings.TrimSpace(line)
				if scan := scans.FindStringSubmatch(line); scan != nil {
					table, back = scan[3], scan[1] != ""
				}
				if namesRows.MatchString(table) && !back && (ofHistory.MatchString(line) || strings.Contains(line, "Seq Scan")) {
					t.Errorf("%s\n\t%s: %s", p.Statement, table, line)
				}
			}
		}
		return err
	})
	if err != nil || seen < 12 {
		t.Errorf("%d statements were looked at, %v", seen, err)
	}
}

// fill makes a history that has some of everything.
func fill(t *testing.T, db *postgres.DB) {
	t.Helper()
	story := journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"n"}, nil)
	for i := range 1500 {
		story.CreateTable(journal.Identifier{Namespace: journal.Namespace{"n"}, Name: fmt.Sprint(i)})
		d := &story.Drafts[len(story.Drafts)-1]
		d.Request = &journal.Request{
			Actor: d.Cause.Actor, Key: uuid.NewString(), Route: "POST /", Body: journal.Sum(nil), Until: journaltest.Start.Add(1000 * time.Hour),
		}
		d.Cause.Key = d.Request.Key
	}
	for group := range slices.Chunk(journaltest.Entries(t, story.Drafts, journaltest.Start), 500) {
		journaltest.Append(t, db, group)
	}
}

// readAll asks a reader everything.
func readAll(t *testing.T, db *postgres.DB) error {
	r := db.Warehouse(lake)
	all := slices.Collect(func(yield func(journal.Event) bool) {
		for e := range r.ScanBack(t.Context(), 0) {
			if !yield(e) {
				return
			}
		}
	})
	for _, err := range r.(journal.Entries).Entries(t.Context(), 0) {
		if err != nil {
			return err
		}
	}
	if _, _, err := r.Find(t.Context(), all[0].ID); err != nil {
		return err
	}
	if _, _, err := r.Answered(t.Context(), journal.Anonymous, "key", time.Now()); err != nil {
		return err
	}
	_, err := db.Incarnations(t.Context(), lake)
	return err
}
