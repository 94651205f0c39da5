package main

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
)

// inDatabase compacts a journal that is in a database. Pointer tables hold steps of what
// the journal is about to lose: they are emptied, and made anew when it is done, or by the
// next start.
func (c compactCmd) inDatabase(s *session, configured config.Config) (err error) {
	log := s.logger(configured.Logging).Level(max(zerolog.WarnLevel, logLevel(configured.Logging.Level)))
	purpose := rescuing
	if c.DryRun {
		purpose = reporting
	}
	n := newShared(configured, log, purpose, journal.NewClock())
	defer func() { err = errors.Join(err, n.Close()) }()
	for _, open := range []func(context.Context) error{n.openJournal, n.openTables} {
		if err := open(s.stop); err != nil {
			return noLook(err)
		}
	}
	counted, emptied := counting{to: s.stderr, now: time.Now}, false
	o := journalpostgres.CompactOptions{Prune: c.PruneIncarnations, Now: n.steady.now(), DryRun: c.DryRun, Progress: counted.tell}
	o.Pruning = func() error {
		emptied = true
		return n.empty(s.stop)
	}
	if c.DocumentsOlderThan != nil {
		o.Retain = *c.DocumentsOlderThan
	}
	done, err := n.db.Compact(s.stop, o)
	counted.end()
	switch {
	case errors.Is(err, journal.ErrLocked):
		return fail(codeNoLook, "%w: stop them first", err)
	case err != nil:
		return compactFailed(err)
	}
	if emptied {
		if _, _, err := n.makeTables(s.stop); err != nil {
			return noLook(err)
		}
	}
	return c.report(s, n.journalName(), "", done)
}
