package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
	tablespostgres "puddle/projections/pointers/postgres"
	"puddle/projections/recorder"
	"puddle/recover"
	"puddle/rest"
)

// shared is the metastore of one of many replicas: journal and pointer tables are in one
// schema of a PostgreSQL database, and what one of them changes the others see at once.
type shared struct {
	*node
	db    *journalpostgres.DB
	turns turns

	mu   sync.Mutex
	last error // guarded by mu: why changes are refused, as seen last
}

// newShared is a node over a database, by its metastore.
func newShared(c config.Config, log zerolog.Logger, p purpose, clock recorder.Clock) *shared {
	n := &shared{node: bareNode(c, log, p, clock)}
	n.metastore = n
	return n
}

// openJournal implements metastore. A report only reads, so that a standby will do.
func (n *shared) openJournal(ctx context.Context) error {
	c := n.config.Metastore.PostgreSQL
	for _, host := range c.Exposed() {
		n.log.Warn().Str("host", host).Msg("the database is reached without TLS, or may be: say sslmode=verify-full in metastore.postgresql.url")
	}
	err := n.await(ctx, func() (err error) {
		n.db, err = journalpostgres.Open(ctx, journalpostgres.Options{
			URL: c.URL, Schema: c.Schema, MaxConnections: c.MaxConnections, ReadOnly: n.purpose == reporting,
		})
		return err
	})
	if err != nil {
		return unsuited(c, err)
	}
	n.journal = n.db
	n.onClose(n.db.Close)
	n.followClock()
	if n.purpose != serving && n.purpose != changing {
		return nil
	}
	var leave func()
	err = n.await(ctx, func() (err error) {
		leave, err = n.db.Join(ctx)
		return err
	})
	if err != nil {
		return unsuited(c, err)
	}
	n.onClose(func() error {
		leave()
		return nil
	})
	return nil
}

// tellClock is by how much a machine's clock is off before a start tells of it.
const tellClock = time.Minute

// followClock has the node's clock be that of the database, which all replicas share.
func (n *shared) followClock() {
	own, shared := n.clock.Read().Wall, n.db.Clock()
	is := shared.Read().Wall
	if off := own.Sub(is).Round(time.Second); off.Abs() > tellClock && n.purpose == serving {
		n.log.Warn().Time("own", own).Time("database", is).Stringer("ahead", off).
			Msg("the clock of this machine is not that of the database, by which all is dated: have both follow one time")
	}
	n.clock = shared
	n.steady.follow(shared)
}

// await implements metastore. What was perhaps done is found to be, or is done.
func (n *shared) await(ctx context.Context, part func() error) error {
	return n.patiently(ctx, "waiting for the database", mayPass, part)
}

func mayPass(err error) bool {
	if errors.Is(err, journalpostgres.ErrNotLetIn) {
		return false
	}
	return errors.Is(err, journalpostgres.ErrAway) || errors.Is(err, journalpostgres.ErrBusy) || errors.Is(err, journal.ErrUnknownOutcome)
}

// unsuited refuses a server that would not keep what it acknowledges, and says what to set;
// and a schema or a role that will not do. Where nobody is let in, or nothing was begun, it
// says what to do as well.
func unsuited(c config.PostgreSQL, err error) error {
	var what string
	switch {
	case errors.Is(err, journalpostgres.ErrNotLetIn):
		return fail(codeNoLook, "metastore.postgresql: %w: mend %s, or what the server lets in", err, c.URLKey())
	case errors.Is(err, journalpostgres.ErrAway) && !errors.Is(err, journalpostgres.ErrAlone):
		return fail(codeNoLook, "metastore.postgresql: %w: does it run, and does %s lead to it?", err, c.URLKey())
	case errors.Is(err, journalpostgres.ErrNoJournal):
		return fail(codeNoLook, "there is no catalog in the schema %s of the database yet: the first start of puddle serve makes it, as a role that may", c.Schema)
	case errors.Is(err, journalpostgres.ErrFsyncOff):
		what = "set fsync = on in postgresql.conf"
	case errors.Is(err, journalpostgres.ErrSynchronousCommitOff):
		what = "set synchronous_commit = on for the server, or by ALTER ROLE for the role of " + c.URLKey()
	case errors.Is(err, journalpostgres.ErrReadOnly):
		what = c.URLKey() + " must lead to the primary (with several hosts: target_session_attrs=read-write), and default_transaction_read_only be off"
	case errors.Is(err, journalpostgres.ErrNoSession):
		what = c.URLKey() + " must lead past it, or to a pool_mode of session"
	case errors.Is(err, journalpostgres.ErrMayNot), errors.Is(err, journalpostgres.ErrAlien):
		return fail(codeRefused, "metastore.postgresql: %w", err)
	default:
		return err
	}
	return fail(codeRefused, "metastore.postgresql: %w: %s", err, what)
}

// openTables implements metastore. Those of an older build are emptied, and replayed.
func (n *shared) openTables(ctx context.Context) error {
	var tables *tablespostgres.Store
	err := n.await(ctx, func() (err error) {
		tables, err = tablespostgres.Open(ctx, n.db)
		return err
	})
	if err != nil {
		return err
	}
	n.tables, n.turns = tables, turns{tables}
	n.onClose(tables.Close)
	return nil
}

// replaceTables implements metastore: others use them, so that it takes a recovery, alone.
func (n *shared) replaceTables(reason error) error {
	return &recover.Refusal{
		Reason:  fmt.Sprintf("the pointer tables in the schema %s cannot be used: %v", n.db.SchemaName(), reason),
		Command: "puddle recover", Err: reason,
	}
}

// compare implements metastore: one transaction writes journal and tables.
func (n *shared) compare(context.Context, *warehouse) error { return nil }

// trust implements metastore.
func (n *shared) trust() {}

// replays implements metastore: who only reads leaves it to the servers.
func (n *shared) replays() bool { return n.purpose != reporting }

// births implements metastore.
func (n *shared) births() journal.Journal { return &bearing{DB: n.db} }

// newRecorder implements metastore.
func (n *shared) newRecorder(ctx context.Context, o recorder.Options) (*recorder.Recorder, error) {
	n.db.OnMove(n.recall)
	return recorder.NewShared(ctx, barred{n.turns, n.bar}, o)
}

// sizes implements metastore.
func (n *shared) sizes(ctx context.Context) []rest.FileRoom {
	var bytes int64
	err := n.db.Read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT pg_database_size(current_database())`).Scan(&bytes)
	})
	if err != nil {
		return nil
	}
	return []rest.FileRoom{{Name: "database", Bytes: bytes}}
}

// connections implements metastore.
func (n *shared) connections() func() rest.Database {
	pool := n.db.Pool()
	return func() rest.Database {
		s := pool.Stat()
		return rest.Database{
			Limit: int(s.MaxConns()), InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()),
			Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(), GivenUp: s.CanceledAcquireCount(),
		}
	}
}

// asking implements metastore.
func (n *shared) asking() func(context.Context) (time.Time, error) { return n.db.AskClock }

// turnsAtFollowing implements metastore.
func (n *shared) turnsAtFollowing() bool { return true }

// keeping implements metastore.
func (n *shared) keeping(x *recovery) keeping { return database{x, n} }

// journalName implements metastore.
func (n *shared) journalName() string { return "the schema " + n.db.SchemaName() + " of the database" }
