package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
	"puddle/projections"
	tablespostgres "puddle/projections/pointers/postgres"
)

// maxSchema is how much of a schema's name is in the names of those beside it, which the
// server cuts at 63 bytes.
const maxSchema = 32

// beside is a name for a schema beside the catalog's.
func (x database) beside(what string) string {
	name := x.schema()
	return name[:min(len(name), maxSchema)] + "_" + what
}

// asideNow is a schema for what is put aside now.
func (x database) asideNow() string {
	at := strings.ToLower(x.at.UTC().Format("20060102T150405.000Z"))
	return x.beside("broken_" + strings.ReplaceAll(at, ".", "_"))
}

// asideName implements keeping.
func (x database) asideName() string { return "the schema " + x.beside("broken_TIME") }

// withoutDamage implements keeping.
func (x database) withoutDamage(ctx context.Context, why error) error {
	if x.DryRun {
		return x.copyDamaged(ctx)
	}
	if err := x.replaceJournal(ctx, why); err != nil {
		return err
	}
	return x.in.openTables(ctx)
}

// copyDamaged takes what is whole of the journal into memory: a dry run goes on with that.
func (x database) copyDamaged(ctx context.Context) error {
	x.node.journal = journal.NewMemory()
	return x.takeOver(ctx, x.in.db, x.node.journal)
}

// replaceJournal copies what is whole to a schema that then takes the place of this one,
// which is renamed, the pointer tables with it.
func (x database) replaceJournal(ctx context.Context, why error) error {
	whole, aside := x.beside("whole"), x.asideNow()
	if err := x.copyWhole(ctx, whole); err != nil {
		return x.unable(ctx, err)
	}
	// The damaged one is in its place. A crash leaves it there.
	if err := x.in.db.Supersede(ctx, whole, aside); err != nil {
		return x.unable(ctx, err)
	}
	x.node.log.Warn().Err(why).Str("renamed-to", aside).Msg("the journal is put aside")
	return nil
}

// copyWhole makes a journal of all that is whole in a schema of that name, and raises the
// anchors. What an earlier run has left there goes.
func (x database) copyWhole(ctx context.Context, schema string) (err error) {
	err = x.in.db.MakeBeside(ctx, schema)
	switch {
	case errors.Is(err, journalpostgres.ErrTaken):
		return fail(codeRefused, "%w, and the recovery needs one of it: rename it, or drop it if a recovery that was stopped has left it", err)
	case err != nil:
		return err
	}
	into, err := journalpostgres.Open(ctx, x.options(schema, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	return x.asItIs(ctx, func(old *journalpostgres.DB) error {
		if err := x.takeOver(ctx, old, into); err != nil {
			return err
		}
		// The warehouses see where the journal ended: what is cut off does not look whole.
		return x.raise(ctx, x.ends(ctx, old))
	})
}

// replaceTables implements keeping. Tables that stand in the journal hold nothing else, and
// are emptied; others are evidence, and are moved to a schema beside this one.
func (x database) replaceTables(ctx context.Context, _ error) error {
	tables := x.tables()
	held, err := tables.Held(ctx)
	if err != nil {
		return err
	}
	for _, id := range held {
		cursor, err := tables.Warehouse(id).Cursor(ctx)
		if err != nil {
			return err
		}
		if there, err := x.journaled(ctx, x.node.journal.Incarnation(id, cursor.Incarnation), cursor); err != nil || !there {
			return errors.Join(err, x.setTablesAside(ctx))
		}
	}
	return x.in.empty(ctx)
}

// tables are those that are open.
func (x database) tables() *tablespostgres.Store { return x.in.turns.Store }

// journaled tells whether a history has the event at a position.
func (x database) journaled(ctx context.Context, from journal.Reader, at journal.Position) (bool, error) {
	for e, err := range from.Scan(ctx, at.Seq-1) {
		return err == nil && e.Position == at, err
	}
	return false, nil
}

// setTablesAside moves them to a schema of its own.
func (x database) setTablesAside(ctx context.Context) error {
	schema := x.asideNow()
	beside, err := journalpostgres.Open(ctx, x.options(schema, false)) // which makes it, with an empty journal
	if err == nil {
		err = errors.Join(x.tables().SetAside(ctx, schema), beside.Close())
	}
	if err != nil {
		return x.unable(ctx, err)
	}
	x.node.log.Info().Str("moved-to", schema).Msg("pointer tables are made anew")
	return nil
}

// unable says what to run as a superuser for a role that may not do what a recovery has to.
func (x database) unable(ctx context.Context, err error) error {
	if errors.Is(err, journalpostgres.ErrAlien) {
		return fail(codeRefused, "%w, and the recovery renames this one: move them to another (ALTER TABLE … SET SCHEMA), and then this again", err)
	}
	if err = journalpostgres.MayNot(err); !errors.Is(err, journalpostgres.ErrMayNot) {
		return err
	}
	var role, in string
	asked := x.in.db.Read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT quote_ident(current_user), quote_ident(current_database())`).Scan(&role, &in)
	})
	if asked != nil {
		return errors.Join(err, asked)
	}
	return fail(codeRefused, "%w: nothing is thrown away, so that the recovery makes a schema beside %s. Run as a superuser: "+
		"ALTER SCHEMA %s OWNER TO %s; GRANT CREATE ON DATABASE %s TO %s; and then this again", err, x.schema(), x.schema(), role, in, role)
}

// aside implements keeping.
func (x database) aside(ctx context.Context) (all []putAside, err error) {
	if x.in.db == nil {
		return nil, nil
	}
	schemas, err := tablespostgres.Asides(ctx, x.in.db, x.beside("broken_"))
	for _, schema := range schemas {
		all = append(all, putAside{"schema " + schema, func() (projections.Store, error) { return x.openAside(ctx, schema) }})
	}
	return all, err
}

// readTables are pointer tables on connections of their own.
type readTables struct {
	*tablespostgres.Store
	db *journalpostgres.DB
}

func (t readTables) Close() error { return errors.Join(t.Store.Close(), t.db.Close()) }

func (x database) openAside(ctx context.Context, schema string) (projections.Store, error) {
	db, err := journalpostgres.Open(ctx, x.options(schema, true))
	if err != nil {
		return nil, err
	}
	tables, err := tablespostgres.Open(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return readTables{tables, db}, nil
}
