package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// purgeColumns are what scanPurge reads.
const purgeColumns = `uuid, seq, event_id, at, state, namespace, name, location,
	metadata_location, size, sha256, encoding, document_sha256, places`

// purgeRow is a row of purges on its way in.
type purgeRow struct {
	p         projections.Purge
	seq, at   int64
	state     string
	namespace string
	places    []byte
}

func (r *purgeRow) into() []any {
	p := &r.p.Pointer
	return []any{
		fixed(r.p.Table[:]), &r.seq, fixed(r.p.Drop[:]), &r.at, &r.state, &r.namespace, &r.p.Identifier.Name, &r.p.Location,
		&p.MetadataLocation, &p.Size, fixed(p.SHA256[:]), &p.Encoding, fixed(p.DocumentSHA256[:]), &r.places,
	}
}

func (r *purgeRow) purge() (projections.Purge, error) {
	r.p.Seq, r.p.At = journal.Seq(r.seq), time.UnixMilli(r.at).UTC()
	r.p.Done = r.state == "done"
	r.p.Identifier.Namespace = journal.NamespaceOfKey(r.namespace)
	if err := json.Unmarshal(r.places, &r.p.Places); err != nil {
		return r.p, fmt.Errorf("%w: places of a purge: %w", pointers.ErrCorrupt, err)
	}
	return r.p, nil
}

// FindPurge looks the table's uuid up.
func (t *tables) FindPurge(table uuid.UUID) (projections.Purge, bool, error) {
	var r purgeRow
	ok, err := t.row(`SELECT `+purgeColumns+` FROM purges WHERE warehouse = ? AND uuid = ?`, t.id[:], table[:]).find(r.into()...)
	if err != nil || !ok {
		return projections.Purge{}, false, err
	}
	p, err := r.purge()
	return p, true, err
}

// PutPurge inserts or replaces.
func (t *tables) PutPurge(p projections.Purge) error {
	places, err := json.Marshal(p.Places)
	if err != nil {
		return err
	}
	state := "pending"
	if p.Done {
		state = "done"
	}
	to := p.Pointer
	return t.exec(`INSERT INTO purges (warehouse, `+purgeColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (warehouse, uuid) DO UPDATE SET seq = excluded.seq, event_id = excluded.event_id, at = excluded.at,
			state = excluded.state, namespace = excluded.namespace, name = excluded.name, location = excluded.location,
			metadata_location = excluded.metadata_location, size = excluded.size, sha256 = excluded.sha256,
			encoding = excluded.encoding, document_sha256 = excluded.document_sha256, places = excluded.places`,
		t.id[:], p.Table[:], int64(p.Seq), p.Drop[:], p.At.UnixMilli(), state,
		p.Identifier.Namespace.Key(), p.Identifier.Name, p.Location,
		to.MetadataLocation, to.Size, to.SHA256[:], string(to.Encoding), to.DocumentSHA256[:], places)
}

// DropPurge deletes the row.
func (t *tables) DropPurge(table uuid.UUID) error {
	return t.exec(`DELETE FROM purges WHERE warehouse = ? AND uuid = ?`, t.id[:], table[:])
}

// pendingPurges lists those after a seq.
func (t *tables) pendingPurges(after journal.Seq, count int) ([]projections.Purge, error) {
	return t.purges(`INDEXED BY purges_pending WHERE warehouse = ? AND seq > ? AND state = 'pending' ORDER BY seq LIMIT ?`,
		t.id[:], int64(after), limit(projections.Page{Limit: count}))
}

// purges reads rows in the order of the query's end.
func (t *tables) purges(end string, args ...any) (all []projections.Purge, err error) {
	err = t.each(func(rows *sql.Rows) error {
		var r purgeRow
		if err := rows.Scan(r.into()...); err != nil {
			return err
		}
		p, err := r.purge()
		all = append(all, p)
		return err
	}, `SELECT `+purgeColumns+` FROM purges `+end, args...)
	return all, err
}
