package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/recover"
)

// recoverCmd rebuilds the catalog.
type recoverCmd struct {
	Warehouse     string `placeholder:"NAME" help:"This one only; else all that are configured."`
	From          string `enum:"auto,journal,archive,metastore,sidecars" default:"auto" help:"What to recover from: auto (the best that is left), journal (its events), archive (its copy in the warehouse), metastore (pointer tables whose journal is lost), sidecars (with the metadata files)."`
	At            string `placeholder:"POINT" help:"The catalog as it was at a moment, as a new one that goes on from there: a time, seq:N, INCARNATION:N or an event's id."`
	DryRun        bool   `help:"Say what would be done, and do nothing."`
	AllowNonempty bool   `help:"Add what is missing to a catalog that is not empty. What has a name there stays as it is."`
	JSON          bool   `name:"json" help:"One JSON document."`
}

// Help is the detail of the help text.
func (recoverCmd) Help() string {
	return "Stop the server first. Look at what would be done with --dry-run, then run it, then start the server. A recovery that was " +
		"interrupted goes on when it is run again; until it is complete, the catalog is not served. Nothing that is there is overwritten: " +
		"files that are replaced are renamed to FILE.broken-TIME, tables of a database are moved to a schema SCHEMA_broken_TIME."
}

func (recoverCmd) exits() []int {
	return []int{codeFindings, codeWarnings, codeNoLook, codeRefused, codeUnknown}
}

// Validate refuses what does not go together.
func (r recoverCmd) Validate() error {
	if r.At != "" && r.AllowNonempty {
		return errors.New("--at makes a new catalog, --allow-nonempty adds to the one that is there: choose one")
	}
	if r.At == "" {
		return nil
	}
	if _, err := journal.ParsePoint(r.At); err != nil {
		return fmt.Errorf("--at %w, not %q", err, r.At)
	}
	return nil
}

func (r recoverCmd) wanted() recover.Wanted {
	w := recover.Wanted{From: recover.Source(r.From), At: r.At != "", AllowNonempty: r.AllowNonempty}
	if r.From == "auto" {
		w.From = ""
	}
	return w
}

// Run recovers one warehouse after the other, and reports all that were looked at.
func (r recoverCmd) Run(s *session) error {
	c, err := s.config()
	if err != nil {
		return err
	}
	if c.Metastore.Type == config.Memory {
		return fail(codeUsage, "metastore.type is memory: nothing is kept that a recovery could fill")
	}
	wanted, err := recovering(c, r.Warehouse)
	if err != nil {
		return err
	}
	log := s.logger(c.Logging).Level(max(zerolog.WarnLevel, logLevel(c.Logging.Level)))
	x := &recovery{recoverCmd: r, node: newNode(c, log, rescuing, journal.NewClock()), progress: newSpoken(s.stderr), at: time.Now(), damaged: map[uuid.UUID]error{}, torn: map[string]bool{}}
	x.kept = x.node.keeping(x)
	if err := x.open(s.stop); err != nil {
		return err
	}
	var all []recover.Report
	var errs []error
	for _, w := range x.node.warehouses {
		if wanted != "" && w.Name != wanted {
			continue
		}
		report, err := x.recover(s.stop, w)
		if err != nil {
			errs = append(errs, w.hint(err))
		}
		if report.Warehouse != "" {
			all = append(all, report)
		}
		if s.stop.Err() != nil {
			break
		}
	}
	err = errors.Join(errs...)
	x.node.refused = exitCode(err) == codeRefused
	err = errors.Join(err, x.node.Close())
	if err != nil && !x.DryRun && len(all)+len(x.damaged) > 0 {
		err = partly{err}
	}
	return x.tell(s, all, err)
}

// partly is an error beside something that was done.
type partly struct{ error }

func (p partly) Unwrap() error { return p.error }

// recovering is the name of the one warehouse to recover; empty for all.
func recovering(c config.Config, name string) (string, error) {
	for _, w := range c.Warehouses {
		if w.Name == name || name == "" {
			return name, nil
		}
	}
	return "", fail(codeUsage, "no warehouse is called %q", name)
}

// open opens what is there.
func (x *recovery) open(ctx context.Context) error {
	if err := x.traced(ctx); err != nil {
		return err
	}
	release, err := x.keepOut()
	var busy *held
	switch {
	case errors.As(err, &busy):
		return fail(codeRefused, "%w: stop it first, so that nothing is committed while the catalog is rebuilt", busy)
	case err != nil:
		return noLook(err)
	}
	_, err = x.node.take(ctx, release, []opens{
		{"opening the warehouses", x.openWarehouses}, {"opening the journal", x.kept.openJournal}, {"opening the pointer tables", x.kept.openTables},
	})
	return err
}

// keepOut keeps other processes out of the data folder. A dry run makes and changes
// nothing for that; where there is nothing it needs no lock.
func (x *recovery) keepOut() (release func() error, err error) {
	dir := x.node.config.DataDir
	if x.DryRun {
		return share(dir)
	}
	if err := makeDataDir(dir); err != nil {
		return nil, fail(codeNoLook, "data-dir: %w", err)
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}
