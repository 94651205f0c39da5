package recover

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"puddle/journal"
	"puddle/projections"
)

// Bounds of one event of an import.
const (
	importSteps = 1000
	importBytes = 2 << 20 // of texts, which escapes can make six times as long
)

// ImportHistory records the history that pointer tables have, in the order in which it
// happened, ahead of everything else that the recovery records. What an earlier run has
// recorded it passes over; once more than history is recorded, it is complete. Steps
// that cannot be read end it: the error is then a projections.ErrDamaged, and what was
// before them is recorded. It answers how many steps the journal has.
func ImportHistory(ctx context.Context, steps iter.Seq2[projections.Step, error], t Target) (n int, err error) {
	there, over, err := imported(ctx, t.Events)
	if err != nil || over {
		return there, err
	}
	i := importing{Target: t, recorded: there}
	read := 0
	for s, err := range steps {
		if err != nil {
			return i.recorded, errors.Join(err, i.flush(ctx))
		}
		if read++; read <= there {
			continue
		}
		if err := i.add(ctx, projections.ImportOf(s)); err != nil {
			return i.recorded, err
		}
	}
	err = i.flush(ctx)
	return i.recorded, err
}

// imported counts the steps at the beginning of an incarnation, and tells whether
// anything else follows.
func imported(ctx context.Context, events journal.Reader) (n int, over bool, err error) {
	for e, err := range events.Scan(ctx, 0) {
		if err != nil {
			return n, false, err
		}
		switch b := e.Body.(type) {
		case journal.IncarnationStarted:
		case journal.HistoryImported:
			n += len(b.Steps)
		default:
			return n, true, nil
		}
	}
	return n, false, nil
}

// importing is one run.
type importing struct {
	Target
	recorded int // steps
	batch    []journal.ImportedStep
	bytes    int
}

func (i *importing) add(ctx context.Context, s journal.ImportedStep) error {
	i.batch = append(i.batch, s)
	i.bytes += textOf(s)
	if len(i.batch) < importSteps && i.bytes < importBytes {
		return nil
	}
	return i.flush(ctx)
}

// flush records a batch. Its id follows from how many steps were before it.
func (i *importing) flush(ctx context.Context) error {
	if len(i.batch) == 0 {
		return nil
	}
	cause := i.Cause
	cause.Origin = journal.OriginImport
	_, err := i.Catalog.Recorder.Record(ctx, journal.Draft{
		Warehouse: i.Catalog.ID, ID: EventID(*i.Start, historyEvent(i.recorded)), Cause: cause,
		Body: journal.HistoryImported{Steps: i.batch},
	})
	// A crash leaves whole batches.
	if err != nil {
		return fmt.Errorf("%w: history after %d moves: %w", ErrIncomplete, i.recorded, err)
	}
	i.recorded += len(i.batch)
	i.batch, i.bytes = nil, 0
	return nil
}

// textOf is how long the texts of a step are.
func textOf(s journal.ImportedStep) int {
	n := len(s.RequestID) + len(s.Actor)
	if from := s.Move.From; from != nil {
		n += len(from.Identifier.Namespace.Key()) + len(from.Identifier.Name) + len(from.Pointer.MetadataLocation)
	}
	if to := s.Move.To; to != nil {
		n += len(to.Identifier.Namespace.Key()) + len(to.Identifier.Name) + len(to.Pointer.MetadataLocation) + len(to.Location)
	}
	return n
}
