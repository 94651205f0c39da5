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
	last := map[uuid.UUID]End{}
	steps := make([]Step, len(b.Steps))
	for i, imported := range b.Steps {
		s := StepOfImport(imported)
		before, met := last[s.Move.UUID]
		if !met {
			var err error
			before, err = lastEnd(t, s.Move)
			if err != nil && !errors.Is(err, errForgets) {
				return err
			}
			met = err == nil
		}
		if err := checkImport(at, before, s); met && err != nil {
			return err
		}
		steps[i], last[s.Move.UUID] = s, s.End()
	}
	return t.Import(steps)
}

// lastEnd is where the history of an object ends that is not there; zero: it has none.
func lastEnd(t Tables, m journal.Move) (End, error) {
	if _, known, err := t.FindObject(m.UUID); err != nil {
		return End{}, err
	} else if known {
		return End{}, conflict(UUIDTaken, m, m.UUID)
	}
	end, _, err := t.LastEnd(m.UUID)
	return end, err
}

func checkImport(at journal.Seq, before End, s Step) error {
	switch from := s.Move.From; {
	case s.Seq >= at || s.Seq <= before.Seq:
		return fmt.Errorf("%w: the step of %s at %s is not older than what follows it", journal.ErrRecord, s.Move.UUID, s.Seq)
	case from == nil:
		return nil
	case before.To == nil || before.Kind != s.Move.Kind || !before.To.Identifier.Equal(from.Identifier):
		return conflict(ObjectMissing, s.Move, uuid.Nil)
	case before.To.Pointer != from.Pointer:
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
