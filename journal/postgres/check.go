package postgres

import "context"

// Check asks whether the server can be reached and would keep what it acknowledges: the
// errors of Open's guards, ErrBusy, ErrAway. Safe for concurrent use.
func (db *DB) Check(ctx context.Context) error { return db.checkSession(ctx) }
