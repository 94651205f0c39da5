package projections

import (
	"errors"

	"github.com/google/uuid"
)

// errForgets: these tables do not keep all steps.
var errForgets = errors.New("no history is kept")

// LastEnd is that of the front of the object's past.
func (h *held) LastEnd(object uuid.UUID) (End, bool, error) {
	if h.depth != allSteps {
		return End{}, false, errForgets
	}
	newest, ok := h.steps.get(string(object[:]))
	if !ok {
		return End{}, false, nil
	}
	return newest.value.End(), true, nil
}

// Import puts the steps at the front.
func (h *held) Import(steps []Step) error {
	for _, s := range steps {
		key := string(s.Move.UUID[:])
		switch h.depth {
		case allSteps:
			before, _ := h.steps.get(key)
			h.steps = h.steps.put(key, &past[Step]{s, before})
		case marksOnly:
			at, _ := h.marks.get(key)
			at.newest, at.imported = s.Seq, true
			at.meet(s.Move)
			h.marks = h.marks.put(key, at)
		}
		h.hold(s.Move)
	}
	return nil
}
