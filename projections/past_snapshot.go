package projections

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// Snapshot is what was true of a warehouse as of one event. It answers as the present
// did then, and never changes. Safe for concurrent use.
type Snapshot struct {
	Reader // of the state; of steps it has none
	held   held
	at     time.Time
	from   journal.Reader
	steps  Stepper // also of later
}

// Position is that of the event.
func (s *Snapshot) Position() journal.Position { return s.held.cursor }

// At is the time of the event.
func (s *Snapshot) At() time.Time { return s.at }

// Steps are those up to the event. It reads all that the object has until now.
func (s *Snapshot) Steps(ctx context.Context, object uuid.UUID) ([]Step, error) {
	steps, err := s.steps.Steps(ctx, object)
	return slices.DeleteFunc(steps, func(step Step) bool { return step.Seq > s.held.cursor.Seq }), err
}

// LastStep reads the event that made it.
func (s *Snapshot) LastStep(ctx context.Context, object uuid.UUID) (Step, bool, error) {
	at, ok := s.held.marks.get(string(object[:]))
	if !ok {
		return Step{}, false, ctx.Err()
	}
	if at.imported {
		steps, err := s.Steps(ctx, object)
		if len(steps) == 0 {
			return Step{}, false, err
		}
		return steps[len(steps)-1], true, err
	}
	for e, err := range s.from.Scan(ctx, at.newest-1) {
		if err != nil {
			return Step{}, false, err
		}
		for _, m := range slices.Backward(e.Moves()) {
			if m.UUID == object {
				return StepOf(e, m), true, nil
			}
		}
		break
	}
	return Step{}, false, fmt.Errorf("%w: event %d did not move %s", ErrDiverged, at.newest, object)
}

// Created looks at all Steps.
func (s *Snapshot) Created(ctx context.Context, object uuid.UUID, location string) (bool, error) {
	steps, err := s.Steps(ctx, object)
	return location != "" && slices.ContainsFunc(steps, func(step Step) bool { return step.Made() == location }), err
}

// EachNamespace yields the namespaces after a key, ascending, each with its key; the
// empty key is before all.
func (s *Snapshot) EachNamespace(after string) iter.Seq2[string, Namespace] {
	return func(yield func(string, Namespace) bool) {
		for key, n := range s.held.namespaces.from(after) {
			if key == after {
				continue
			}
			n.Properties = maps.Clone(n.Properties)
			if !yield(key, n) {
				return
			}
		}
	}
}

// EachObject yields the live objects after a key, ascending by identifier, each with
// its key; the empty key is before all.
func (s *Snapshot) EachObject(after string) iter.Seq2[string, Object] {
	return func(yield func(string, Object) bool) {
		for key, id := range s.held.names.from(after) {
			if key == after {
				continue
			}
			if o, _ := s.held.objects.get(string(id[:])); !yield(key, o.Object) {
				return
			}
		}
	}
}
