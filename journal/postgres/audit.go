package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

var _ journal.Auditor = (*DB)(nil)

// Audit implements journal.Auditor.
func (db *DB) Audit(ctx context.Context, warehouse uuid.UUID, found func(journal.Flaw)) (journal.Audited, error) {
	return db.AuditAfter(ctx, warehouse, journal.Audited{}, found, func(journal.Audited) {})
}

// AuditAfter implements journal.Auditor. No statement of it reads more than a page of
// events with their documents, or of answers.
func (db *DB) AuditAfter(ctx context.Context, warehouse uuid.UUID, after journal.Audited, found func(journal.Flaw), reached func(journal.Audited)) (journal.Audited, error) {
	// Incarnations and requests are looked at again.
	total := journal.Audited{Events: after.Events, Documents: after.Documents, Through: map[uuid.UUID]journal.Position{}}
	maps.Copy(total.Through, after.Through)
	lives, strange, err := db.lives(ctx, warehouse)
	if err != nil {
		return total, err
	}
	if err := db.stillThere(ctx, warehouse, after, lives); err != nil {
		return total, err
	}
	for _, reason := range strange {
		found(journal.Flaw{Damage: journal.Damage{Warehouse: warehouse, Reason: reason}})
	}
	starts := map[uuid.UUID]journal.Event{}
	for _, incarnation := range lives {
		a := db.auditing(ctx, warehouse, incarnation, found, &total)
		a.reached = func() {
			reached(journal.Audited{Events: total.Events, Documents: total.Documents, Through: maps.Clone(total.Through)})
		}
		if err := flawed(a.run(ctx), found); err != nil {
			return total, err
		}
		total.Incarnations++
		starts[incarnation] = a.x.First
	}
	return total, flawed(db.lineage(ctx, starts), found)
}

// flawed hands a damage to found and answers any other error.
func flawed(err error, found func(journal.Flaw)) error {
	if damage, ok := errors.AsType[*journal.Damage](err); ok {
		found(journal.Flaw{Damage: *damage})
		return nil
	}
	return err
}

// kept selects the incarnations of which a table holds something, without reading
// all of it.
func kept(table string) string {
	return strings.ReplaceAll(`WITH RECURSIVE i AS (
			(SELECT incarnation FROM TABLE WHERE warehouse = $1 ORDER BY incarnation LIMIT 1)
			UNION ALL SELECT (SELECT incarnation FROM TABLE WHERE warehouse = $1 AND incarnation > i.incarnation ORDER BY incarnation LIMIT 1)
			FROM i WHERE i.incarnation IS NOT NULL)
		SELECT incarnation FROM i WHERE incarnation IS NOT NULL`, "TABLE", table)
}

const (
	selectListed  = `SELECT incarnation FROM incarnations WHERE warehouse = $1 ORDER BY first`
	selectPresent = `SELECT incarnation FROM heads WHERE warehouse = $1`
)

// lives are the incarnations of a warehouse, and what is strange about them. What is
// listed is read last: what was there before is listed by then.
func (db *DB) lives(ctx context.Context, warehouse uuid.UUID) (lives []uuid.UUID, strange []string, err error) {
	tables := []string{"events", "documents", "requests"}
	var found [5][]uuid.UUID
	err = db.Read(ctx, func(conn *pgx.Conn) error {
		var batch pgx.Batch
		for i, sql := range []string{kept(tables[0]), kept(tables[1]), kept(tables[2]), selectPresent, selectListed} {
			batch.Queue(sql, warehouse).Query(func(rows pgx.Rows) error {
				ids, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
				found[i] = nil
				for _, id := range ids {
					found[i] = append(found[i], id)
				}
				return err
			})
		}
		return conn.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return nil, nil, err
	}
	lives = found[4]
	for i, table := range tables {
		for _, id := range found[i] {
			if !slices.Contains(found[4], id) {
				strange = append(strange, fmt.Sprintf("there are %s of the incarnation %s, which is not listed", table, id))
			}
			if table == "events" && !slices.Contains(lives, id) {
				lives = append(lives, id)
			}
		}
	}
	current := found[3]
	switch {
	case len(current) == 0 && len(lives) == 0 && len(strange) == 0:
		return nil, nil, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
	case len(current) == 0 || !slices.Contains(found[4], current[0]):
		strange = append(strange, "the current incarnation is not named, or missing")
	}
	return lives, strange, nil
}

// stillThere is ErrNotAudited unless the events that were looked at are there.
func (db *DB) stillThere(ctx context.Context, warehouse uuid.UUID, after journal.Audited, lives []uuid.UUID) error {
	for incarnation, through := range after.Through {
		if !slices.Contains(lives, incarnation) {
			continue // it was pruned
		}
		e, err := db.one(ctx, warehouse, incarnation, through.Seq)
		if _, damaged := errors.AsType[*journal.Damage](err); err != nil && !damaged {
			return err
		}
		if err != nil || e.Position != through {
			return fmt.Errorf("%w: %s is not in it", journal.ErrNotAudited, through)
		}
	}
	return nil
}

// one is the event at a seq, which must be there.
func (db *DB) one(ctx context.Context, warehouse, incarnation uuid.UUID, seq journal.Seq) (journal.Event, error) {
	h := history{Reading: journal.Reading{Warehouse: warehouse, Head: journal.Position{Incarnation: incarnation}}}
	return reader{db: db, warehouse: warehouse, incarnation: incarnation}.at(ctx, h, seq)
}

// lineage checks that every incarnation that continues another begins after it,
// where that one is still there.
func (db *DB) lineage(ctx context.Context, starts map[uuid.UUID]journal.Event) error {
	for _, first := range starts {
		start, ok := first.Body.(journal.IncarnationStarted)
		if !ok || start.Parent == nil {
			continue
		}
		if _, kept := starts[start.Parent.Incarnation]; !kept {
			continue // it was pruned
		}
		at, err := db.one(ctx, first.Warehouse, start.Parent.Incarnation, start.Parent.Seq)
		if err != nil {
			return err
		}
		if damage := first.Continues(*start.Parent, at.Position); damage != nil {
			return damage
		}
	}
	return nil
}
