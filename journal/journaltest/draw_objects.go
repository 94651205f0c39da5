package journaltest

import (
	"pgregory.net/rapid"

	"puddle/journal"
)

// objectStep is something that happens to tables and views: what there must be
// for it, and how it is drawn.
type objectStep struct {
	needs func(*Story) bool
	draw  func(*Story, *rapid.T)
}

// objectSteps are all of them. What needs more comes first, since the first are
// drawn more often.
var objectSteps = []objectStep{
	{hasPending, func(s *Story, t *rapid.T) { s.Purge(rapid.SampledFrom(s.Pending()).Draw(t, "pending")) }},
	{hasGone, func(s *Story, t *rapid.T) { s.Undrop(s.drawGone(t).UUID, s.drawFree(t)) }},
	{hasGone, func(s *Story, t *rapid.T) { s.Return(s.drawGone(t).UUID, s.drawFree(t)) }},
	{hasObjects, func(s *Story, t *rapid.T) { s.Drop(s.drawObject(t), !rapid.Bool().Draw(t, "keep the files")) }},
	{hasObjects, func(s *Story, t *rapid.T) { s.Repoint(s.drawObject(t)) }},
	{hasObjects, func(s *Story, t *rapid.T) { s.Rename(s.drawObject(t), s.drawFree(t)) }},
	{has(journal.View), func(s *Story, t *rapid.T) { s.ReplaceView(s.drawOf(t, s.keys(journal.View))) }},
	{has(journal.Table), func(s *Story, t *rapid.T) { s.Commit(s.drawOf(t, s.keys(journal.Table))) }},
	{has(journal.Table), func(s *Story, t *rapid.T) { s.drawMany(t, s.keys(journal.Table)) }},
	{has(journal.Table), func(s *Story, t *rapid.T) { s.Register(journal.Table, s.drawOf(t, s.keys(journal.Table))) }},
	{has(journal.Table), func(s *Story, t *rapid.T) { s.Unregister(s.drawOf(t, s.keys(journal.Table))) }},
	{always, func(s *Story, t *rapid.T) { s.CreateTable(s.drawFree(t)) }},
	{always, func(s *Story, t *rapid.T) { s.CreateView(s.drawFree(t)) }},
	{always, func(s *Story, t *rapid.T) { s.Register(drawKind(t), s.drawFree(t)) }},
}

func always(*Story) bool       { return true }
func hasObjects(s *Story) bool { return len(s.Objects) > 0 }
func hasGone(s *Story) bool    { return len(s.gone) > 0 }
func hasPending(s *Story) bool { return len(s.Pending()) > 0 }

func has(kind journal.ObjectKind) func(*Story) bool {
	return func(s *Story) bool { return len(s.keys(kind)) > 0 }
}

// drawObjectStep appends one that the model allows now.
func (s *Story) drawObjectStep(t *rapid.T) {
	var able []int
	for i, step := range objectSteps {
		if step.needs(s) {
			able = append(able, i)
		}
	}
	objectSteps[rapid.SampledFrom(able).Draw(t, "step")].draw(s, t)
}
