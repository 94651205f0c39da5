package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// purgeColumns are those of a purgeRow.
const purgeColumns = `uuid, event, seq, at, done, namespace, name, held`

// purgeRow is a row of purges on its way in, which may be NULL.
type purgeRow struct {
	uuid, event           pgtype.UUID
	seq, at               pgtype.Int8
	done                  pgtype.Bool
	namespace, name, held []byte
}

func (r *purgeRow) into() []any {
	return []any{&r.uuid, &r.event, &r.seq, &r.at, &r.done, &r.namespace, &r.name, &r.held}
}

func (r *purgeRow) purge() (projections.Purge, error) {
	var o projections.HeldObject
	err := pointers.UnpackObject(r.held, &o)
	return projections.Purge{
		Table: r.uuid.Bytes, Drop: r.event.Bytes, Seq: journal.Seq(r.seq.Int64), At: time.UnixMilli(r.at.Int64).UTC(), Done: r.done.Bool,
		Identifier: journal.Identifier{Namespace: journal.NamespaceOfKey(string(r.namespace)), Name: string(r.name)},
		Pointer:    o.Pointer, Location: o.Location, Places: o.Places,
	}, err
}

func scanPurgeOrNone(row pgx.Row, at *standing) (projections.Purge, bool, error) {
	var r purgeRow
	if err := row.Scan(append(at.into(), r.into()...)...); err != nil || !r.uuid.Valid {
		return projections.Purge{}, false, err
	}
	p, err := r.purge()
	return p, true, err
}
