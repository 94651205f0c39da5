package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections/anchor"
	"puddle/projections/pointers"
	"puddle/projections/pointers/sqlite"
	"puddle/projections/recorder"
	"puddle/rest"
)

// lockTime is how long a journal is waited for that another process has open: one that is
// just ending, since nobody else has the data folder.
const lockTime = time.Second

// embedded is the metastore of one server: the journal and the pointer tables are files
// of its own.
type embedded struct{ *node }

// openJournal implements metastore. Whether an empty one may be there is decided when
// warehouses are bound.
func (n embedded) openJournal(context.Context) error {
	path := n.config.Journal.Path
	_, err := os.Stat(path)
	absent := errors.Is(err, os.ErrNotExist)
	switch {
	case err != nil && !absent:
		return err
	case absent && n.purpose != serving && n.purpose != rescuing:
		return fmt.Errorf("there is no journal yet: %s", path)
	}
	if err := n.tellTorn(path, absent); err != nil {
		return err
	}
	j, err := bolt.Open(path, bolt.Options{Timeout: lockTime, OnReplaced: func(kept string) {
		n.metrics.JournalReplaced()
		n.log.Error().Str("journal", path).Str("kept", kept).Msg("a sync of the journal failed: a proven copy has taken its place; see to the disk")
	}})
	if err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	n.journal = j
	if swept, err := bolt.Sweep(path); err != nil || swept {
		n.log.Warn().Err(err).Str("journal", path).Msg("a compaction was interrupted: what it left is removed")
	}
	if !absent {
		n.onClose(j.Close)
		return nil
	}
	n.onClose(func() error { return n.closeMade(j, path) })
	return nil
}

// tellTorn warns of a journal whose last write was cut off: what was never
// acknowledged is dropped (case 153).
func (n embedded) tellTorn(path string, absent bool) error {
	if absent {
		return nil
	}
	reason, err := bolt.Torn(path)
	if reason != "" {
		n.log.Warn().Str("journal", path).Str("see", "puddle verify").Msg(reason)
	}
	return err
}

// closeMade closes a journal that this node made. When the start was refused
// and nothing was recorded, the file goes, so that no empty journal is taken for
// the lost one.
func (n embedded) closeMade(j journal.Journal, path string) error {
	ids, err := j.Warehouses(context.Background())
	if err = errors.Join(err, j.Close()); err != nil || !n.refused || len(ids) > 0 {
		return err
	}
	return os.Remove(path)
}

// openTables implements metastore; what cannot be used is put aside and made anew.
func (n embedded) openTables(context.Context) error {
	n.onClose(n.closeTables)
	err := n.openSQLite()
	if n.reserves.spend(err) {
		err = n.openSQLite()
	}
	if replaceable(err) {
		return n.replaceTables(err)
	}
	return err
}

// closeTables closes them, and puts a file aside that turned out to be damaged,
// so that the next start makes it anew.
func (n embedded) closeTables() error {
	if n.tables == nil {
		return nil
	}
	err := n.tables.Close()
	db, ok := n.tables.(*sqlite.DB)
	if !ok || !db.Damaged() {
		return err
	}
	aside, err := sqlite.SetAside(n.config.Metastore.SQLitePath, time.Now())
	n.log.Warn().Str("moved-to", aside).Msg("pointer tables are damaged: the next start makes them anew")
	return err
}

func (n embedded) openSQLite() error {
	db, err := sqlite.Open(n.config.Metastore.SQLitePath, sqlite.Options{OnCheckpoint: n.metrics.Checkpointed})
	if errors.Is(err, sqlite.ErrForeign) {
		return fail(codeRefused, "metastore.sqlite.path is %s: %w", n.config.Metastore.SQLitePath, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", n.config.Metastore.SQLitePath, err)
	}
	n.tables = db
	return nil
}

// compare implements metastore, after a stop that was not clean.
func (n embedded) compare(ctx context.Context, w *warehouse) error {
	db, ok := n.tables.(*sqlite.DB)
	if !ok || db.LastStop() == sqlite.Clean {
		return nil
	}
	start := time.Now()
	if err := db.Compare(ctx, w.id, n.journal.Warehouse(w.id)); err != nil {
		return err
	}
	n.log.Info().Str("warehouse", w.Name).Dur("took", time.Since(start)).Msg("the last stop was not clean: pointer tables compared with the journal")
	return nil
}

// trust implements metastore.
func (n embedded) trust() {
	if db, ok := n.tables.(*sqlite.DB); ok {
		db.Trust()
	}
}

// holds implements metastore: nobody else writes to the journal.
func (n embedded) holds(context.Context, *warehouse, anchor.Head) error { return nil }

// await implements metastore: files do not come back by themselves.
func (n embedded) await(_ context.Context, part func() error) error { return part() }

// births implements metastore: nobody else writes to the journal.
func (n embedded) births() journal.Journal { return n.journal }

// replays implements metastore.
func (n embedded) replays() bool { return true }

// newRecorder implements metastore.
func (n embedded) newRecorder(ctx context.Context, o recorder.Options) (*recorder.Recorder, error) {
	return recorder.New(ctx, roomy{n.journal, n.reserves}, n.tables, o)
}

// reach implements metastore.
func (n embedded) reach(ctx context.Context) error {
	if n.readTables(ctx) != nil {
		return errTables
	}
	return nil
}

// unreached implements metastore.
func (n embedded) unreached() error { return nil }

// observe implements metastore.
func (n embedded) observe(error) {}

// sizes implements metastore.
func (n embedded) sizes(ctx context.Context) (all []rest.FileRoom) {
	if j, ok := n.journal.(*bolt.Journal); ok {
		if space, err := j.Space(ctx); err == nil {
			all = append(all, rest.FileRoom{Name: "journal", Bytes: space.File, Free: space.Free})
		}
	}
	for name, suffix := range map[string]string{"tables": "", "tables-log": "-wal"} {
		if info, err := os.Stat(n.config.Metastore.SQLitePath + suffix); err == nil {
			all = append(all, rest.FileRoom{Name: name, Bytes: info.Size()})
		}
	}
	return all
}

// connections implements metastore.
func (n embedded) connections() func() rest.Database { return nil }

// asking implements metastore.
func (n embedded) asking() func(context.Context) (time.Time, error) { return nil }

// turnsAtFollowing implements metastore.
func (n embedded) turnsAtFollowing() bool { return false }

// fence implements metastore.
func (n embedded) fence(uuid.UUID) func(context.Context) error { return nil }

// keeping implements metastore.
func (n embedded) keeping(x *recovery) keeping { return files{x} }

// journalName implements metastore.
func (n embedded) journalName() string { return n.config.Journal.Path }

// replaceable tells whether an error is cured by new pointer tables.
func replaceable(err error) bool {
	return errors.Is(err, pointers.ErrCorrupt) || errors.Is(err, pointers.ErrSchema)
}

// replaceTables implements metastore: the file is renamed.
func (n embedded) replaceTables(reason error) error {
	if n.tables != nil {
		// Of a damaged file nothing is worth knowing.
		_ = n.tables.Close()
		n.tables = nil
	}
	aside, err := sqlite.SetAside(n.config.Metastore.SQLitePath, time.Now())
	if err != nil {
		return errors.Join(reason, err)
	}
	level := zerolog.WarnLevel
	if n.purpose == rescuing && !replaceable(reason) { // a new incarnation leaves those behind that were there
		level, reason = zerolog.InfoLevel, nil
	}
	n.log.WithLevel(level).Err(reason).Str("moved-to", aside).Msg("pointer tables are made anew")
	return n.openSQLite()
}
