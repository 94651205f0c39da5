package projections

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
)

// importHistory adds old steps to the history of objects that are not there yet. Each
// begins where the last one of its object ended, or is a birth: history is kept so.
func importHistory(t Tables, at journal.Seq, b journal.HistoryImported) error {
	last := map[uuid.UUID]*Step{}
	steps := make([]Step, len(b.Steps))
	for i, imported := range b.Steps {
		s := StepOfImport(imported)
		before, met := last[s.Move.UUID]
		if !met {
			var err error
			before, err = lastStep(t, s.Move)
			if err != nil && !errors.Is(err, errForgets) {
				return err
			}
			met = err == nil
		}
		if err := checkImport(at, before, s); met && err != nil {
			return err
		}
		steps[i] = s
		last[s.Move.UUID] = &steps[i]
	}
	return t.Import(steps)
}

// lastStep is where the history of an object ends that is not there; nil: it has none.
func lastStep(t Tables, m journal.Move) (*Step, error) {
	if _, known, err := t.FindObject(m.UUID); err != nil {
		return nil, err
	} else if known {
		return nil, conflict(UUIDTaken, m, m.UUID)
	}
	step, ok, err := t.LastStep(m.UUID) // of a past incarnation
	if err != nil || !ok {
		return nil, err
	}
	return &step, nil
}

func checkImport(at journal.Seq, before *Step, s Step) error {
	switch from := s.Move.From; {
	case s.Seq >= at || before != nil && s.Seq <= before.Seq:
		return fmt.Errorf("%w: the step of %s at %s is not older than what follows it", journal.ErrRecord, s.Move.UUID, s.Seq)
	case from == nil:
		return nil
	case before == nil || before.Move.To == nil || before.Move.Kind != s.Move.Kind || !before.Move.To.Identifier.Equal(from.Identifier):
		return conflict(ObjectMissing, s.Move, uuid.Nil)
	case before.Move.To.Pointer != from.Pointer:
		return conflict(PointerMoved, s.Move, uuid.Nil)
	}
	return nil
}

// ImportOf is a step as history-imported has it.
func ImportOf(s Step) journal.ImportedStep {
	return journal.ImportedStep{
		Actor: s.Actor, At: s.At.UnixMilli(), Event: s.Event, Kind: s.Kind, Move: s.Move, RequestID: s.RequestID, Seq: s.Seq,
	}
}
