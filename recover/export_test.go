package recover

import (
	"context"

	"puddle/recover/descent"
)

// PlanSidecarsBy is PlanSidecars with another way to choose files.
func PlanSidecarsBy(ctx context.Context, e Evidences, by func(descent.Object, []descent.File, descent.Proof) descent.Choice) (Plan, error) {
	return planSidecars(ctx, e, by)
}
