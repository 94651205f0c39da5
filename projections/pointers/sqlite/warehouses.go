package sqlite

import (
	"context"
	"database/sql"

	"github.com/google/uuid"
)

// Held lists the ids of those that any event was applied to, ascending.
func (db *DB) Held(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := db.read(ctx, func(s *session) error {
		return s.each(func(rows *sql.Rows) error {
			var id uuid.UUID
			err := rows.Scan(fixed(id[:]))
			ids = append(ids, id)
			return err
		}, "SELECT warehouse FROM cursor ORDER BY warehouse")
	})
	return ids, err
}
