package purge_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"puddle/rest/catalog/purge"
)

// Case 50: what a table would be recovered by goes before its first file, and as
// long as it cannot go every file stays.
func TestCase50_ForgottenBeforeTheFirstFile(t *testing.T) {
	w := fresh(t)
	dead := plain("dead", root+"/a")
	w.dropped(t, dead)
	had := w.left(t)
	w.clock.now = w.clock.now.Add(grace)
	o, fails, calls := w.options(t), true, 0
	o.Forget = func(_ context.Context, table uuid.UUID) error {
		if calls++; table != dead.id || !slices.Equal(w.left(t), had) {
			t.Errorf("asked for %s when %q are left", table, w.left(t))
		}
		if fails {
			return errInjected
		}
		return nil
	}
	if out := outcomes(t, o, 1)[0]; out.Result != purge.Waiting || !errors.Is(out.Err, errInjected) {
		t.Fatalf("it ended %s: %v", out.Result, out.Err)
	}
	w.wantLeft(t, had...)
	w.wantMarks(t, w.pending(t)[0].Drop)
	fails = false
	if out := outcomes(t, o, 1)[0]; out.Result != purge.Closed {
		t.Fatalf("it ended %s: %v", out.Result, out.Err)
	}
	w.wantLeft(t)
	if calls != 2 {
		t.Errorf("asked %d times", calls)
	}
}
