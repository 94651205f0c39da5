package projections

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// A state of the present is the state without its history, also after it was made anew.
func TestPresentIsTheStateWithoutHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, id := context.Background(), uuid.New()
		from, _ := lineageOf(t, id)
		state, present := NewState(id), NewPresent(id)
		want := dumpOf(t, state, CatchUp(ctx, from, 0, state))
		want.Steps = nil
		for range 2 {
			differ(t, "present", dumpOf(t, present, CatchUp(ctx, from, 0, present)), want)
			for _, o := range want.Objects {
				if holders, err := present.Holders(ctx, o.Identifier); len(holders) > 0 || err != nil {
					t.Fatal(holders, err)
				}
			}
			if err := present.Reset(ctx); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func dumpOf(t *rapid.T, s *State, err error) Dump {
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dump(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}
