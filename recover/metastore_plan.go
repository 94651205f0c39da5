package recover

import (
	"context"

	"puddle/projections"
)

// PlanMetastore plans the recovery of a warehouse from pointer tables whose journal is
// lost: they are what the journal had said, which is the evidence that it names. It
// reads nothing else. Of their history see ImportHistory.
func PlanMetastore(ctx context.Context, name string, tables projections.Dumper) (Plan, error) {
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
		plan.Objects = append(plan.Objects, planHeld(o, ByJournal))
	}
	plan.order()
	return plan, nil
}
