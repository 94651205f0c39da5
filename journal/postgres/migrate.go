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
	// The others' migrations may take as long as they want, and so may its own.
	set := db.options.settings(c.RuntimeParams).with("lock_timeout", "0").with("statement_timeout", "0")
	session, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }() // which gives the lock back
	if _, err := set.apply(ctx, session); err != nil {
		return err
	}
	if _, err := session.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('puddle: migrate ' || $1::text, 0))`, schema); err != nil {
		return err
	}
	if err := makeSchema(ctx, session, schema); err != nil {
		return err
	}
	if err := suits(ctx, session, schema); err != nil {
		return err
	}
	there, err := runMigrations(ctx, c, set)
	if err != nil {
		return grants(ctx, session, fmt.Errorf("migrate the schema %s: %w", schema, err), `ALTER SCHEMA `+quote(schema)+` OWNER TO %[2]s`)
	}
	return db.knows(there)
}

// ErrNoJournal: a schema that is to be read holds no journal, or is not there.
var ErrNoJournal = errors.New("there is no journal in the database")

// checkTables refuses a schema that holds no journal, or that of a newer build, or one that
// the role may not read.
func (db *DB) checkTables(ctx context.Context) error {
	there := int64(0)
	err := db.Read(ctx, func(conn *pgx.Conn) (err error) {
		there, err = standing(ctx, conn, db.options.Schema, "SELECT")
		return err
	})
	switch {
	case err != nil:
		return err
	case there == 0:
		return fmt.Errorf("%w: the schema %s", ErrNoJournal, db.options.Schema)
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

// runMigrations runs those that are missing, and answers the version that is there then.
func runMigrations(ctx context.Context, c *pgx.ConnConfig, set settings) (there int64, err error) {
	db := stdlib.OpenDB(*c, stdlib.OptionAfterConnect(func(ctx context.Context, session *pgx.Conn) error {
		_, err := set.apply(ctx, session)
		return err
	}))
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
