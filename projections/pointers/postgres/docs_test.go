package postgres_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"puddle/internal/postgrestest"
)

// docs/formats/postgresql.md names every column of the pointer tables, in their order and
// no others.
func TestDocsNameEveryColumn(t *testing.T) {
	page, err := os.ReadFile("../../../docs/formats/postgresql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n# The pointer tables in PostgreSQL\n")
	if !found {
		t.Fatal("the page has no section about pointer tables")
	}
	documented, table := map[string][]string{}, ""
	for _, row := range regexp.MustCompile("(?m)^\\| (`\\w+`)? ?\\| (`.*?`) \\|").FindAllStringSubmatch(section, -1) {
		if row[1] != "" {
			table = strings.Trim(row[1], "`")
		}
		for _, column := range strings.Split(row[2], ", ") {
			documented[table] = append(documented[table], strings.Trim(column, "`"))
		}
	}
	r := start(t, postgrestest.Open(t))
	rows, _ := r.journal.Pool().Query(t.Context(), `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name = ANY($1) ORDER BY table_name, ordinal_position`,
		[]string{"pointers", "cursor", "namespaces", "objects", "places", "purges", "history", "names"})
	columns := map[string][]string{}
	var column string
	if _, err := pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		columns[table] = append(columns[table], column)
		return nil
	}); err != nil || len(columns) != 8 {
		t.Fatalf("%d tables, %v", len(columns), err)
	}
	for table, want := range columns {
		if !slices.Equal(documented[table], want) {
			t.Errorf("%s: the page names %q, the schema has %q", table, documented[table], want)
		}
	}
	if len(documented) != len(columns) {
		t.Errorf("the page has %d tables, the schema %d", len(documented), len(columns))
	}
}
