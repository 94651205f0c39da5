package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

var _ journal.Auditor = (*Journal)(nil)

// Audit implements journal.Auditor.
func (j *Journal) Audit(ctx context.Context, warehouse uuid.UUID, found func(journal.Flaw)) (journal.Audited, error) {
	return j.AuditAfter(ctx, warehouse, journal.Audited{}, found, func(journal.Audited) {})
}

// AuditAfter implements journal.Auditor. No transaction of it reads more than
// batchEvents events, keys or answers, or batchBytes of them and one more.
func (j *Journal) AuditAfter(ctx context.Context, warehouse uuid.UUID, after journal.Audited, found func(journal.Flaw), reached func(journal.Audited)) (journal.Audited, error) {
	var lives []uuid.UUID
	var strange []journal.Flaw
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		lives, err = incarnations(tx, warehouse, func(f journal.Flaw) { strange = append(strange, f) })
		return err
	})
	// Incarnations and requests are looked at again.
	total := journal.Audited{Events: after.Events, Documents: after.Documents, Through: map[uuid.UUID]journal.Position{}}
	if err := flawed(err, found); err != nil {
		return total, err
	}
	maps.Copy(total.Through, after.Through)
	if err := j.stillThere(ctx, warehouse, after, lives); err != nil {
		return total, err
	}
	for _, f := range strange {
		found(f)
	}
	starts := map[uuid.UUID]journal.Event{}
	for _, incarnation := range lives {
		of := reader{j, warehouse, incarnation}
		a := &audit{
			reader: of, x: journal.Examination{Found: found, Seen: &total,
				Kept: func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
					return of.kept(ctx, seq, move)
				},
			},
			reached: func() {
				reached(journal.Audited{Events: total.Events, Documents: total.Documents, Through: maps.Clone(total.Through)})
			},
		}
		if err := flawed(a.run(ctx), found); err != nil {
			return total, err
		}
		total.Incarnations++
		starts[incarnation] = a.x.First
	}
	return total, flawed(j.lineage(ctx, starts), found)
}

// stillThere is ErrNotAudited unless the events that were looked at are there.
func (j *Journal) stillThere(ctx context.Context, warehouse uuid.UUID, after journal.Audited, lives []uuid.UUID) error {
	for incarnation, through := range after.Through {
		if !slices.Contains(lives, incarnation) {
			continue // it was pruned
		}
		e, err := reader{j, warehouse, incarnation}.one(ctx, through.Seq)
		var damage *journal.Damage
		if err != nil && !errors.As(err, &damage) {
			return err
		}
		if err != nil || e.Position != through {
			return fmt.Errorf("%w: %s is not in it", journal.ErrNotAudited, through)
		}
	}
	return nil
}

// flawed hands a damage to found and answers any other error.
func flawed(err error, found func(journal.Flaw)) error {
	var damage *journal.Damage
	if errors.As(err, &damage) {
		found(journal.Flaw{Damage: *damage})
		return nil
	}
	return err
}

// incarnations lists those of a warehouse, and what else is in its bucket.
func incarnations(tx *bbolt.Tx, warehouse uuid.UUID, found func(journal.Flaw)) (ids []uuid.UUID, err error) {
	b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:])
	if b == nil {
		return nil, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
	}
	strange := func(reason string, args ...any) {
		found(journal.Flaw{Damage: journal.Damage{Warehouse: warehouse, Reason: fmt.Sprintf(reason, args...)}})
	}
	current := uuid.Nil
	err = b.ForEach(func(key, value []byte) error {
		id, err := uuid.FromBytes(key)
		switch {
		case bytes.Equal(key, keyCurrent):
			current, _ = uuid.FromBytes(value)
		case err == nil && value == nil:
			ids = append(ids, id)
		default:
			strange("there is %q among its incarnations", key)
		}
		return nil
	})
	if err == nil && (current == uuid.Nil || b.Bucket(current[:]) == nil) {
		strange("the current incarnation is not named, or missing")
	}
	return ids, err
}

// lineage checks that every incarnation that continues another begins after it,
// where that one is still there.
func (j *Journal) lineage(ctx context.Context, starts map[uuid.UUID]journal.Event) error {
	for _, first := range starts {
		start, ok := first.Body.(journal.IncarnationStarted)
		if !ok || start.Parent == nil {
			continue
		}
		if _, kept := starts[start.Parent.Incarnation]; !kept {
			continue // it was pruned
		}
		at, err := reader{j, first.Warehouse, start.Parent.Incarnation}.at(ctx, start.Parent.Seq)
		if err != nil {
			return err
		}
		if damage := first.Continues(*start.Parent, at); damage != nil {
			return damage
		}
	}
	return nil
}

// at is the position of the event at a seq.
func (r reader) at(ctx context.Context, seq journal.Seq) (journal.Position, error) {
	for e, err := range r.Scan(ctx, seq-1) {
		return e.Position, err
	}
	return journal.Position{}, nil
}
