package pointers

import (
	"database/sql"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// historyColumns are what stepRow reads.
const historyColumns = `uuid, seq, event_id, at, event, actor, request_id, kind,
	from_namespace, from_name, from_metadata_location, from_size, from_sha256, from_encoding, from_document_sha256,
	to_namespace, to_name, to_metadata_location, to_size, to_sha256, to_encoding, to_document_sha256,
	to_location, snapshot_id`

// AddStep inserts a row.
func (t *tables) AddStep(s projections.Step, index int, named bool) error {
	m := s.Move
	args := []any{
		t.id[:], index, named, made(s), m.UUID[:], int64(s.Seq), s.Event[:], s.At.UnixMilli(), string(s.Kind),
		string(s.Actor), s.RequestID, string(m.Kind),
	}
	from, to, location := make([]any, 7), make([]any, 7), any(nil)
	if m.From != nil {
		from = end(m.From.Identifier, m.From.Pointer)
	}
	if m.To != nil {
		to, location = end(m.To.Identifier, m.To.Pointer), m.To.Location
	}
	args = append(append(append(args, from...), to...), location)
	if m.SnapshotID != nil {
		args = append(args, *m.SnapshotID)
	} else {
		args = append(args, nil)
	}
	return t.exec(`INSERT INTO history (warehouse, move, named, made, `+historyColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args...)
}

// end is one end of a move as columns.
func end(id journal.Identifier, p journal.Pointer) []any {
	return []any{
		id.Namespace.Key(), id.Name,
		p.MetadataLocation, p.Size, p.SHA256[:], string(p.Encoding), p.DocumentSHA256[:],
	}
}

// endRow is one end of a move on its way in; all columns are null when the move
// has no such end.
type endRow struct {
	namespace, name, metadataLocation, encoding sql.NullString
	size                                        sql.NullInt64
	sha256, documentSHA256                      []byte
}

func (r *endRow) into() []any {
	return []any{&r.namespace, &r.name, &r.metadataLocation, &r.size, &r.sha256, &r.encoding, &r.documentSHA256}
}

func (r *endRow) is() bool { return r.namespace.Valid }

func (r *endRow) end() (journal.Identifier, journal.Pointer, error) {
	id := journal.Identifier{Namespace: journal.NamespaceOfKey(r.namespace.String), Name: r.name.String}
	p := journal.Pointer{
		MetadataLocation: r.metadataLocation.String, Size: r.size.Int64, Encoding: journal.Encoding(r.encoding.String),
	}
	if err := fixed(p.SHA256[:]).Scan(r.sha256); err != nil {
		return id, p, err
	}
	return id, p, fixed(p.DocumentSHA256[:]).Scan(r.documentSHA256)
}

// steps reads rows of history in their order.
func (t *tables) steps(where string, args ...any) ([]projections.Step, error) {
	var steps []projections.Step
	err := t.each(func(rows *sql.Rows) error {
		step, err := scanStep(rows)
		steps = append(steps, step)
		return err
	}, `SELECT `+historyColumns+` FROM history WHERE `+where+` ORDER BY uuid, seq, move`, args...)
	return steps, err
}

// lastStep reads the last row of an object, from the end of its key.
func (t *tables) lastStep(object uuid.UUID) (step projections.Step, ok bool, err error) {
	err = t.each(func(rows *sql.Rows) (err error) {
		step, err = scanStep(rows)
		ok = err == nil
		return err
	}, `SELECT `+historyColumns+` FROM history WHERE warehouse = ? AND uuid = ? ORDER BY seq DESC, move DESC LIMIT 1`,
		t.id[:], object[:])
	return step, ok, err
}

func scanStep(rows *sql.Rows) (projections.Step, error) {
	var s projections.Step
	var seq, at int64
	var from, to endRow
	var location sql.NullString
	into := []any{
		fixed(s.Move.UUID[:]), &seq, fixed(s.Event[:]), &at, &s.Kind, &s.Actor, &s.RequestID, &s.Move.Kind,
	}
	into = append(append(append(into, from.into()...), to.into()...), &location, &s.Move.SnapshotID)
	if err := rows.Scan(into...); err != nil {
		return s, err
	}
	s.Seq, s.At = journal.Seq(seq), time.UnixMilli(at).UTC()
	if from.is() {
		id, pointer, err := from.end()
		if err != nil {
			return s, err
		}
		s.Move.From = &journal.From{Identifier: id, Pointer: pointer}
	}
	if to.is() {
		id, pointer, err := to.end()
		if err != nil {
			return s, err
		}
		s.Move.To = &journal.To{Identifier: id, Pointer: pointer, Location: location.String}
	}
	return s, nil
}

// holders reads who got a name, the last first, each once.
func (t *tables) holders(id journal.Identifier) ([]uuid.UUID, error) {
	if id.Namespace.Check() != nil {
		return nil, nil
	}
	var holders []uuid.UUID
	seen := map[uuid.UUID]bool{}
	err := t.each(func(rows *sql.Rows) error {
		var holder uuid.UUID
		err := rows.Scan(fixed(holder[:]))
		if err == nil && !seen[holder] {
			seen[holder] = true
			holders = append(holders, holder)
		}
		return err
	}, `SELECT uuid FROM history INDEXED BY history_name
		WHERE warehouse = ? AND to_namespace = ? AND to_name = ? AND named = 1 ORDER BY seq DESC, move DESC`,
		t.id[:], id.Namespace.Key(), id.Name)
	return holders, err
}
