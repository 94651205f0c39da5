package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"puddle/journal"
	"puddle/journal/postgres"
)

// reachTime bounds a look at the database.
const reachTime = 2 * time.Second

// reach implements metastore: it asks the database, and reads of each warehouse. One that
// is busy is there, also when this replica alone keeps it so. Who only reads asks for no more.
func (n *shared) reach(ctx context.Context) error {
	if n.purpose == reporting {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	err := n.db.Check(ctx)
	for _, w := range n.warehouses {
		if err == nil {
			_, err = n.journal.Warehouse(w.id).Head(ctx)
		}
	}
	if err == nil {
		err = n.db.CheckEnds(ctx)
	}
	if err == nil {
		err = n.readTables(ctx)
	}
	if pool := n.db.Pool().Stat(); err != nil && ctx.Err() != nil {
		if pool.AcquiredConns() >= pool.MaxConns() {
			return inWords(n.unreached())
		}
		err = fmt.Errorf("%w: %w", postgres.ErrAway, err)
	}
	n.saw(err)
	if err := inWords(n.unreached()); err != nil {
		return err
	}
	if err != nil && !errors.Is(err, postgres.ErrBusy) {
		return errTables
	}
	return nil
}

// inWords says why changes are refused for anybody.
func inWords(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, postgres.ErrWentBack):
		return errors.New("the database does not hold what it acknowledged: it was restored or failed over; do not restart any replica, see docs/operations.md#the-database-went-back")
	case errors.Is(err, postgres.ErrEndMissing):
		return errors.New("the newest event of a warehouse is missing in the database: an operator must look, with puddle verify")
	case errors.Is(err, postgres.ErrAlone):
		return errors.New("a recovery or a compaction is alone with the database")
	case errors.Is(err, postgres.ErrNotLetIn):
		return errors.New("the database does not let this process in")
	case errors.Is(err, postgres.ErrAway):
		return errors.New("the database cannot be reached")
	case errors.Is(err, postgres.ErrReadOnly):
		return errors.New("the database is read only")
	case errors.Is(err, postgres.ErrNoSession):
		return errors.New("a pooler before the database does not keep sessions")
	}
	return errors.New("the database would not keep what it acknowledges")
}

// refusals are the errors of a database that takes no changes until it is another one.
var refusals = []error{postgres.ErrWentBack, postgres.ErrEndMissing, postgres.ErrAway, postgres.ErrReadOnly, postgres.ErrFsyncOff, postgres.ErrSynchronousCommitOff, postgres.ErrNoSession}

// unreached implements metastore.
func (n *shared) unreached() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

// observe implements metastore. What one warehouse takes says nothing of another one that
// went back; and one that lacks its newest event has gone back as well.
func (n *shared) observe(err error) {
	last := n.unreached()
	missing, back := errors.Is(last, postgres.ErrEndMissing), errors.Is(last, postgres.ErrWentBack)
	switch {
	case err == nil && (missing || back), missing && errors.Is(err, postgres.ErrWentBack):
		return
	}
	n.saw(err)
}

// heads are those of the warehouses, and with them it is seen which went back.
func (n *shared) heads(ctx context.Context) (journal.Heads, error) {
	heads, err := n.db.Heads(ctx)
	n.sawHeads(err)
	return heads, err
}

func (n *shared) sawHeads(err error) {
	last := n.unreached()
	if (err == nil || errors.Is(err, postgres.ErrWentBack)) && (last == nil || errors.Is(last, postgres.ErrWentBack)) {
		n.saw(err)
	}
}

// saw keeps what a look says of all that is there, and tells when the database is another one.
func (n *shared) saw(err error) {
	var refused error
	for _, one := range refusals {
		if refused == nil && errors.Is(err, one) {
			refused = err
		}
	}
	if refused == nil && err != nil {
		return // it says nothing of the database
	}
	refused = n.withNames(refused)
	n.mu.Lock()
	before := n.last
	n.last = refused
	n.mu.Unlock()
	switch was, is := inWords(before), inWords(refused); {
	case is == nil && was != nil:
		n.log.Info().Msg("the database takes changes again")
	case is != nil && (was == nil || was.Error() != is.Error()):
		line := n.log.Error().Err(refused)
		if errors.Is(refused, postgres.ErrWentBack) {
			line.Str("see", "docs/operations.md#the-database-went-back")
		}
		line.Msg("changes are refused: " + is.Error())
	}
}
