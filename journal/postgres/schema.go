package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrAlien: a schema holds tables or views that are not puddle's. It is refused before
// anything is made in it, and before it is renamed.
var ErrAlien = errors.New("the schema holds what is not puddle's")

// The relations of a schema: those of the journal, and those that package
// projections/pointers/postgres makes.
var (
	own     = []string{"heads", "incarnations", "events", "documents", "requests", "leases", versionTable}
	derived = []string{"pointers", "cursor", "namespaces", "objects", "places", "purges", "history", "names"}
)

// writes are the rights on tables that appending takes.
var writes = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

// asker is a session, or a transaction of one.
type asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// makeSchema makes a schema that is not there. Who may not make one may use it.
func makeSchema(ctx context.Context, session *pgx.Conn, schema string) error {
	there, err := hasSchema(ctx, session, schema)
	if err != nil || there {
		return err
	}
	_, err = session.Exec(ctx, `CREATE SCHEMA `+quote(schema))
	return grants(ctx, session, err, `CREATE SCHEMA `+quote(schema)+` AUTHORIZATION %[2]s`)
}

// hasSchema tells whether a schema is there, and refuses a role that may not use it.
func hasSchema(ctx context.Context, session asker, schema string) (there bool, err error) {
	var usable bool
	err = session.QueryRow(ctx, `SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1`, schema).Scan(&usable)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err == nil && !usable:
		err = grants(ctx, session, fmt.Errorf("%w: use the schema %s", ErrMayNot, schema), `GRANT USAGE ON SCHEMA `+quote(schema)+` TO %[2]s`)
	}
	return err == nil, err
}

// grants adds to an error for want of rights what an administrator of the database is to
// run; in the statement %[2]s is the role.
func grants(ctx context.Context, session asker, err error, statement string) error {
	if err = MayNot(err); !errors.Is(err, ErrMayNot) {
		return err
	}
	var role string
	if asked := session.QueryRow(ctx, `SELECT quote_ident(current_user)`).Scan(&role); asked != nil {
		return errors.Join(err, asked)
	}
	return fmt.Errorf("%[1]w; have an administrator run: "+statement, err, role)
}

// suits refuses a schema that holds no journal and something else, and one whose tables the
// role may not write.
func suits(ctx context.Context, session asker, schema string) error {
	there, err := standing(ctx, session, schema, writes...)
	if err == nil && there == 0 {
		err = alienTo(ctx, session, schema, slices.Concat([]string{versionTable}, derived))
	}
	return err
}

// standing is the version of the tables in a schema, 0 where there are none, and refuses a
// role that lacks one of some rights on a table that is there.
func standing(ctx context.Context, session asker, schema string, rights ...string) (version int64, err error) {
	if there, err := hasSchema(ctx, session, schema); err != nil || !there {
		return 0, err
	}
	var made bool
	if err := session.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'version_id')`,
		inSchema(schema, versionTable)).Scan(&made); err != nil || !made {
		return 0, err
	}
	if err := mayUse(ctx, session, schema, rights); err != nil {
		return 0, err
	}
	err = session.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM `+inSchema(schema, versionTable)+` WHERE is_applied`).Scan(&version)
	return version, err
}

// Which migrations were run is written by who may make tables.
const selectLacking = `SELECT p.name || ' on ' || c.relname FROM pg_class c, unnest($3::text[]) AS p (name)
	WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND c.relname = ANY($2) AND c.relkind IN ('r', 'p')
	AND NOT has_table_privilege(c.oid, p.name) AND (c.relname <> '` + versionTable + `' OR p.name = 'SELECT') ORDER BY c.relname, p.name`

func mayUse(ctx context.Context, session asker, schema string, rights []string) error {
	rows, _ := session.Query(ctx, selectLacking, schema, slices.Concat(own, derived), rights)
	lacking, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(lacking) == 0 {
		return err
	}
	const told = 5
	err = fmt.Errorf("%w: %s in the schema %s", ErrMayNot, few(lacking, told), schema)
	return grants(ctx, session, err, `GRANT `+strings.Join(rights, ", ")+` ON ALL TABLES IN SCHEMA `+quote(schema)+` TO %[2]s`)
}

const selectAlien = `SELECT relname::text FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
	AND relkind IN ('r', 'p', 'v', 'm', 'f') AND relname <> ALL($2) ORDER BY relname`

// alienTo refuses a schema with other relations than some.
func alienTo(ctx context.Context, session asker, schema string, known []string) error {
	rows, _ := session.Query(ctx, selectAlien, schema, known)
	alien, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(alien) == 0 {
		return err
	}
	const told = 10
	return fmt.Errorf("%w: %s in %s; puddle needs a schema of its own", ErrAlien, few(alien, told), schema)
}

// few are the first of some names.
func few(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
