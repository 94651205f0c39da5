package sqlite

// Stop is how the last process that had the file open ended.
type Stop int

// The ways to stop.
const (
	// Clean: it closed the file, or there was none.
	Clean Stop = iota
	// Killed: it did not, and the machine has been up since. The kernel has all
	// that was written.
	Killed
	// Crashed: the machine went down, or nobody knows that it did not. What was
	// not synced may be lost: the file stands behind the journal, if the disk
	// keeps its promises.
	Crashed
)

// LastStop tells how the process before ended. After anything but Clean the caller
// is to Compare the tables of every warehouse, and then to Trust them.
func (db *DB) LastStop() Stop { return db.stop }

// Trust says that the tables are right. Before that, Close leaves the mark that
// makes the next process look again.
func (db *DB) Trust() { db.trusted.Store(true) }

// prove finds out how the last process ended, reads the whole file after a crash
// of the machine, and marks that this process has it open. log says that a log was
// there.
func (db *DB) prove(s *session, log bool) error {
	if err := prepareSchema(s); err != nil {
		return err
	}
	var boot string
	running, err := s.row("SELECT boot FROM running").find(&boot)
	switch {
	case err != nil:
		return err
	case running && boot != "" && boot == db.boot:
		db.stop = Killed
	case running || log:
		db.stop = Crashed
		if err := check(s); err != nil {
			return err
		}
	default:
		db.Trust()
	}
	return db.markRunning(s)
}

// markRunning writes the mark into the file itself, before anything else changes.
func (db *DB) markRunning(s *session) error {
	if err := s.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, statement := range []func() error{
		func() error { return s.exec("DELETE FROM running") },
		func() error { return s.exec("INSERT INTO running (boot) VALUES (?)", db.boot) },
		func() error { return s.exec("COMMIT") },
	} {
		if err := statement(); err != nil {
			_ = s.exec("ROLLBACK") // which SQLite may have done itself
			return err
		}
	}
	return checkpoint(s, "PASSIVE")
}

// markStopped takes the mark away, as the last change.
func (db *DB) markStopped() error {
	if !db.trusted.Load() || db.damaged.Load() {
		return nil
	}
	return db.writer.exec("DELETE FROM running")
}
