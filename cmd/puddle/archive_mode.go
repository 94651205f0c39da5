package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"puddle/cmd/puddle/config"
	"puddle/journal"
	"puddle/projections/archive"
	"puddle/rest"
	"puddle/rest/catalog"
)

// notArchived is said where the archive is off: at a start, and by config check.
const notArchived = "journal.archive is off: when the machine or its disk is lost, nothing in the warehouse proves what was committed"

// archiveFailed tells why something is not archived, and what nothing but a decision
// can mend.
func archiveFailed(log zerolog.Logger, warehouse string) func(error) {
	return func(err error) {
		line, message := log.Warn(), "archive is late"
		var damage *archive.Damage
		switch {
		case archive.Final(err):
			line, message = log.Error().Str("see", "docs/operations.md#the-archive-has-stopped"), "archive has stopped"
		case errors.Is(err, archive.ErrPast):
			line, message = line.Str("see", "puddle verify "+warehouse+" --level 1"), "archive of an earlier incarnation is left as it is"
		case errors.As(err, &damage):
			line = line.Str("see", "puddle verify "+warehouse+" --level 1 --repair")
		}
		line.Str("warehouse", warehouse).Err(err).Msg(message)
	}
}

// archived is the archive, for those who ask; nil where nobody can tell.
func (n *node) archived(w *warehouse) func() rest.Archive {
	mode := n.config.Journal.Archive
	switch {
	case n.config.Metastore.Type == config.Memory:
		return nil
	case mode == string(archive.Off):
		return func() rest.Archive { return rest.Archive{Mode: mode} }
	case !w.follows:
		return nil
	}
	return func() rest.Archive {
		if t := w.term.Load(); t != nil {
			s := t.archive.State()
			since := n.lag(w, &w.lacks.archive, t, s.Sealed.Seq)
			return rest.Archive{Mode: mode, Seq: s.Sealed.Seq, Since: since, Err: s.Err, Stopped: s.Final(), Failed: s.Failed}
		}
		ctx, cancel := context.WithTimeout(context.Background(), lookTime)
		defer cancel()
		end, _, err := archive.Head(ctx, w.roots[0].Store)
		seq, since, err := n.elsewhere(w, &w.lacks.archive, end, err)
		return rest.Archive{Mode: mode, Seq: seq, Since: since, Err: err, Elsewhere: true}
	}
}

// sealing is the follower for whose archive changes wait; nil: they do not.
func (n *node) sealing(w *warehouse) *archive.Follower {
	if t := w.term.Load(); t != nil && archive.Mode(n.config.Journal.Archive) == archive.Sync {
		return t.archive
	}
	return nil
}

// archiving is a recorder whose changes are done when the archive has them.
type archiving struct {
	catalog.Recorder
	archive *archive.Follower
}

// Record refuses what would not be archived, records, and waits. A change that is
// recorded when the request's time is over is not known to be what was promised, and so
// its outcome is unknown; it is made.
func (a archiving) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	if err := a.archive.State().Err; err != nil {
		return journal.Event{}, &catalog.Error{
			Code: catalog.Unavailable, Message: "The change was not made: the journal cannot be archived at the moment", Err: err,
		}
	}
	e, err := a.Recorder.Record(ctx, d)
	if err != nil {
		return e, err
	}
	return e, unarchived(a.archive.Wait(ctx, e.Position), e.Seq)
}

// unarchived is the outcome of a change that the journal has and the archive may lack.
func unarchived(err error, seq journal.Seq) error {
	if err == nil {
		return nil
	}
	return &catalog.Error{
		Code: catalog.OutcomeUnknown, Message: "The change is in the journal, and was not archived in time: look whether it is there",
		Err: fmt.Errorf("%w: event %d is not in the archive: %w", journal.ErrUnknownOutcome, seq, err),
	}
}

// repeats is a journal that answers what was asked before when the archive has it.
type repeats struct {
	journal.Reader
	archive *archive.Follower
}

// repeatTime bounds a wait that has no end of its own.
const repeatTime = time.Minute

// Answered implements journal.Reader.
func (r repeats) Answered(ctx context.Context, actor journal.Actor, key string, now time.Time) (journal.Answer, bool, error) {
	answer, known, err := r.Reader.Answered(ctx, actor, key, now)
	if err != nil || !known || answer.Seq == 0 {
		return answer, known, err
	}
	ctx, cancel := context.WithTimeout(ctx, repeatTime)
	defer cancel()
	if err := r.archive.Wait(ctx, journal.Position{Seq: answer.Seq}); err != nil {
		return answer, false, errors.Join(journal.ErrUnknownOutcome, err)
	}
	return answer, true, nil
}
