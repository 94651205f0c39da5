package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// Standing is what a database has for who would append to it.
type Standing struct {
	Role, Database string
	Version        int64         // of the tables; 0: there is no journal yet
	Heads          journal.Heads // none where there is no journal
}

// Look asks a database whether it would let this process append, and what it has by now. It
// makes and writes nothing. The errors of Open, and ErrMayNot where the role could not make
// a schema that is not there. What was found out beside an error is answered with it.
func Look(ctx context.Context, o Options) (found Standing, err error) {
	o.ReadOnly = false
	db, _, err := pooled(ctx, o)
	if err != nil {
		return found, err
	}
	defer db.Close()
	if err = db.checkSession(ctx); err == nil {
		err = db.Read(ctx, func(conn *pgx.Conn) error {
			return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
				return db.look(ctx, tx, &found)
			})
		})
	}
	if err != nil {
		err = fmt.Errorf("journal in PostgreSQL: %w", db.said(ctx, err))
	}
	return found, err
}

func (db *DB) look(ctx context.Context, tx pgx.Tx, found *Standing) error {
	schema := db.options.Schema
	err := tx.QueryRow(ctx, `SELECT current_user::text, current_database()::text`).Scan(&found.Role, &found.Database)
	if err != nil {
		return err
	}
	if found.Version, err = standing(ctx, tx, schema, writes...); err != nil {
		return err
	}
	if found.Version == 0 {
		if err := mayMake(ctx, tx, schema); err != nil {
			return err
		}
		return alienTo(ctx, tx, schema, slices.Concat([]string{versionTable}, derived))
	}
	if err := db.knows(found.Version); err != nil {
		return err
	}
	found.Heads = journal.Heads{}
	rows, err := tx.Query(ctx, selectHeads)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanHeads(rows, found.Heads)
}

const selectMayMake = `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), coalesce(
	(SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1),
	has_database_privilege(current_database(), 'CREATE'))`

// mayMake refuses a role that may not make a journal's tables in a schema, or not the schema.
func mayMake(ctx context.Context, session asker, schema string) error {
	var there, may bool
	err := session.QueryRow(ctx, selectMayMake, schema).Scan(&there, &may)
	switch {
	case err != nil || may:
		return err
	case there:
		return grants(ctx, session, fmt.Errorf("%w: make tables in the schema %s", ErrMayNot, schema), `ALTER SCHEMA `+quote(schema)+` OWNER TO %[2]s`)
	}
	return grants(ctx, session, fmt.Errorf("%w: make the schema %s", ErrMayNot, schema), `CREATE SCHEMA `+quote(schema)+` AUTHORIZATION %[2]s`)
}
