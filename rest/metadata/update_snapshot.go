package metadata

import (
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

type addSnapshot struct {
	raw      jsontext.Value
	snapshot snapshot
}

func (addSnapshot) Action() string { return "add-snapshot" }

// addSnapshot puts a snapshot into the form that every reader takes: no null as
// parent (case 8), no empty summary, and a summary with an operation (case 13).
func (r *reader) addSnapshot() (Update, error) {
	raw, err := r.part(updateWords("add-snapshot", "snapshot"), "snapshot")
	if err != nil {
		return nil, err
	}
	s, shape, err := readSnapshot(newReader(raw))
	if err != nil {
		return nil, err
	}
	edits, err := shape.edits()
	if err == nil && len(edits) > 0 {
		raw, err = edited(raw, edits...)
	}
	return addSnapshot{raw, s}, err
}

func (shape snapshotShape) edits() ([]edit, error) {
	var edits []edit
	if shape.nullParent {
		edits = append(edits, edit{name: "parent-snapshot-id"})
	}
	switch summary := shape.summary; {
	case summary.text == nil || summary.operation:
	case summary.empty:
		edits = append(edits, edit{name: "summary"})
	default:
		text, err := edited(summary.text, edit{"operation", quote("overwrite")})
		return append(edits, edit{"summary", text}), err
	}
	return edits, nil
}

// apply moves no reference. An id that is there already and a sequence number
// that was overtaken are conflicts, so that the client refreshes (cases 114, 117).
func (u addSnapshot) apply(b *builder) error {
	if len(b.schemas.items) == 0 || len(b.specs.items) == 0 || len(b.orders.items) == 0 {
		return invalidf("Cannot add a snapshot before a schema, a partition spec and a sort order are added")
	}
	s := u.snapshot
	if b.hasSnapshot(s.id) {
		return conflictf("Snapshot already exists for id: %d is present in the table", s.id)
	}
	if err := b.checkSequence(s); err != nil {
		return err
	}
	nextRow, err := b.nextRowAfter(s)
	if err != nil {
		return err
	}
	b.snapshots.append(s, rope{u.raw})
	if b.known != nil {
		b.known[s.id] = true
	}
	if b.added == nil {
		b.added = make(map[int64]int64, 1)
	}
	b.added[s.id] = s.timestamp
	b.lastSequence = s.sequence
	b.nextRow = nextRow
	b.changed = true
	return nil
}

// checkSequence checks a new snapshot against the sequence numbers so far, which
// format version 1 does not have. It alone lists manifests in the snapshot.
func (b *builder) checkSequence(s snapshot) error {
	switch {
	case b.formatVersion == 1 && s.sequence != 0:
		return invalidf("Sequence number must be 0 in v1: %d", s.sequence)
	case b.formatVersion == 1:
		return nil
	case !s.hasList:
		return invalidf("invalid snapshot: missing manifest-list, which v%d requires", b.formatVersion)
	case s.sequence < b.lastSequence || s.hasParent && s.sequence == b.lastSequence:
		return conflictf("Cannot add snapshot with sequence number %d older than last sequence number %d", s.sequence, b.lastSequence)
	}
	return nil
}

// nextRowAfter is the next row id once a snapshot is added: as many more as it
// has added rows, from format version 3 on (table spec, row lineage). A snapshot
// made for an older table is a conflict, so that the client refreshes (case 116).
func (b *builder) nextRowAfter(s snapshot) (int64, error) {
	switch {
	case b.formatVersion < 3:
		return b.nextRow, nil
	case !s.hasRows:
		return 0, invalidf("Cannot add a snapshot: first-row-id is null")
	case s.firstRow < b.nextRow:
		return 0, conflictf("Cannot add a snapshot, first-row-id is behind table next-row-id: %d < %d", s.firstRow, b.nextRow)
	case s.firstRow > math.MaxInt64-s.addedRows:
		return 0, invalidf("Cannot add a snapshot: %d rows from first-row-id %d have no 64-bit ids", s.addedRows, s.firstRow)
	}
	return b.nextRow + s.addedRows, nil
}
