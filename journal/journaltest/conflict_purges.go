package journaltest

import (
	"slices"

	"pgregory.net/rapid"

	"puddle/journal"
)

// purgeNothing closes a purge that is not pending: nobody asked for it, it is
// done, it was cancelled, or it is that of another drop.
func (s *Story) purgeNothing(t *rapid.T) (journal.Body, bool) {
	b := s.purged(s.mint(), s.mint())
	var asked []journal.TablePurged
	for _, d := range s.Drafts {
		if drop, ok := d.Body.(journal.TableDropped); ok {
			asked = append(asked, journal.TablePurged{Drop: d.ID, Table: drop.Moves[0].UUID})
		}
	}
	if len(asked) > 0 {
		old := rapid.SampledFrom(asked).Draw(t, "drop")
		if p, ok := s.Purges[old.Table]; !ok || p.Done || p.Drop != old.Drop {
			b.Table, b.Drop = old.Table, old.Drop
		}
	}
	if pending := s.Pending(); len(pending) > 0 && rapid.Bool().Draw(t, "pending, of another drop") {
		b.Table = rapid.SampledFrom(pending).Draw(t, "table")
		b.Drop = s.mint()
	}
	return b, true
}

// undropStranger undrops what was never there.
func (s *Story) undropStranger(t *rapid.T) (journal.Body, bool) {
	if len(s.Namespaces) == 0 {
		return nil, false
	}
	return undropped(s.newcomer(drawKind(t), s.drawFree(t))), true
}

// undropLive undrops what is there, whatever its kind.
func (s *Story) undropLive(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 {
		return nil, false
	}
	move := s.newcomer(drawKind(t), s.drawFree(t))
	move.UUID = s.Objects[s.drawObject(t).Key()].UUID
	return undropped(move), true
}

// undropAtTaken undrops at a place that somebody has by now.
func (s *Story) undropAtTaken(t *rapid.T) (journal.Body, bool) {
	if len(s.Objects) == 0 || len(s.gone) == 0 {
		return nil, false
	}
	move := s.returning(s.drawGone(t), s.drawFree(t))
	held := s.Objects[s.drawObject(t).Key()].To.Places
	move.To.Places = append(slices.Clone(move.To.Places), rapid.SampledFrom(held).Draw(t, "held"))
	return s.drawReturn(t, move), true
}

// drawReturn draws the body that brings back what is gone.
func (s *Story) drawReturn(t *rapid.T, m journal.Move) journal.Body {
	return rapid.SampledFrom([]journal.Body{registered(m), undropped(s.asDropped(m))}).Draw(t, "how")
}

// undropElsewhere undrops to another pointer than the dropped one's.
func (s *Story) undropElsewhere(t *rapid.T) (journal.Body, bool) {
	if len(s.Namespaces) == 0 || len(s.gone) == 0 {
		return nil, false
	}
	return undropped(s.settle(s.returning(s.drawGone(t), s.drawFree(t)))), true
}
