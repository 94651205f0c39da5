package sqlite

import (
	"database/sql"
	"slices"

	"github.com/google/uuid"

	"puddle/projections"
	"puddle/projections/pointers"
)

// steps reads the last steps of an object, at most limit of them, the oldest first;
// a limit below zero means all.
func (t *tables) steps(object uuid.UUID, limit int) ([]projections.Step, error) {
	row, err := t.find(object)
	if err != nil || row == nil {
		return nil, err
	}
	return t.stepsTo(object, row.step, limit)
}

// stepsTo reads from a step back.
func (t *tables) stepsTo(object uuid.UUID, step int64, limit int) ([]projections.Step, error) {
	var steps []projections.Step
	var began []bool
	more := limit
	if limit > 0 {
		more++ // to say where the first one began
	}
	err := t.each(func(rows *sql.Rows) error {
		var what sql.RawBytes
		if err := rows.Scan(&what); err != nil {
			return err
		}
		s, from, err := pointers.UnpackStep(what)
		steps, began = append(steps, s), append(began, from)
		return err
	}, `WITH RECURSIVE past (before, what) AS (
			SELECT before, what FROM history WHERE step = ?
			UNION ALL SELECT history.before, history.what FROM past CROSS JOIN history
				WHERE history.step = past.before AND history.before < history.step)
		SELECT what FROM past LIMIT ?`, step, more)
	if err != nil {
		return nil, err
	}
	asked := len(steps)
	if limit > 0 {
		asked = min(limit, asked)
	}
	for i := range asked {
		var before *projections.Step
		if i+1 < len(steps) {
			before = &steps[i+1]
		}
		if err := pointers.BeginStep(&steps[i], object, began[i], before); err != nil {
			return nil, err
		}
	}
	steps = steps[:asked]
	slices.Reverse(steps)
	return steps, nil
}

// lastStep reads the last row of an object, and the one before.
func (t *tables) lastStep(object uuid.UUID) (step projections.Step, ok bool, err error) {
	steps, err := t.steps(object, 1)
	if err != nil || len(steps) == 0 {
		return projections.Step{}, false, err
	}
	return steps[0], true, nil
}
