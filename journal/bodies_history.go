package journal

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// HistoryImported is history of which the events are lost: old moves, as pointer
// tables have kept them, in the order in which they happened. It moves nothing: it is
// recorded before anything of the catalog is brought back, and only history has it.
type HistoryImported struct {
	Steps []ImportedStep `json:"steps"` // at least one, at most MaxMoves
}

// ImportedStep is one old move with what is known of its event. Updates and places are
// not: Move.Updates and Move.To.Places are empty.
type ImportedStep struct {
	Actor     Actor     `json:"actor"`
	At        int64     `json:"at"` // ms UTC
	Event     uuid.UUID `json:"event"`
	Kind      Kind      `json:"kind"`
	Move      Move      `json:"move"`
	RequestID string    `json:"request-id,omitempty"`
	Seq       Seq       `json:"seq"`
}

// stepKinds are the kinds whose events move something, and what.
var stepKinds = map[Kind]ObjectKind{
	KindTableCreated: Table, KindTableRegistered: Table, KindTablesCommitted: Table, KindTableRenamed: Table, KindTableDropped: Table,
	KindTableUnregistered: Table, KindTableUndropped: Table, KindTableRepointed: Table,
	KindViewCreated: View, KindViewRegistered: View, KindViewReplaced: View, KindViewRenamed: View, KindViewDropped: View,
	KindViewUndropped: View, KindViewRepointed: View,
}

// Kind is KindHistoryImported.
func (HistoryImported) Kind() Kind { return KindHistoryImported }

func (HistoryImported) moves() []Move { return nil }

func (b HistoryImported) check() error {
	if len(b.Steps) == 0 {
		return errors.New("an import has no steps")
	}
	if len(b.Steps) > MaxMoves {
		return fmt.Errorf("%w: %d steps, the limit is %d", ErrTooLarge, len(b.Steps), MaxMoves)
	}
	last := Seq(0)
	for _, s := range b.Steps {
		if err := s.check(); err != nil {
			return fmt.Errorf("step at %s: %w", s.Seq, err)
		}
		if s.Seq < last {
			return fmt.Errorf("the step at %s comes after that at %s", s.Seq, last)
		}
		last = s.Seq
	}
	return nil
}

func (s ImportedStep) check() error {
	m := s.Move
	switch {
	case stepKinds[s.Kind] == "" || s.Seq == 0 || s.Event == uuid.Nil || max(s.At, -s.At) > maxMillis:
		return fmt.Errorf("it is of no event: %q", s.Kind)
	case m.UUID == uuid.Nil || m.Kind != stepKinds[s.Kind] || m.From == nil && m.To == nil:
		return fmt.Errorf("a %s moves no %q", s.Kind, m.Kind)
	case len(m.Updates) > 0 || m.To != nil && len(m.To.Places) > 0:
		return errors.New("it has updates or places")
	case m.To != nil:
		return m.To.Identifier.Check()
	}
	return m.From.Identifier.Check()
}

func (b HistoryImported) write(w *writer) {
	w.raw(`"steps":[`)
	for i := range b.Steps {
		w.comma(i)
		w.imported(&b.Steps[i])
	}
	w.raw(`]`)
}

func (w *writer) imported(s *ImportedStep) {
	w.raw(`{"actor":`)
	w.text(string(s.Actor))
	w.raw(`,"at":`)
	w.integer(s.At)
	w.raw(`,"event":`)
	w.uuid(s.Event)
	w.raw(`,"kind":`)
	w.text(string(s.Kind))
	w.raw(`,"move":`)
	w.move(&s.Move)
	w.optional(`,"request-id":`, s.RequestID)
	w.raw(`,"seq":`)
	w.seq(s.Seq)
	w.raw(`}`)
}
