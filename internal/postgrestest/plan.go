package postgrestest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Plan is that of a statement, which is prepared in a session under a name, for whatever
// arguments: a line a step.
func Plan(tb testing.TB, session *pgx.Conn, name, statement string) []string {
	tb.Helper()
	var nulls []string
	for strings.Contains(statement, fmt.Sprint("$", len(nulls)+1)) {
		nulls = append(nulls, "NULL")
	}
	ask := `EXPLAIN EXECUTE ` + pgx.Identifier{name}.Sanitize()
	if len(nulls) > 0 {
		ask += "(" + strings.Join(nulls, ", ") + ")"
	}
	rows, _ := session.Query(context.Background(), ask, pgx.QueryExecModeSimpleProtocol)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
	return lines
}
