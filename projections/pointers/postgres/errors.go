package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"puddle/journal"
	"puddle/projections/pointers"
)

// ErrBehind: the pointer tables do not stand where the history ends, as when a newer
// build has made them anew or an incarnation was started. projections.CatchUp brings
// them there.
var ErrBehind = errors.New("pointer tables do not stand where the journal ends")

func behind(cursor, head journal.Position) error {
	return fmt.Errorf("%w: they stand at %s, it ends at %s", ErrBehind, cursor, head)
}

// damaged looks whether an error came of rows that cannot be there: pointers.ErrCorrupt.
func damaged(err error) error {
	const uniqueViolation = "23505"
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == uniqueViolation && slices.Contains(tables, said.TableName) {
		return fmt.Errorf("%w: %w", pointers.ErrCorrupt, err)
	}
	return err
}

// otherShape is what the server says of tables and columns that are not as a statement
// has them: undefined table, undefined column, another type, cached plan must not change.
var otherShape = []string{"42P01", "42703", "42804", "0A000"}

// explain looks whether an error came of tables that another build has made: then it is
// pointers.ErrSchema.
func (s *Store) explain(ctx context.Context, err error) error {
	said, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !slices.Contains(otherShape, said.Code) {
		return err
	}
	version, failure := s.version(ctx)
	if failure == nil {
		failure = s.checkSchema(version)
	}
	return errors.Join(failure, err)
}
