package recover

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// Documents finds the metadata files of pointers in a warehouse's histories. It looks
// through them once, when it is first asked.
type Documents struct {
	of        journal.Histories
	warehouse uuid.UUID

	once sync.Once
	at   map[journal.Digest]documentAt // by the file's
	err  error
}

type documentAt struct {
	incarnation uuid.UUID
	seq         journal.Seq
	move        int
}

// DocumentsOf finds files in the lineage of a warehouse.
func DocumentsOf(of journal.Histories, warehouse uuid.UUID) *Documents {
	return &Documents{of: of, warehouse: warehouse}
}

// File is the metadata file of a pointer: journal.ErrNoEvent when no event made it, and
// the errors of journal.Reader.Document. Safe for concurrent use.
func (d *Documents) File(ctx context.Context, p journal.Pointer) ([]byte, error) {
	d.once.Do(func() { d.err = d.index(ctx) })
	if d.err != nil {
		return nil, d.err
	}
	at, ok := d.at[p.SHA256]
	if !ok {
		return nil, journal.ErrNoEvent
	}
	from := d.of.Incarnation(d.warehouse, at.incarnation)
	if files, ok := from.(journal.Files); ok {
		return files.File(ctx, at.seq, at.move)
	}
	return from.Document(ctx, at.seq, at.move)
}

func (d *Documents) index(ctx context.Context) error {
	d.at = map[journal.Digest]documentAt{}
	for e, err := range journal.Lineage(d.of, d.warehouse).Scan(ctx, 0) {
		if err != nil {
			return err
		}
		for i, m := range e.Moves() {
			if m.To != nil && (m.From == nil || m.From.Pointer != m.To.Pointer) {
				d.at[m.To.Pointer.SHA256] = documentAt{e.Incarnation, e.Seq, i}
			}
		}
	}
	return nil
}
