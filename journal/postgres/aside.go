package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrMayNot: the role may not do that; an owner of the database can, or let it.
var ErrMayNot = errors.New("the role may not do that")

// Made tells whether the schema of the options holds a journal's tables, and makes none.
func Made(ctx context.Context, o Options) (made bool, err error) {
	c, err := o.config()
	if err != nil {
		return false, err
	}
	session, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	err = session.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, inSchema(o.Schema, "heads")).Scan(&made)
	return made, err
}

// Discard drops another schema of the database with all that is in it, if it is there.
func (db *DB) Discard(ctx context.Context, schema string) error {
	_, err := db.pool.Exec(ctx, `DROP SCHEMA IF EXISTS `+quote(schema)+` CASCADE`)
	return MayNot(err)
}

// Supersede puts another schema of the database in the place of this one, which from
// then on is called aside: both or neither. It waits for those who are writing. Whoever
// has the journal open finds the other tables, as this DB does, which forgets what it has
// seen of these. ErrMayNot where the role may not rename them; nothing was done then.
func (db *DB) Supersede(ctx context.Context, by, aside string) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		for _, statement := range []string{
			`LOCK TABLE ` + inSchema(db.options.Schema, "heads") + ` IN ACCESS EXCLUSIVE MODE`,
			`ALTER SCHEMA ` + quote(db.options.Schema) + ` RENAME TO ` + quote(aside),
			`ALTER SCHEMA ` + quote(by) + ` RENAME TO ` + quote(db.options.Schema),
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return MayNot(err)
	}
	db.pool.Reset() // what was prepared was of the other tables
	db.floors.mu.Lock()
	defer db.floors.mu.Unlock()
	db.floors.of = map[uuid.UUID]floor{}
	return nil
}

// MayNot is an error of the server, and ErrMayNot where it is one for want of rights.
func MayNot(err error) error {
	const insufficientPrivilege = "42501"
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok && failed.Code == insufficientPrivilege && !errors.Is(err, ErrMayNot) {
		return fmt.Errorf("%w: %w", ErrMayNot, err)
	}
	return err
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func inSchema(schema, table string) string { return pgx.Identifier{schema, table}.Sanitize() }
