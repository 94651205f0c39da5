package recover

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Documents finds the metadata files of pointers in a warehouse's histories. It looks
// through them once, when it is first asked.
type Documents struct{ versions }

// DocumentsOf finds files in the lineage of a warehouse.
func DocumentsOf(of journal.Histories, warehouse uuid.UUID) *Documents {
	byFile := func(m journal.Move) []byte { return m.To.Pointer.SHA256[:] }
	return &Documents{versions{of: of, warehouse: warehouse, key: byFile}}
}

// File is the metadata file of a pointer: journal.ErrNoEvent when no event made it, and
// the errors of journal.Reader.Document. Safe for concurrent use.
func (d *Documents) File(ctx context.Context, p journal.Pointer) ([]byte, error) {
	for e, err := range d.find(ctx, p.SHA256[:]) {
		if err != nil {
			return nil, err
		}
		for move, m := range e.Moves() {
			if projections.Leads(m) && m.To.Pointer.SHA256 == p.SHA256 {
				return d.file(ctx, e.Position, move)
			}
		}
	}
	return nil, journal.ErrNoEvent
}

func (d *Documents) file(ctx context.Context, at journal.Position, move int) ([]byte, error) {
	from := d.of.Incarnation(d.warehouse, at.Incarnation)
	if files, ok := from.(journal.Files); ok {
		return files.File(ctx, at.Seq, move)
	}
	return from.Document(ctx, at.Seq, move)
}
