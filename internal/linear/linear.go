package linear

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Outcome is what the client of a commit knows.
type Outcome int

// The outcomes. A refused commit is one whose requirement did not hold; commits
// that were surely not done for another reason are no part of a history.
const (
	Done Outcome = iota
	Refused
	Unknown
)

// Op is one request that concerned the main branch of one table. Call and Return
// are moments on one clock; the Return of what nobody ever answered is when it
// surely could not be done any more.
type Op struct {
	Table        string
	Client       int
	Call, Return time.Duration
	Load         bool
	Seen         int64 // of a load: what it found; of a commit: what it asserts; 0: no snapshot
	Sets         int64 // of a commit: the snapshot it makes current
	Outcome      Outcome
}

func (o Op) String() string {
	if o.Load {
		return fmt.Sprintf("load: %d", o.Seen)
	}
	return fmt.Sprintf("%d to %d: %s", o.Seen, o.Sets, []string{"done", "refused", "unknown"}[o.Outcome])
}

// ErrUndecided means that the time was not enough.
var ErrUndecided = errors.New("no order was found or excluded in time")

// Check judges the histories of tables, each of which begins without a snapshot
// and is never set to the same one by two commits.
// An error names the first table, by name, whose answers no order makes right, or
// wraps ErrUndecided. Each table may take as long as given.
func Check(history []Op, atMost time.Duration) error {
	tables := map[string][]Op{}
	for _, op := range history {
		tables[op.Table] = append(tables[op.Table], op)
	}
	model := branch.ToModel()
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		ops := tables[name]
		operations, possible := narrowed(ops)
		result := porcupine.Illegal
		if possible {
			result = porcupine.CheckOperationsTimeout(model, operations, atMost)
		}
		switch result {
		case porcupine.Illegal:
			return fmt.Errorf("no order of the %d requests to %s makes all answers right", len(ops), name)
		case porcupine.Unknown:
			return fmt.Errorf("%w: %d requests to %s", ErrUndecided, len(ops), name)
		}
	}
	return nil
}

// narrowed is false when an op can only have happened after its end, or when two
// commits left the same snapshot: what no search has to find out.
func narrowed(ops []Op) (operations []porcupine.Operation, possible bool) {
	narrow(ops)
	left := map[int64]bool{}
	for _, op := range ops {
		done := !op.Load && op.Outcome == Done
		if op.Call > op.Return || done && left[op.Seen] {
			return nil, false
		}
		left[op.Seen] = left[op.Seen] || done
		operations = append(operations, porcupine.Operation{ClientId: op.Client, Input: op, Call: int64(op.Call), Return: int64(op.Return)})
	}
	return operations, true
}

// branch is the main branch of one table: its state is a snapshot id.
var branch = porcupine.NondeterministicModel{
	Init: func() []any { return []any{int64(0)} },
	Step: func(state, input, _ any) []any {
		at, op := state.(int64), input.(Op)
		holds := at == op.Seen
		switch {
		case op.Load && holds, !op.Load && op.Outcome == Refused && !holds:
			return []any{at}
		case op.Load, op.Outcome == Refused:
			return nil
		case op.Outcome == Done && holds:
			return []any{op.Sets}
		case op.Outcome == Done:
			return nil
		case holds:
			return []any{at, op.Sets}
		}
		return []any{at}
	},
	DescribeOperation: func(input, _ any) string { return input.(Op).String() },
}
