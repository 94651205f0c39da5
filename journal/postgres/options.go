package postgres

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What the options are when they are left out.
const (
	DefaultSchema         = "puddle"
	DefaultMaxConnections = 10
)

// Limits of time.
const (
	// IdleLimit is how long a transaction may do nothing before the server ends it.
	IdleLimit = 10 * time.Second
	// LockLimit is how long a group waits for the heads of its warehouses. It is
	// longer than IdleLimit: whoever holds them and does nothing is gone by then.
	LockLimit = 20 * time.Second
	// TripLimit is how long the answer to the statements of a turn is waited for. It is
	// longer than LockLimit, which the server keeps.
	TripLimit = 25 * time.Second
	// OutcomeLimit is how long it is tried to find out what became of a commit.
	OutcomeLimit = 30 * time.Second

	connectLimit = 5 * time.Second
)

// Options say where the journal is.
type Options struct {
	// URL is a connection string of PostgreSQL, with the settings of a session
	// behind it where it has some.
	URL string
	// Schema holds the tables, and is made where it is not there and the role may.
	// Small letters, digits and underscores; empty: DefaultSchema.
	Schema string
	// MaxConnections bounds the connections of this process; 0: DefaultMaxConnections.
	MaxConnections int
	// Unsafe takes a server that may lose what it has acknowledged. For tests, whose
	// servers do without fsync; everybody else loses data by it.
	Unsafe bool

	// ReadOnly is for who reads beside servers that write, or reads a standby: nothing is
	// made or migrated, and whatever writes is ErrReadOnly.
	ReadOnly bool

	outcomeLimit, readWait, turnWait, tripLimit time.Duration // 0: OutcomeLimit, ReadWait, TurnWait, TripLimit
}

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// config checks the options and fills in what was left out. Sessions of the pool tell moves
// where they lead to.
func (o *Options) config(moves *moves) (*pgxpool.Config, error) {
	if o.Schema == "" {
		o.Schema = DefaultSchema
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	o.outcomeLimit = cmp.Or(o.outcomeLimit, OutcomeLimit)
	o.tripLimit = cmp.Or(o.tripLimit, TripLimit)
	o.readWait, o.turnWait = cmp.Or(o.readWait, ReadWait), cmp.Or(o.turnWait, TurnWait)
	if !schemaName.MatchString(o.Schema) {
		return nil, fmt.Errorf("schema %q: small letters, digits and underscores, at most 63", o.Schema)
	}
	const most = 10_000
	if o.MaxConnections < 1 || o.MaxConnections > most {
		return nil, fmt.Errorf("%d connections at most: from 1 to %d", o.MaxConnections, most)
	}
	c, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, err // it does not show the password
	}
	c.MaxConns = int32(o.MaxConnections)
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectLimit
	}
	c.ConnConfig.DialFunc, c.ConnConfig.OnNotice = dial, warned
	set := o.settings(c.ConnConfig.RuntimeParams)
	c.AfterConnect = func(ctx context.Context, session *pgx.Conn) error {
		to, err := set.apply(ctx, session)
		if err == nil && to.recovering && !o.ReadOnly {
			err = ErrReadOnly // a copy of another server may be behind what was acknowledged
		}
		if err == nil {
			session.PgConn().CustomData()[process] = to.process
			moves.to(ctx, to)
		}
		return err
	}
	return c, nil
}
