package postgres

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

var askHolders = fresh(`r.uuid`, `SELECT uuid FROM names WHERE warehouse = $1 AND parent = $2 AND name = $3 ORDER BY step DESC`)

// Holders are those that ever had a name, each once.
func (w *warehouse) Holders(ctx context.Context, id journal.Identifier) ([]uuid.UUID, error) {
	if id.Namespace.Check() != nil {
		return nil, ctx.Err()
	}
	all, err := answer(ctx, w, askHolders, scanUUID, keyOf(id.Namespace), []byte(id.Name))
	var holders []uuid.UUID
	seen := map[uuid.UUID]bool{}
	for _, holder := range all {
		if !seen[holder] {
			seen[holder] = true
			holders = append(holders, holder)
		}
	}
	return holders, err
}

var (
	askSteps = fresh(`r.what`, `SELECT what FROM history WHERE warehouse = $1 AND object = $2 ORDER BY step`)
	// The one before says where the last one began.
	askLastSteps = fresh(`r.what`, `SELECT what FROM history WHERE warehouse = $1 AND object = $2 ORDER BY step DESC LIMIT 2`)
	askMade      = fresh(`r.what`, `SELECT what FROM history WHERE warehouse = $1 AND object = $2 AND made = $3`)
)

// Steps are the moves of an object.
func (w *warehouse) Steps(ctx context.Context, object uuid.UUID) ([]projections.Step, error) {
	whats, err := answer(ctx, w, askSteps, scanBytes, [16]byte(object))
	if err != nil {
		return nil, err
	}
	steps := make([]projections.Step, len(whats))
	var before *projections.Step
	for i, what := range whats {
		if steps[i], err = unpackStep(object, what, before); err != nil {
			return nil, err
		}
		before = &steps[i]
	}
	return steps, nil
}

// LastStep is the newest move of an object.
func (w *warehouse) LastStep(ctx context.Context, object uuid.UUID) (projections.Step, bool, error) {
	whats, err := answer(ctx, w, askLastSteps, scanBytes, [16]byte(object))
	if err != nil || len(whats) == 0 {
		return projections.Step{}, false, err
	}
	var before *projections.Step
	if len(whats) > 1 {
		was, _, err := pointers.UnpackStep(whats[1])
		if err != nil {
			return projections.Step{}, false, err
		}
		before = &was
	}
	step, err := unpackStep(object, whats[0], before)
	return step, true, err
}

// Created asks for the number, and reads the location in the step.
func (w *warehouse) Created(ctx context.Context, object uuid.UUID, location string) (bool, error) {
	whats, err := answer(ctx, w, askMade, scanBytes, [16]byte(object), pointers.FileKey(location))
	for _, what := range whats {
		step, _, err := pointers.UnpackStep(what)
		if err != nil || location != "" && step.Made() == location {
			return err == nil, err
		}
	}
	return false, err
}

// unpackStep reads a step of an object, and where it began from the one before.
func unpackStep(object uuid.UUID, what []byte, before *projections.Step) (projections.Step, error) {
	step, from, err := pointers.UnpackStep(what)
	if err == nil {
		err = pointers.BeginStep(&step, object, from, before)
	}
	return step, err
}
