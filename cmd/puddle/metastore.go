package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/anchor"
	"puddle/projections/recorder"
	"puddle/rest"
)

// metastore is where a node keeps its journal and its pointer tables: in files, in
// memory, or in a database that other replicas write to as well.
type metastore interface {
	// openJournal opens the journal of the node, or makes an empty one where it serves.
	openJournal(context.Context) error
	// await takes a part of a start that may be taken twice, again for a while where what it
	// asks cannot be reached.
	await(ctx context.Context, part func() error) error
	// openTables opens its pointer tables.
	openTables(context.Context) error
	// replaceTables puts tables aside that cannot be used, since the journal has it all,
	// and opens empty ones.
	replaceTables(reason error) error
	// compare looks whether the tables hold what the journal's last events did, where
	// that may be in doubt. If not they are replaceable.
	compare(context.Context, *warehouse) error
	// trust says that all tables have been compared.
	trust()
	// replays tells whether a start brings the tables up to the journal.
	replays() bool
	// births is the journal as those that bear warehouses have it: journal.ErrNotNext
	// when another server bore one since they looked.
	births() journal.Journal
	// newRecorder starts the recorder.
	newRecorder(context.Context, recorder.Options) (*recorder.Recorder, error)
	// reach looks whether what is kept can be read and would take changes: in words for
	// anybody why not.
	reach(context.Context) error
	// unreached is what was seen last: why changes are refused, for the operator.
	unreached() error
	// observe takes in how a change ended.
	observe(error)
	// holds compares a journal that others write to with what its warehouse saw last of it.
	// What does not hold that is refused from now on; anchor.ErrOtherHistory where it has
	// another event there.
	holds(ctx context.Context, w *warehouse, saw anchor.Head) error
	// sizes are of what is kept. What cannot be measured is left out.
	sizes(context.Context) []rest.FileRoom
	// connections tells how those to a database are used; nil where there is none.
	connections() func() rest.Database
	// journalName names the journal, for people.
	journalName() string
	// makeTables makes the pointer tables anew of the journal, whose histories are all
	// there, and says where the old ones are, if they are kept, also when it fails after that.
	makeTables(context.Context) (projections.Store, string, error)
	// keeping is what a recovery knows of all this.
	keeping(*recovery) keeping

	// turnsAtFollowing tells whether replicas take turns at following the journals.
	turnsAtFollowing() bool
	// lead has the files of dropped tables removed, and where replicas take turns the
	// journals followed as well, until the node is closed.
	lead(context.Context) error
	// asking asks the clock that all replicas share; nil where it is that of the node.
	asking() func(context.Context) (time.Time, error)
	// fence waits for the turns that may have begun before a purge was marked; nil where
	// nobody else takes turns.
	fence(warehouse uuid.UUID) func(context.Context) error
}

// inMemory keeps nothing.
type inMemory struct{ embedded }

func (n inMemory) openJournal(context.Context) error {
	path := n.config.Journal.Path
	switch _, err := os.Stat(path); {
	case err == nil:
		return fail(codeRefused, "metastore.type is memory, which keeps nothing, and there is a journal: %s", path)
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	n.journal = journal.NewMemory()
	return nil
}

func (n inMemory) openTables(context.Context) error {
	n.tables = projections.NewMemory()
	n.onClose(n.tables.Close)
	return nil
}

func (n inMemory) sizes(context.Context) []rest.FileRoom { return nil }
