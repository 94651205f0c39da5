package recover_test

import (
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/recover"
)

// TestOvertaken: a recovery of which the archive, the anchor or a sidecar has seen more than
// the journal is not under way, but was lost with the end of the journal.
func TestOvertaken(t *testing.T) {
	own, other := uuid.UUID{1}, uuid.UUID{2}
	at := func(of uuid.UUID, seq journal.Seq) journal.Position {
		return journal.Position{Incarnation: of, Seq: seq}
	}
	run := &recover.Run{Start: journal.Event{Position: at(own, 1_000_001)}}
	seen := func(run *recover.Run, last journal.Position) recover.Seen {
		return recover.Seen{Remains: recover.Remains{Last: &last}, Run: run, Head: at(own, 1_000_005)}
	}
	for what, c := range map[string]struct {
		seen recover.Seen
		want bool
	}{
		"nothing is known beside the journal": {recover.Seen{Run: run, Head: at(own, 1_000_005)}, false},
		"it was interrupted":                  {seen(run, at(own, 1_000_005)), false},
		"an earlier incarnation is archived":  {seen(run, at(other, 99)), false},
		"more of it was seen":                 {seen(run, at(own, 1_000_006)), true},
		"none is under way":                   {seen(nil, at(own, 1_000_006)), false},
	} {
		if got := c.seen.Overtaken(); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}
