package projections

import (
	"errors"

	"github.com/google/uuid"
)

// errForgets: these tables keep no history.
var errForgets = errors.New("no history is kept")

// LastStep is at the front of the object's past.
func (h *held) LastStep(object uuid.UUID) (Step, bool, error) {
	if h.depth == noHistory {
		return Step{}, false, errForgets
	}
	newest, ok := h.steps.get(string(object[:]))
	if !ok {
		return Step{}, false, nil
	}
	return newest.value, true, nil
}

// Import puts the steps at the front. They led to versions before anything that is
// counted.
func (h *held) Import(steps []Step) error {
	for _, s := range steps {
		before, _ := h.steps.get(string(s.Move.UUID[:]))
		h.keep(&past[Step]{value: s, before: before, count: before.counted()})
	}
	return nil
}

// keep puts a step at the front of its object's past, and the object at that of its
// name.
func (h *held) keep(step *past[Step]) {
	if h.depth == newestStep {
		step.before = nil
	}
	m := step.value.Move
	h.steps = h.steps.put(string(m.UUID[:]), step)
	if Names(m) {
		name := nameKey(m.To.Identifier)
		before, _ := h.holders.get(name)
		h.holders = h.holders.put(name, &past[uuid.UUID]{value: m.UUID, before: before})
	}
}
