package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
	journalpg "puddle/journal/postgres"
	"puddle/projections/pointers"
)

// Schema is the version of the pointer tables that this build makes and uses.
const Schema = 1

//go:embed schema.sql
var schema string

const (
	findVersion = `SELECT to_regclass('pointers') IS NOT NULL`
	readVersion = `SELECT version FROM pointers`
	// Of this version; a newer one may have others.
	findTables = `SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest($1::text[]) AS name`
	// Whoever uses the tables looks at the version first, so that this waits for
	// all of them, and those that come later find the new one.
	barVersion = `LOCK TABLE pointers IN ACCESS EXCLUSIVE MODE`
	// Those of all versions that ever were.
	dropTables = `DROP TABLE IF EXISTS pointers, cursor, namespaces, objects, places, purges, history, names`
	makeTables = `CREATE TABLE pointers (version integer NOT NULL)`
	setVersion = `INSERT INTO pointers (version) VALUES ($1)`
)

// prepare makes the tables where they are not this build's. One of many that do so
// at once does, and the others wait.
func (s *Store) prepare(ctx context.Context) error {
	version, err := s.version(ctx)
	if err != nil || version == s.schema {
		return err
	}
	tx, err := s.db.Begin(ctx)
	if errors.Is(err, journalpg.ErrReadOnly) {
		return errors.Join(s.checkSchema(version), err)
	}
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	if err := s.remake(ctx, tx.Conn()); err != nil {
		return fmt.Errorf("make the pointer tables: %w", err)
	}
	return tx.Commit(ctx)
}

// version is that of the tables; 0 where there are none, or not all of them, and ErrSchema
// when it is newer than this build's.
func (s *Store) version(ctx context.Context) (version int, err error) {
	err = s.db.Read(ctx, func(conn *pgx.Conn) error {
		version, err = s.versionOf(ctx, conn)
		return err
	})
	if err == nil && version > s.schema {
		err = s.checkSchema(version)
	}
	return version, err
}

type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *Store) versionOf(ctx context.Context, on queryer) (version int, err error) {
	var there bool
	if err := on.QueryRow(ctx, findVersion).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = on.QueryRow(ctx, readVersion).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil || version != s.schema {
		return version, err
	}
	if err = on.QueryRow(ctx, findTables, tables).Scan(&there); err != nil || !there {
		return 0, err
	}
	return version, nil
}

// remake drops what is older and makes empty tables, unless somebody did meanwhile.
func (s *Store) remake(ctx context.Context, tx pgx.Tx) error {
	for _, sql := range []string{
		`SET LOCAL lock_timeout = 0`, // the others' may take as long as they want
		`SET LOCAL statement_timeout = 0`,
		`SELECT pg_advisory_xact_lock(hashtextextended('puddle: pointers ' || current_schema(), 0))`,
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	version, err := s.versionOf(ctx, tx)
	switch {
	case err != nil || version == s.schema:
		return err
	case version > s.schema:
		return s.checkSchema(version)
	}
	statements := []string{dropTables, makeTables, schema}
	if version > 0 {
		statements = append([]string{barVersion}, statements...)
	}
	for _, sql := range statements {
		if _, err := tx.Conn().PgConn().Exec(ctx, sql).ReadAll(); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, setVersion, s.schema)
	return err
}

// checkSchema refuses tables of another version than this build's.
func (s *Store) checkSchema(version int) error {
	switch {
	case version > s.schema:
		return fmt.Errorf("%w: they are of a newer build: they have version %d, this one knows %d: %w", pointers.ErrSchema, version, s.schema, journal.ErrFormat)
	case version < s.schema:
		return fmt.Errorf("%w: they have version %d, this build needs %d", pointers.ErrSchema, version, s.schema)
	}
	return nil
}
