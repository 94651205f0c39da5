package sqlite

import (
	"database/sql"

	"github.com/google/uuid"

	"puddle/journal"
)

// holders reads who got a name, the last first, each once.
func (t *tables) holders(id journal.Identifier) ([]uuid.UUID, error) {
	if id.Namespace.Check() != nil {
		return nil, nil
	}
	var holders []uuid.UUID
	seen := map[uuid.UUID]bool{}
	err := t.each(func(rows *sql.Rows) error {
		var holder uuid.UUID
		err := rows.Scan(fixed(holder[:]))
		if err == nil && !seen[holder] {
			seen[holder] = true
			holders = append(holders, holder)
		}
		return err
	}, `SELECT uuid FROM names WHERE warehouse = ? AND namespace = ? AND name = ? ORDER BY step DESC`,
		t.id[:], id.Namespace.Key(), id.Name)
	return holders, err
}
