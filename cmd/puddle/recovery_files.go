package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// files is the keeping of a catalog whose journal and pointer tables are files.
type files struct{ *recovery }

// absent implements keeping.
func (x files) absent(context.Context) (bool, error) {
	c := x.node.config
	return absent(c.DataDir) && absent(c.Journal.Path) && absent(c.Metastore.SQLitePath), nil
}

// openJournal opens the journal that is there. One that cannot be read is put aside:
// it is evidence.
func (x files) openJournal(ctx context.Context) error {
	if x.DryRun {
		return x.lookAtJournal(ctx)
	}
	err := x.node.openJournal(ctx)
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		return x.replaceJournal(ctx, err)
	}
	return err
}

// lookAtJournal opens it without a trace; one that is not there or cannot be read is
// gone on without.
func (x files) lookAtJournal(ctx context.Context) error {
	path := x.node.config.Journal.Path
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		x.node.journal = journal.NewMemory()
		return nil
	}
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true, Timeout: lockTime})
	if damage := (*journal.Damage)(nil); errors.As(err, &damage) {
		x.node.log.Warn().Err(err).Msg("the journal would be put aside")
		return x.copyDamaged(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	x.node.journal = j
	x.node.onClose(j.Close)
	return nil
}

// openTables opens the pointer tables. A dry run looks at those that are there, and
// fills others that are in memory.
func (x files) openTables(ctx context.Context) error {
	if !x.DryRun {
		return x.node.openTables(ctx)
	}
	path := x.node.config.Metastore.SQLitePath
	db, err := sqlite.OpenReadOnly(path, "")
	switch {
	case errors.Is(err, os.ErrNotExist), replaceable(err):
		x.node.tables = projections.NewMemory()
		return nil
	case errors.Is(err, sqlite.ErrForeign):
		return fail(codeRefused, "metastore.sqlite.path is %s: %w", path, err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	x.node.tables = db
	x.node.onClose(db.Close)
	return nil
}

// replaceTables implements keeping: the file is renamed.
func (x files) replaceTables(_ context.Context, reason error) error {
	return x.node.replaceTables(reason)
}

// aside are the files that were put aside.
func (x files) aside(context.Context) (all []putAside, err error) {
	folder, name := filepath.Split(x.node.config.Metastore.SQLitePath)
	if folder == "" {
		folder = "."
	}
	there, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, file := range slices.Backward(there) {
		aside := strings.HasPrefix(file.Name(), name+".broken-")
		if aside && !strings.HasSuffix(file.Name(), "-wal") && !strings.HasSuffix(file.Name(), "-shm") {
			path := filepath.Join(folder, file.Name())
			all = append(all, putAside{path, func() (projections.Store, error) { return sqlite.OpenReadOnly(path, "") }})
		}
	}
	return all, err
}

// asideName implements keeping.
func (x files) asideName() string { return x.node.config.Metastore.SQLitePath + ".broken-TIME" }
