package sqlite

import (
	"context"
	"os"
	"time"
)

// stalled is how many times over its limit the log may grow before a checkpoint
// stops the writer for a moment: only when nobody writes is all of it moved, so
// that it begins anew.
const stalled = 16

// written asks for a checkpoint when the log has grown over its limit.
func (db *DB) written() {
	if db.walBytes() <= db.checkpointBytes {
		return
	}
	select {
	case db.wal <- struct{}{}:
	default:
	}
}

// checkpoints moves, with a session of its own, the log into the file whenever it was asked to. Commits and
// reads go on meanwhile. What fails now is tried again after the next commit,
// and an error that stays shows itself there.
func (db *DB) checkpoints(s *session) {
	defer close(db.done)
	defer s.close()
	for {
		select {
		case <-db.closing:
			return
		case <-db.wal:
		}
		start := time.Now()
		_ = checkpoint(s, "PASSIVE")
		if db.walBytes() > stalled*db.checkpointBytes && db.take(context.Background()) == nil {
			_ = checkpoint(s, "PASSIVE")
			db.give()
		}
		db.onCheckpoint(time.Since(start))
	}
}

func checkpoint(s *session, mode string) error {
	var busy, frames, moved int64
	return s.row("PRAGMA wal_checkpoint("+mode+")").scan(&busy, &frames, &moved)
}

func (db *DB) walBytes() int64 {
	info, err := os.Stat(db.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}
