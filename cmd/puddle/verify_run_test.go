package main

import (
	"context"
	"errors"
	"testing"

	"puddle/projections"
	"puddle/recover/verify"
)

// TestTablesThatAreNotMadeAnew: a repair that fails on the way names where the old
// pointer tables are.
func TestTablesThatAreNotMadeAnew(t *testing.T) {
	for _, aside := range []string{"", "puddle.db.broken-20260102T030405.000Z"} {
		broken := errors.New("broken")
		var said []verifyLine
		v := &verification{
			makeTables: func(context.Context) (projections.Store, string, error) { return nil, aside, broken },
			say:        func(line verifyLine) { said = append(said, line) },
		}
		v.mendTables(t.Context(), true, verifySink{func(f verify.Finding) { t.Errorf("found %v", f) }, v.say})
		want := "broken"
		if aside != "" {
			want += "; what was there is kept as " + aside
		}
		if len(said) != 1 || said[0].Unseen == nil || said[0].Unseen.Message != want {
			t.Errorf("said %+v, want %q", said, want)
		}
	}
}
