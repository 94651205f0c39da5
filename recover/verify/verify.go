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
	"puddle/recover"
)

// MaxLevel is the last level that there is.
const MaxLevel = 4

// Warehouse is one warehouse to look at.
type Warehouse struct {
	Name     string
	Location string
	ID       uuid.UUID
	Roots    warehouse.Roots // none: it is in the journal alone, and only that is looked at
	Journal  journal.Journal
	Auditor  journal.Auditor           // nil: the journal cannot be looked through, only read
	Tables   projections.Store         // nil: there are none to compare
	Now      projections.Reader        // of a catalog that is being served; nil: nothing changes meanwhile
	Settled  func(warehouse.Info) bool // tells files that nobody is about to name; nil: all

	Ephemeral bool // the journal ends with its process: the warehouse has no anchor
}

// Options say what to look at.
type Options struct {
	Level  int     // 1 to MaxLevel: all levels up to it
	Sample float64 // of levels 3 and 4: the share of the objects, above 0 and up to 1
	Seed   uint64  // picks the sample: another one, other objects
	Files  int     // how many are read at the same time; default 8
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
	Tables       string      `json:"tables"` // what came of level 2
	Objects      int64       `json:"objects"`
	Files        int64       `json:"files"`
	Bytes        int64       `json:"bytes"`
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
	// State is the fold of the journal; nil when the journal is damaged.
	State *projections.State
	// Whole: nothing is wrong with the chain of events, and it is the newest journal
	// of this warehouse that anything knows of.
	Whole bool
	// TablesDiffer: the pointer tables are to be made anew.
	TablesDiffer bool
	// Broken are the live objects whose file is missing or changed, by uuid.
	Broken []projections.Object
	// Live are all live objects; none before level 2.
	Live []projections.Object
}

// Run looks at a warehouse. It changes nothing, and may be run beside a server.
// The error is the context's.
func Run(ctx context.Context, w Warehouse, o Options, sink Sink) (Result, error) {
	if o.Files == 0 {
		o.Files = 8
	}
	r := &run{Warehouse: w, Options: o, sink: sink, from: w.Journal.Warehouse(w.ID)}
	r.summary = Summary{Warehouse: w.Name, Level: o.Level, Tables: "not looked at"}
	for i, look := range []func(context.Context) error{r.chain, r.fold, r.objects} {
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
	return Result{r.summary, r.state, !r.broken && !r.doubt, r.differs, r.mendable, r.live}, nil
}

// run is the work on one warehouse.
type run struct {
	Warehouse
	Options
	sink  Sink
	from  journal.Reader
	level int

	summary Summary
	state   *projections.State   // the fold up to the head
	live    []projections.Object // by state, or else by the pointer tables
	broken  bool                 // the chain of events is
	doubt   bool                 // it may be an older journal, or another one
	differs bool                 // the pointer tables do

	mendable []projections.Object // their file is missing or changed
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

// Twice tells of objects that are live in two of the warehouses (case 48): each of
// them writes versions that the other does not know.
func Twice(results []Result, sink Sink) {
	type home struct{ warehouse, location string }
	held := map[uuid.UUID]home{}
	for _, r := range results {
		for _, o := range r.Live {
			first, taken := held[o.UUID]
			if !taken {
				held[o.UUID] = home{r.Summary.Warehouse, o.Pointer.MetadataLocation}
				continue
			}
			sink.Found(Finding{Level: 2, Severity: Error, Kind: KindTwice, Warehouse: r.Summary.Warehouse, Place: o.Pointer.MetadataLocation,
				Message: fmt.Sprintf("it is also in warehouse %s, at %s: unregister one of them", first.warehouse, first.location)}.of(o))
		}
	}
}

// settled tells whether a file is old enough that its event would be there.
func (r *run) settled(info warehouse.Info) bool { return r.Settled == nil || r.Settled(info) }

// SettledAfter is a Settled for stores that tell the time in nanoseconds.
func SettledAfter(now func() time.Time, age time.Duration) func(warehouse.Info) bool {
	return func(info warehouse.Info) bool { return now().Sub(time.Unix(0, info.Modified)) > age }
}
