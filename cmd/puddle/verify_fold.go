package main

import (
	"errors"
	"os"
	"path/filepath"

	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// verifyFolder is where a verification keeps what it needs while it runs, below the
// data folder. What a killed one has left there the next one removes.
const verifyFolder = "verify.tmp"

// openFold makes empty pointer tables in the folder, which is removed when they are
// closed, with what it is in if that is empty: a fold that is kept in a file needs little memory, however long the history.
func (n *node) openFold() (projections.Store, func() error, error) {
	folder := filepath.Join(n.config.DataDir, verifyFolder, "fold")
	remove := func() error {
		err := os.RemoveAll(folder)
		_ = os.Remove(filepath.Dir(folder)) // where the tables have a log, a copy of them lies there
		return err
	}
	if err := errors.Join(remove(), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, remove, err
	}
	db, err := sqlite.Open(filepath.Join(folder, "puddle.db"), sqlite.Options{})
	if err != nil {
		return nil, remove, err
	}
	return db, func() error { return errors.Join(db.Close(), remove()) }, nil
}
