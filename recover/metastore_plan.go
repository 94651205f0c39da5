package recover

import (
	"context"

	"puddle/projections"
)

// PlanMetastore plans the recovery of a warehouse from pointer tables whose journal is
// lost: they are what the journal had said, which is proven unless something says that
// more was recorded later. It reads nothing else. Of their history see ImportHistory.
func PlanMetastore(ctx context.Context, name string, tables projections.Dumper, later bool) (Plan, error) {
	moment, err := tables.Moment(ctx)
	if err != nil {
		return Plan{}, err
	}
	defer moment.Close()
	plan := Plan{Warehouse: name, From: FromMetastore}
	for n, err := range moment.Namespaces() {
		if err != nil {
			return Plan{}, err
		}
		plan.Namespaces = append(plan.Namespaces, PlannedNamespace{Name: n.Name, ID: n.ID, Properties: n.Properties, From: string(FromMetastore)})
	}
	for o, err := range moment.Objects() {
		if err != nil {
			return Plan{}, err
		}
		held := planHeld(o, ByMetastore)
		if later {
			held.Confidence = Inferred
		}
		plan.Objects = append(plan.Objects, held)
	}
	plan.order()
	return plan, nil
}
