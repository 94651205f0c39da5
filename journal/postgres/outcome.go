package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// class is what an error of the server says of the transaction in which it came.
type class int

const (
	// unknown: of a commit it says nothing. Before one was sent nothing is written.
	unknown class = iota
	// rolledBack by a race with others: the same transaction may pass now.
	rolledBack
	// passing: rolled back for want of something, which may be there later.
	passing
	// deterministic: rolled back, and it would be again.
	deterministic
)

// sqlstates are the classes of errors, by the longest beginning of their code. A
// commit of what is not here is looked for, which is always right.
var sqlstates = map[string]class{
	"40001": rolledBack, // serialization failure
	"40P01": rolledBack, // deadlock
	"40002": deterministic,
	"40":    unknown, // 40003: completion unknown

	"53":    passing, // disk full, out of memory, too many connections
	"55P03": passing, // lock not available in time
	"57014": passing, // canceled, or over statement_timeout
	"57P03": passing, // starting or stopping: no session was had

	"0A": deterministic,
	"22": deterministic,
	"23": deterministic, // a constraint
	"25": deterministic, // of a transaction that has failed, or is read only
	"26": deterministic,
	"28": deterministic,
	"42": deterministic,
	"54": deterministic,

	"08":    unknown, // the connection
	"57":    unknown, // ended by an administrator or a crash: a commit may have been written before
	"58":    unknown,
	"XX":    unknown,
	"25P03": unknown, // the session ended while nothing happened in it
}

// classify says what an error means for the transaction in which it came. What is
// no error of the server, as of the network, is unknown.
func classify(err error) class {
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return deterministic
	}
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return unknown
	}
	for n := len(said.Code); n > 0; n-- {
		if c, ok := sqlstates[said.Code[:n]]; ok {
			return c
		}
	}
	return unknown
}

// uniqueViolation is that something is there already.
const uniqueViolation = "23505"

func isTaken(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == uniqueViolation
}
