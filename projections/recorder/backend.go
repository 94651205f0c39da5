package recorder

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// backend is what the five steps are taken over, and what it means there that one of
// them fails. There are two: embedded and shared.
type backend interface {
	// lane is where what is for a warehouse queues.
	lane(ctx context.Context, warehouse uuid.UUID) (*lane, error)
	// passes divides what was taken into what may go through the steps together:
	// answers that do are of one warehouse.
	passes(taken load) []load
	// begin is step 1.
	begin(ctx context.Context, taken load) (pass, error)
	// stops tells whether an error is the end of recording, and not of a group alone.
	stops(err error) bool
	// mend repairs a step 4 that failed, when the callers know. An error is the end
	// of recording.
	mend(l *lane, reason error) error
	reader(warehouse uuid.UUID) projections.Reader
	// ready tells why reads wait; nil when they do not.
	ready() error
}

// pass is one group's way through the steps. One goroutine uses it.
type pass interface {
	// chain is where a warehouse's history ended when the pass began; false when it
	// has none.
	chain(warehouse uuid.UUID) (journal.Chain, bool)
	now() journal.Instant
	find(ctx context.Context, warehouse, id uuid.UUID) (journal.Event, bool, error)
	// certain tells whether what find has found is durable whatever comes; else it is
	// when the pass was recorded.
	certain() bool
	// answered tells whether the request's key is bound at a moment.
	answered(ctx context.Context, warehouse uuid.UUID, r journal.Request, at time.Time) (bool, error)
	// apply is step 2: see projections.Tx.
	apply(ctx context.Context, e journal.Event) error
	// record is step 3. Its errors are those of journal.Writer.
	record(ctx context.Context, entries []journal.Entry, answers []journal.Answer) error
	// show is step 4.
	show() error
	// rollback gives up what was not recorded. Idempotent.
	rollback() error
}
