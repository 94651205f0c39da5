package main

import (
	"context"
	"errors"
	"os"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
	"puddle/projections"
	"puddle/projections/pointers"
	"puddle/projections/pointers/sqlite"
	"puddle/recover/verify"
)

// verifyDatabase looks at a catalog in a database, beside replicas that may be at work. It
// writes there for a repair only.
func (s *session) verifyDatabase(c config.Config, asked verifyRequest, say func(verifyLine)) (err error) {
	log := s.logger(c.Logging).Level(max(zerolog.WarnLevel, logLevel(c.Logging.Level)))
	purpose := reporting
	if asked.Repair && !asked.DryRun {
		purpose = changing
	}
	n := newShared(c, log, purpose, journal.NewClock())
	defer func() { err = errors.Join(err, n.Close()) }()
	v := &verification{verifyRequest: asked, all: asked.Warehouse == "", say: say, openFold: foldElsewhere, makeTables: n.makeTables, beside: true}
	if !absent(c.DataDir) {
		v.progress.path = progressPath(c.DataDir)
	}
	if v.warehouses, err = n.node.openToVerify(s.stop, asked.Warehouse, say); err != nil {
		return noLook(err)
	}
	if err := n.openToVerify(s.stop, say); err != nil {
		return noLook(err)
	}
	v.journal, v.tables = n.journal, n.tables
	if v.tables != nil {
		v.serving = func(id uuid.UUID) projections.Reader { return v.tables.Warehouse(id) }
	}
	v.run(s.stop)
	return nil
}

// openToVerify opens what is there of journal and tables. Where there is no journal, an
// empty one stands for it, so that warehouses that have a history tell of it.
func (n *shared) openToVerify(ctx context.Context, say func(verifyLine)) error {
	c := n.config.Metastore.PostgreSQL
	made, err := journalpostgres.Made(ctx, journalpostgres.Options{URL: c.URL, Schema: c.Schema})
	if err != nil {
		return err
	}
	if !made {
		n.journal = journal.NewMemory()
		say(verifyLine{Unseen: &verify.Unseen{Place: "schema " + c.Schema, Message: "there is no journal"}})
		return nil
	}
	if err := n.openJournal(ctx); err != nil {
		return err
	}
	err = n.openTables(ctx)
	if errors.Is(err, pointers.ErrSchema) {
		found := otherTables(c.Schema, err)
		say(verifyLine{Finding: &found})
		return nil
	}
	return err
}

// otherTables is what is said of pointer tables of another build: a start makes older ones
// anew, and is refused over newer ones.
func otherTables(schema string, err error) verify.Finding {
	found := verify.Finding{Level: 2, Severity: verify.Note, Kind: verify.KindTables, Place: "schema " + schema, Message: err.Error()}
	if !errors.Is(err, journal.ErrFormat) {
		found.Message += ": the next start makes them anew"
		return found
	}
	found.Severity = verify.Warning
	found.Next = "puddle serve of the newer build; or DROP TABLE " + schema + ".pointers, after which a start of this one makes them anew"
	return found
}

// foldElsewhere makes empty tables in a folder for temporary files, which other runs do
// not know.
func foldElsewhere() (projections.Store, func() error, error) {
	folder, err := os.MkdirTemp("", "puddle-verify-")
	if err != nil {
		return nil, func() error { return nil }, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	db, err := sqlite.Open(folder+"/puddle.db", sqlite.Options{})
	if err != nil {
		return nil, remove, err
	}
	return db, func() error { return errors.Join(db.Close(), remove()) }, nil
}

// makeTables implements metastore, a warehouse at a time, whose writers wait meanwhile.
func (n *shared) makeTables(ctx context.Context) (projections.Store, string, error) {
	ids, err := n.journal.Warehouses(ctx)
	for _, id := range ids {
		if err == nil {
			err = n.turns.Rebuild(ctx, id, journal.Lineage(n.journal, id))
		}
	}
	return n.tables, "", err
}

// empty forgets all pointers.
func (n *shared) empty(ctx context.Context) error {
	held, err := n.turns.Held(ctx)
	for _, id := range held {
		if err == nil {
			err = n.turns.Warehouse(id).Reset(ctx)
		}
	}
	return err
}
