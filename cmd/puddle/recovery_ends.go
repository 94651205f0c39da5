package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	journalpostgres "puddle/journal/postgres"
)

// lookAtEnds looks whether the ends of all histories hold together, as opening a file does:
// what lies between is read when a plan is made of it. *journal.Damage: they do not.
func lookAtEnds(ctx context.Context, j *journalpostgres.DB) error {
	headless, err := j.Headless(ctx)
	for _, id := range headless {
		return &journal.Damage{Warehouse: id, Reason: "its head is missing"}
	}
	if err != nil {
		return err
	}
	ids, err := j.Warehouses(ctx)
	for _, id := range ids {
		if err == nil {
			err = lookAtEnd(ctx, j, id)
		}
	}
	return err
}

func lookAtEnd(ctx context.Context, j journal.Journal, id uuid.UUID) error {
	from := j.Warehouse(id)
	head, err := from.Head(ctx)
	if err != nil {
		return err
	}
	last := journal.Position{}
	for e, err := range from.ScanBack(ctx, 0) {
		if last = e.Position; err != nil {
			return err
		}
		break
	}
	if last != head {
		return &journal.Damage{Warehouse: id, Incarnation: head.Incarnation, Seq: head.Seq,
			Reason: fmt.Sprintf("the head says %s, the last event is %s", head, last)}
	}
	for _, err := range from.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		break
	}
	_, err = j.Incarnations(ctx, id)
	return err
}
