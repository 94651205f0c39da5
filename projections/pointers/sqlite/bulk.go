package sqlite

import "strings"

// bulkRows is how many rows of a load share a statement. Each statement costs about
// a microsecond beside its rows.
const bulkRows = 32

// bulk inserts many rows into a table, in the order in which they are added.
type bulk struct {
	*session
	columns   int
	one, many string // the statements for a row, and for bulkRows
	values    []any
}

func newBulk(s *session, into string, columns int) *bulk {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", columns), ", ") + ")"
	return &bulk{
		session: s, columns: columns, one: "INSERT INTO " + into + " VALUES " + row,
		many: "INSERT INTO " + into + " VALUES " + strings.TrimSuffix(strings.Repeat(row+", ", bulkRows), ", "),
	}
}

// add takes a row, whose values stay as they are until flush.
func (b *bulk) add(row ...any) error {
	if b.values = append(b.values, row...); len(b.values) < bulkRows*b.columns {
		return nil
	}
	err := b.exec(b.many, b.values...)
	b.values = b.values[:0]
	return err
}

// flush writes the rows that are left.
func (b *bulk) flush() error {
	defer func() { b.values = b.values[:0] }()
	for i := 0; i < len(b.values); i += b.columns {
		if err := b.exec(b.one, b.values[i:i+b.columns]...); err != nil {
			return err
		}
	}
	return nil
}
