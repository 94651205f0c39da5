package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/formats/sql.md has a section for every table, and names its columns, in
// their order and no others.
func TestDocsNameEveryColumn(t *testing.T) {
	page, err := os.ReadFile("../../../docs/formats/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for _, section := range strings.Split(string(page), "\n## `")[1:] {
		table, body, _ := strings.Cut(section, "`")
		body, _, _ = strings.Cut(body, "\n## ")
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(body, -1) {
			for _, column := range strings.Split(row[1], ", ") {
				documented[table] = append(documented[table], strings.Trim(column, "`"))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "puddle.db")
	closeDB(t, open(t, path))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		columns[table] = append(columns[table], column)
	}
	if err := rows.Err(); err != nil || len(columns) == 0 {
		t.Fatalf("%d tables, %v", len(columns), err)
	}
	for table, want := range columns {
		if !slices.Equal(documented[table], want) {
			t.Errorf("%s: the page names %q, the file has %q", table, documented[table], want)
		}
	}
	if len(documented) != len(columns) {
		t.Errorf("the page has %d tables, the file %d", len(documented), len(columns))
	}
}
