package purge

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// actor is who the events of purges say did it.
const actor = "purge"

// draft is the event that closes a purge. Its id is fixed, so that it can be
// recorded again after an unknown outcome.
func (j *Job) draft(p projections.Purge, r Report) (*journal.Draft, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	return &journal.Draft{
		Warehouse: j.Warehouse, ID: id,
		Cause: journal.Cause{Actor: journal.SystemActor(actor), Origin: journal.OriginREST},
		Body: journal.TablePurged{
			Drop: p.Drop, Table: p.Table,
			Removed: r.Removed, Kept: r.Kept, Failed: r.Failed, Bytes: r.Bytes, Report: r.Findings,
		},
	}, nil
}

// record closes a purge. An event that was cancelled or closed meanwhile is
// refused.
func (j *Job) record(ctx context.Context, p projections.Purge, d journal.Draft) error {
	_, err := j.Recorder.Record(ctx, d)
	var conflict *projections.Conflict
	if !errors.As(err, &conflict) {
		return err
	}
	if over := j.wanted(ctx, p); over != nil {
		return over
	}
	return err
}
