package config

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PostgreSQL is the database that holds journal and pointers.
type PostgreSQL struct {
	URL            string // a connection string, with a password mostly: not to be shown
	URLFrom        string // the variables of the environment that it was told by, as they are written; empty: none
	Schema         string
	MaxConnections int // of this process
}

const (
	leastConnections = 2 // one may look up what became of the other's commit
	mostConnections  = 10_000
)

func defaultPostgreSQL() PostgreSQL { return PostgreSQL{Schema: "puddle", MaxConnections: 10} }

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

func (d *decoder) postgreSQL(b *block, p *PostgreSQL) {
	b.text("url", &p.URL)
	p.URLFrom = d.variables[join(b.key, "url")]
	b.text("schema", &p.Schema)
	b.number("max-connections", leastConnections, mostConnections, &p.MaxConnections)
	b.end()
}

// database checks the keys of a database, and those that have no use beside one. What
// is wrong with a URL is not quoted: it could be its password.
func (d *decoder) database(c Config) {
	const block = "metastore.postgresql"
	p := c.Metastore.PostgreSQL
	if !d.sound("metastore.type") {
		return
	}
	if c.Metastore.Type != Postgres {
		if p != defaultPostgreSQL() {
			d.fail(block, "has no use beside metastore.type %s", c.Metastore.Type)
		}
		return
	}
	if at := join(block, "url"); d.sound(at) {
		d.url(at, p)
	}
	d.schema(join(block, "schema"), p.Schema)
	if c.Journal.Path != "" {
		d.fail("journal.path", "has no use beside metastore.type postgresql: the journal is in the database")
	}
	if c.Metastore.SQLitePath != "" {
		d.fail("metastore.sqlite.path", "has no use beside metastore.type postgresql: the pointer tables are in the database")
	}
	if c.Journal.Archive == "sync" {
		d.fail("journal.archive", "must not be sync beside metastore.type postgresql: one replica writes the archive for all, behind their commits. "+
			"What the loss of a machine must not take is for synchronous standbys of the database; use async beside them")
	}
}

func (d *decoder) url(at string, p PostgreSQL) {
	parsed, err := pgx.ParseConfig(p.URL)
	unread, missing := errors.AsType[*fs.PathError](err)
	switch {
	case p.URL == "":
		d.fail(at, "is missing: the database that holds the journal, like postgres://puddle@db.example.org/puddle?sslmode=verify-full")
	case missing:
		d.fail(at, "names a file that cannot be read: %s: %v", unread.Path, unread.Err)
	case err != nil:
		d.fail(at, "is no connection string of PostgreSQL: %s%s", wrongPart(err), toldBy(p.URLFrom))
	case parsed.DefaultQueryExecMode == pgx.QueryExecModeExec, parsed.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol:
		d.fail(at, "must not have default_query_exec_mode exec or simple_protocol, which send no arrays: leave it out (a pooler that needs it keeps no sessions, which puddle needs)")
	}
}

// URLKey names where the URL is told, for messages.
func (p PostgreSQL) URLKey() string {
	const key = "metastore.postgresql.url"
	if p.URLFrom == "" {
		return key
	}
	return key + " (" + p.URLFrom + ")"
}

// schema refuses those of the server, and the one that other applications find by themselves.
func (d *decoder) schema(at, name string) {
	switch {
	case name == "public":
		d.fail(at, "must not be public, which others use too: a recovery renames the schema with all that is in it. Name one of puddle's own, which is made")
	case !schemaName.MatchString(name), strings.HasPrefix(name, "pg_"), name == "information_schema":
		d.fail(at, "must be 1 to 63 small letters, digits and underscores, not begin with a digit or pg_, and not be information_schema, not %q", name)
	}
}

// Exposed names the hosts of the database that are reached over a network without
// TLS being certain; none where that is so.
func (p PostgreSQL) Exposed() []string {
	parsed, err := pgconn.ParseConfig(p.URL)
	if err != nil {
		return nil
	}
	var hosts []string
	note := func(host string, secured bool) {
		socket := strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@")
		if !secured && !socket && !isLoopback(host) {
			hosts = append(hosts, host)
		}
	}
	note(parsed.Host, parsed.TLSConfig != nil)
	for _, f := range parsed.Fallbacks {
		note(f.Host, f.TLSConfig != nil)
	}
	return slices.Compact(hosts)
}
