package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	journalpg "puddle/journal/postgres"
)

// tables are those of this build's schema.
var tables = []string{"pointers", "cursor", "namespaces", "objects", "places", "purges", "history", "names"}

// SetAside moves the tables to another schema of the database, which holds a journal, be it
// an empty one, and makes empty ones in their place: both or neither. Nobody else uses them
// meanwhile.
func (s *Store) SetAside(ctx context.Context, schema string) error {
	tx, err := s.db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	for _, table := range tables {
		sql := `ALTER TABLE ` + pgx.Identifier{table}.Sanitize() + ` SET SCHEMA ` + pgx.Identifier{schema}.Sanitize()
		if _, err := tx.Conn().Exec(ctx, sql); err != nil {
			return fmt.Errorf("move the pointer tables to %s: %w", schema, journalpg.MayNot(err))
		}
	}
	if err := s.remake(ctx, tx.Conn()); err != nil {
		return fmt.Errorf("make the pointer tables: %w", err)
	}
	return tx.Commit(ctx)
}

// Asides are the schemas of the database whose names begin with a prefix and that hold
// pointer tables, the last by name first.
func Asides(ctx context.Context, db *journalpg.DB, prefix string) (schemas []string, err error) {
	err = db.Read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, `SELECT nspname FROM pg_namespace n WHERE starts_with(nspname, $1)
			AND EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'pointers') ORDER BY nspname COLLATE "C" DESC`, prefix)
		schemas, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return schemas, err
}
