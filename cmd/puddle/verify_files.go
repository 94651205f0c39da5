package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/sqlite"
	"puddle/recover"
	"puddle/recover/verify"
)

// verifyFiles looks at the files of a catalog that nobody has open. They are opened to be
// read only: what a crash left stays as it is. It takes the lock over.
func (s *session) verifyFiles(c config.Config, l *lock, asked verifyRequest, say func(verifyLine)) (err error) {
	log := s.logger(c.Logging).Level(max(zerolog.WarnLevel, logLevel(c.Logging.Level)))
	n := newNode(c, log, reporting, journal.NewClock())
	n.onClose(l.release)
	defer func() { err = errors.Join(err, n.Close()) }()
	if c.Metastore.Type == config.Memory {
		return fail(codeNoLook, "metastore.type is memory: nothing is kept, and no server runs")
	}
	v := &verification{verifyRequest: asked, all: asked.Warehouse == "", say: say, makeTables: n.makeTables, openFold: n.openFold,
		progress: progressFile{path: progressPath(c.DataDir)}}
	if v.warehouses, err = n.openToVerify(s.stop, asked.Warehouse, say); err != nil {
		return noLook(err)
	}
	if err := n.openJournalToVerify(s.stop, say); err != nil {
		return err
	}
	v.journal = n.journal
	if err := n.openTablesToVerify(s.stop, say); err != nil {
		return noLook(err)
	}
	v.tables = n.tables
	v.run(s.stop)
	return nil
}

// openToVerify opens the folders of the warehouses. One that is not there is not
// made, but told.
func (n *node) openToVerify(ctx context.Context, only string, say func(verifyLine)) ([]*warehouse, error) {
	var there []config.Warehouse
	for _, w := range n.config.Warehouses {
		if only != "" && w.Name != only {
			continue
		}
		missing := ""
		for _, place := range w.Places() {
			if absentFolder(place) {
				missing = place.URL
			}
		}
		if missing != "" {
			say(verifyLine{Unseen: &verify.Unseen{Warehouse: w.Name, Place: missing, Message: "the folder is not there: is it mounted?"}})
			continue
		}
		there = append(there, w)
	}
	n.config.Warehouses = there
	if err := n.openWarehouses(ctx); err != nil {
		return nil, err
	}
	return n.warehouses, nil
}

// openJournalToVerify opens the journal to be read only. Where there is none, an
// empty one stands for it, so that warehouses that have a history tell of it. One
// that is damaged is told, and not opened: nothing is known of histories then.
func (n *node) openJournalToVerify(ctx context.Context, say func(verifyLine)) error {
	path := n.config.Journal.Path
	if bolt.Doubtful(path) {
		say(verifyLine{Unseen: &verify.Unseen{Place: path,
			Message: "a sync of it failed, and what is read may be in memory only: start the server, which proves a copy"}})
	}
	j, err := openChecked(ctx, path, say)
	var damage *journal.Damage
	switch {
	case errors.Is(err, os.ErrNotExist):
		n.journal = journal.NewMemory()
		say(verifyLine{Unseen: &verify.Unseen{Place: path, Message: "there is no journal"}})
		return nil
	case errors.Is(err, journal.ErrFormat), errors.As(err, &damage):
		say(verifyLine{Finding: &verify.Finding{Level: 1, Severity: verify.Error, Kind: verify.KindJournal, Place: path,
			Message: err.Error(), Next: "puddle recover"}})
		return nil
	case err != nil:
		return fail(codeNoLook, "journal %s: %w", path, err)
	}
	n.journal = j
	n.onClose(j.Close)
	return nil
}

// openChecked opens a journal once its pages are known to lead somewhere.
func openChecked(ctx context.Context, path string, say func(verifyLine)) (*bolt.Journal, error) {
	var damage *journal.Damage
	err := bolt.CheckPages(ctx, path, func(f journal.Flaw) {
		if !f.Torn {
			damage = &f.Damage
			return
		}
		say(verifyLine{Finding: &verify.Finding{Level: 1, Severity: verify.Warning, Kind: verify.KindTorn, Place: path, Message: f.Reason}})
	})
	switch {
	case err != nil:
		return nil, err
	case damage != nil:
		return nil, damage
	}
	say(verifyLine{Pages: &verifyPages{LookedAt: true}})
	return bolt.Open(path, bolt.Options{ReadOnly: true})
}

// openTablesToVerify opens the pointer tables to be read only, once all of their file is
// known to fit together. Those that a start would make anew are told.
func (n *node) openTablesToVerify(ctx context.Context, say func(verifyLine)) error {
	path, folder := n.config.Metastore.SQLitePath, filepath.Join(n.config.DataDir, verifyFolder)
	// One that was left behind is in the way; the lock is held.
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
		return err
	}
	n.onClose(func() error { return os.RemoveAll(folder) })
	db, err := sqlite.OpenReadOnly(path, folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		n.onClose(db.Close)
		err = db.Check(ctx)
	}
	found := verify.Finding{Level: 2, Severity: verify.Error, Kind: verify.KindTables, Place: path}
	switch {
	case errors.Is(err, pointers.ErrSchema):
		found.Severity, found.Message = verify.Note, err.Error()+": the next start makes them anew"
	case errors.Is(err, sqlite.ErrForeign), errors.Is(err, pointers.ErrCorrupt):
		found.Message, found.Next = err.Error(), "puddle serve, which sets a damaged file aside and makes the tables anew"
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	default:
		n.tables = db
		return nil
	}
	say(verifyLine{Finding: &found})
	return nil
}

// makeTables implements metastore: it sets the file aside and fills a new one, which stays
// open. A crash on the way is mended by the next start.
func (n embedded) makeTables(ctx context.Context) (projections.Store, string, error) {
	path := n.config.Metastore.SQLitePath
	aside, err := sqlite.SetAside(path, time.Now())
	if err != nil {
		return nil, aside, err
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, aside, err
	}
	n.onClose(db.Close)
	ids, err := n.journal.Warehouses(ctx)
	for _, id := range ids {
		if err == nil {
			_, err = recover.Replay(ctx, id.String(), n.journal.Warehouse(id), db.Warehouse(id), nil)
		}
	}
	return db, aside, err
}
