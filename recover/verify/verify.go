package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/archive"
	"puddle/recover"
)

// MaxLevel is the last level that there is.
const MaxLevel = 4

// Warehouse is one warehouse to look at.
type Warehouse struct {
	Name      string
	Location  string
	ID        uuid.UUID
	Roots     warehouse.Roots // none: it is in the journal alone, and only that is looked at
	Externals warehouse.Roots // external warehouses, where files of its objects may be
	Journal   journal.Journal
	Auditor   journal.Auditor    // nil: the journal cannot be looked through, only read
	Tables    projections.Store  // nil: there are none to compare
	Fold      projections.Store  // empty: what the journal is folded into; nil: in memory
	Now       projections.Reader // of a catalog that is being served; nil: nothing changes meanwhile
	Settling  *Settling          // tells files that nobody is about to name; nil: all

	Beside    bool // the tables can be made anew while servers run
	Ephemeral bool // the journal ends with its process: the warehouse has no anchor
}

// Options say what to look at.
type Options struct {
	Level  int       // 1 to MaxLevel: all levels up to it
	Sample float64   // of levels 3 and 4: the share of the objects, above 0 and up to 1
	Seed   uint64    // picks the sample: another one, other objects
	Files  int       // how many are read at the same time; default 32
	Began  time.Time // ages of files are told as of then

	// From is how far an earlier run with the same options came: what it looked at, and
	// no event has changed since, is left out. A run of another history is not gone on
	// with. NotFrom says why there is none, where one was asked for.
	From    *Progress
	NotFrom string
	// Reached is told often how far the run is; by one goroutine. Nil: nobody.
	Reached func(Progress)
}

// Summary is what was looked at in one warehouse, and how much of it.
type Summary struct {
	Warehouse    string      `json:"warehouse"`
	Incarnation  uuid.UUID   `json:"incarnation"`
	Seq          journal.Seq `json:"seq"` // of the head when it began
	Level        int         `json:"level"`
	Incarnations int64       `json:"incarnations"`
	Events       int64       `json:"events"`
	Documents    int64       `json:"documents"`
	NotKept      int64       `json:"documents-not-kept"`
	Erased       int64       `json:"documents-erased"`
	Archived     int64       `json:"events-archived"`
	ArchivedTo   journal.Seq `json:"archived-to"` // of the current incarnation
	SidecarsTo   journal.Seq `json:"sidecars-to"` // as their cursor says; 0: level 2 was not looked at, or nobody knows
	Tables       string      `json:"tables"`      // what came of level 2
	Objects      int64       `json:"objects"`
	Files        int64       `json:"files"`
	Bytes        int64       `json:"bytes"`
	// TooYoung are files that no event names, and that are not told because they may be of
	// a change under way. LookAgain is from when on none of them may; zero: there is none.
	TooYoung  int64     `json:"files-too-young"`
	LookAgain time.Time `json:"look-again,omitzero"`
	Resumed   string    `json:"resumed,omitempty"` // what an earlier run had looked at
}

// Unseen is something that could not be looked at: neither fine nor a finding.
type Unseen struct {
	Warehouse string `json:"warehouse"`
	Place     string `json:"place"`
	Message   string `json:"message"`
}

// Sink is told what is found, by one goroutine at a time.
type Sink interface {
	Found(Finding)
	Unseen(Unseen)
	// Progress tells how far a level is: done of all, which may be 0: not known.
	Progress(warehouse string, level int, done, all int64)
}

// Result is what else came of looking at a warehouse.
type Result struct {
	Summary Summary
	// Whole: nothing is wrong with the chain of events, and it is the newest journal
	// of this warehouse that anything knows of.
	Whole bool
	// TablesDiffer: the pointer tables are to be made anew.
	TablesDiffer bool
	// Broken are the live objects whose file is missing or changed, by uuid.
	Broken []projections.Object

	holes  []archive.Hole
	live   []uuid.UUID // ascending; none before level 2
	source projections.Reader
}

// Run looks at a warehouse. It changes nothing, and may be run beside a server.
// The error is the context's.
func Run(ctx context.Context, w Warehouse, o Options, sink Sink) (Result, error) {
	if o.Files == 0 {
		o.Files = 32
	}
	if o.Reached == nil {
		o.Reached = func(Progress) {}
	}
	ctx = warehouse.InBackground(ctx)
	r := newRun(w, o, sink)
	for i, look := range []func(context.Context) error{r.chain, r.folded, r.objects, r.leftovers} {
		if i+1 > o.Level || len(w.Roots) == 0 && i > 1 {
			break
		}
		r.level = i + 1
		if err := look(ctx); err != nil {
			if ctx.Err() != nil {
				return Result{}, ctx.Err()
			}
			r.unseen(fmt.Sprint("level ", r.level), err)
		}
	}
	slices.SortFunc(r.mendable, func(a, b projections.Object) int { return byUUID(a.UUID, b.UUID) })
	return Result{
		Summary: r.summary, Whole: !r.broken && !r.doubt, TablesDiffer: r.differs, Broken: r.mendable, holes: r.holes, live: r.live, source: r.source,
	}, nil
}

// run is the work on one warehouse.
type run struct {
	Warehouse
	Options
	sink  Sink
	from  journal.Reader // the current incarnation
	level int

	summary Summary
	extent  extent                // of the journal
	reached Progress              // so far
	fold    projections.Warehouse // of the journal; nil: it is damaged
	source  projections.Reader    // the fold, or else the pointer tables
	stands  journal.Position      // where the source stood when its live objects were listed
	live    []uuid.UUID           // the live objects by it, ascending
	broken  bool                  // the chain of events is
	doubt   bool                  // it may be an older journal, or another one
	differs bool                  // the pointer tables do

	holes    []archive.Hole       // in the archive
	mendable []projections.Object // their file is missing or changed, by uuid
}

func newRun(w Warehouse, o Options, sink Sink) *run {
	r := &run{Warehouse: w, Options: o, sink: sink, from: w.Journal.Warehouse(w.ID)}
	r.summary = Summary{Warehouse: w.Name, Level: o.Level, Tables: "not looked at"}
	r.reached.Warehouse = w.ID
	if o.From != nil && o.From.Warehouse == w.ID {
		r.reached = o.From.own()
	}
	if o.NotFrom != "" {
		r.summary.Resumed = "nothing: " + o.NotFrom
	}
	return r
}

func (r *run) found(f Finding) {
	f.Warehouse, f.Level = r.Name, r.level
	r.sink.Found(f)
}

func (r *run) unseen(place string, err error) {
	r.sink.Unseen(Unseen{r.Name, place, err.Error()})
}

// damaged tells a damage of the journal, which was told already when the chain was
// looked at; any other error it answers.
func (r *run) damaged(err error) error {
	var damage *journal.Damage
	if !errors.As(err, &damage) {
		return err
	}
	if !r.broken {
		r.flaw(journal.Flaw{Damage: *damage})
	}
	return nil
}

func (r *run) recoverCommand() string { return "puddle recover --warehouse " + r.Name }

// Subject finds the warehouse that a start would bind. What it would refuse is told,
// and so is that there is no history yet: the id is then Nil.
func Subject(ctx context.Context, b recover.Binder, w recover.Warehouse, sink Sink) (uuid.UUID, error) {
	id, err := b.Judge(ctx, w)
	f := Finding{Level: 1, Severity: Error, Kind: KindIdentity, Warehouse: w.Name, Place: w.Location}
	var refusal *recover.Refusal
	var damage *journal.Damage
	switch {
	case errors.As(err, &refusal):
		f.Message, f.Next = refusal.Reason, refusal.Command
	case errors.As(err, &damage):
		f.Message, f.Next = "it cannot be told which history is its own: "+damage.Error(), "puddle recover --warehouse "+w.Name
	case errors.Is(err, recover.ErrUnborn):
		f.Severity, f.Message = Note, "it has no history yet"
	default:
		return id, err
	}
	sink.Found(f)
	return uuid.Nil, nil
}

// Settling tells files that nobody is about to name from others by their age at a moment,
// which is no later than that of the run. What has come since is not settled, however long
// the run takes: it does not know all that was named since.
type Settling struct {
	At  time.Time
	Age time.Duration
}

// settled tells whether a file is old enough that its event would be there.
func (r *run) settled(info warehouse.Info) bool {
	return r.Settling == nil || r.Settling.At.Sub(time.Unix(0, info.Modified)) > r.Settling.Age
}

// young are files that were passed over because they are not settled.
type young struct {
	Files  int64 `json:"files"`
	Newest int64 `json:"newest"` // when the last of them was modified
}

func (y *young) add(other young) {
	y.Files, y.Newest = y.Files+other.Files, max(y.Newest, other.Newest)
}

// passedOver tells the summary of files that are too young.
func (r *run) passedOver(files young) {
	if files.Files == 0 {
		return
	}
	r.summary.TooYoung += files.Files
	settled := time.Unix(0, files.Newest).Add(r.Settling.Age).UTC().Truncate(time.Second).Add(time.Second)
	if settled.After(r.summary.LookAgain) {
		r.summary.LookAgain = settled
	}
}
