package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"puddle/journal"
)

// Format is the version of the tables that this build makes and uses: the number of
// its last migration.
const Format = 2

// versionTable is where goose keeps which migrations were run.
const versionTable = "migrations"

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables of a schema to Format. One of many that do so at once
// does, and the others wait: goose's own lock comes after its first table.
func (db *DB) migrate(ctx context.Context, c *pgx.ConnConfig) (err error) {
	schema := db.options.Schema
	c = c.Copy()
	c.RuntimeParams["lock_timeout"] = "0" // the others' migrations may take as long as they want
	session, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }() // which gives the lock back
	if _, err := session.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('puddle: migrate ' || $1::text, 0))`, schema); err != nil {
		return err
	}
	if err := makeSchema(ctx, session, schema); err != nil {
		return err
	}
	there, err := runMigrations(ctx, c)
	if err != nil {
		return fmt.Errorf("migrate the schema %s: %w", schema, err)
	}
	return db.knows(there)
}

// checkTables refuses a schema that holds no journal, or that of a newer build.
func (db *DB) checkTables(ctx context.Context) error {
	var made bool
	there := int64(0)
	err := db.Read(ctx, func(conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, inSchema(db.options.Schema, versionTable)).Scan(&made); err != nil || !made {
			return err
		}
		return conn.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versionTable+` WHERE is_applied`).Scan(&there)
	})
	switch {
	case err != nil:
		return err
	case there == 0:
		return fmt.Errorf("%w: the schema %s holds no journal", journal.ErrFormat, db.options.Schema)
	}
	return db.knows(there)
}

// knows refuses tables of a newer build.
func (db *DB) knows(there int64) error {
	if there > Format {
		return fmt.Errorf("%w: the schema %s has the version %d, this build knows %d", journal.ErrFormat, db.options.Schema, there, Format)
	}
	return nil
}

// makeSchema makes a schema that is not there. Who may not make one may use it.
func makeSchema(ctx context.Context, session *pgx.Conn, schema string) error {
	var usable bool
	var role string
	err := session.QueryRow(ctx, `SELECT has_schema_privilege(oid, 'USAGE'), current_user FROM pg_namespace WHERE nspname = $1`, schema).Scan(&usable, &role)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		_, err = session.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{schema}.Sanitize())
		return err
	case err == nil && !usable:
		return fmt.Errorf("the role %s may not use the schema %s", role, schema)
	}
	return err
}

// runMigrations runs those that are missing, and answers the version that is there then.
func runMigrations(ctx context.Context, c *pgx.ConnConfig) (there int64, err error) {
	db := stdlib.OpenDB(*c)
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return 0, err
	}
	if _, err := provider.Up(ctx); err != nil {
		return 0, err
	}
	return provider.GetDBVersion(ctx)
}
