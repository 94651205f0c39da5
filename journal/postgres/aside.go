package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	// ErrMayNot: the role may not do that; an owner of the database can, or let it.
	ErrMayNot = errors.New("the role may not do that")
	// ErrTaken: a schema of that name is there, and what it holds may be somebody's.
	ErrTaken = errors.New("the database has a schema of that name already")
)

// unfinished is the comment of a schema that nothing but a copy is in yet.
const unfinished = "puddle: a copy of a journal that is not finished; it may be dropped"

// Made tells whether the schema of the options holds a journal's tables, and makes none.
// ErrAway, ErrBusy, ErrNotLetIn.
func Made(ctx context.Context, o Options) (made bool, err error) {
	c, err := o.config(&moves{})
	if err != nil {
		return false, err
	}
	session, err := pgx.ConnectConfig(ctx, c.ConnConfig)
	if err != nil {
		return false, new(DB).said(ctx, err)
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	err = session.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, inSchema(o.Schema, "heads")).Scan(&made)
	return made, err
}

// MakeBeside makes another schema of the database, empty, for what is to Supersede this
// one. What an earlier MakeBeside has left there goes. ErrTaken: something else is there;
// ErrAlien: this one could not be superseded. Nothing was done then.
func (db *DB) MakeBeside(ctx context.Context, schema string) error {
	return MayNot(pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if err := alienTo(ctx, tx, db.options.Schema, slices.Concat(own, derived)); err != nil {
			return err
		}
		var left bool
		err := tx.QueryRow(ctx, `SELECT coalesce(obj_description(oid, 'pg_namespace') = $2, false) FROM pg_namespace WHERE nspname = $1`,
			schema, unfinished).Scan(&left)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case !left:
			return fmt.Errorf("%w: %s", ErrTaken, schema)
		}
		for _, statement := range []string{
			`DROP SCHEMA IF EXISTS ` + quote(schema) + ` CASCADE`,
			`CREATE SCHEMA ` + quote(schema),
			`COMMENT ON SCHEMA ` + quote(schema) + ` IS '` + unfinished + `'`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Supersede puts another schema of the database in the place of this one, which from
// then on is called aside: both or neither. It waits for those who are writing. Whoever
// has the journal open finds the other tables, as this DB does, which forgets what it has
// seen of these. journal.ErrLocked where it was Alone and is not any more, ErrAlien where
// others have relations in it, ErrMayNot where the role may not rename it; nothing was done then.
func (db *DB) Supersede(ctx context.Context, by, aside string) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE `+inSchema(db.options.Schema, "heads")+` IN ACCESS EXCLUSIVE MODE`); err != nil {
			return err
		}
		if err := db.stillAlone(ctx, tx); err != nil {
			return err
		}
		if err := alienTo(ctx, tx, db.options.Schema, slices.Concat(own, derived)); err != nil {
			return err
		}
		for _, statement := range []string{
			`ALTER SCHEMA ` + quote(db.options.Schema) + ` RENAME TO ` + quote(aside),
			`ALTER SCHEMA ` + quote(by) + ` RENAME TO ` + quote(db.options.Schema),
			`COMMENT ON SCHEMA ` + quote(db.options.Schema) + ` IS NULL`,
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
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok && failed.Code == insufficientPrivilege && !errors.Is(err, ErrMayNot) {
		return fmt.Errorf("%w: %w", ErrMayNot, err)
	}
	return err
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func inSchema(schema, table string) string { return pgx.Identifier{schema, table}.Sanitize() }
