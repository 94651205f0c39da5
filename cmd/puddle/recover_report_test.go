package main

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/recover"
)

// A report names each object once: by its name and id, or where only its sidecar is known
// by that.
func TestObjectIsNamedOnce(t *testing.T) {
	id := uuid.MustParse("11111111-2222-4333-8444-555555555555")
	failed := recover.PlannedObject{UUID: id, Outcome: recover.Failed, Err: errors.New("why")}
	named := failed
	named.Kind, named.Identifier = journal.Table, journal.Identifier{Namespace: journal.Namespace{"s"}, Name: "t"}
	for want, o := range map[string]recover.PlannedObject{
		"  object with sidecar 11111111-2222-4333-8444-555555555555: failed: why": failed,
		"  table s.t (11111111-2222-4333-8444-555555555555): failed: why":         named,
	} {
		if got := objectLines(o); len(got) != 1 || got[0] != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
