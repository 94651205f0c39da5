package sidecars

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// files are the metadata files of a table, as far as the warehouse has them, or the
// journal before an event.
type files struct {
	*work
	table  uuid.UUID
	before journal.Seq
	moves  map[string][]made // by the place of the file that they made, newest first; nil: the journal was not read
}

// made is the move that made a file.
type made struct {
	seq  journal.Seq
	move int
}

// longer is a line with what its first file was made from, as far as that can be
// read.
func (f *files) longer(ctx context.Context, l line) (line, error) {
	if len(l) > maxLine {
		return l, nil
	}
	head, err := f.lineOf(ctx, l[0])
	if err != nil || head == nil {
		return l, err
	}
	return append(head[:len(head)-1], l...), nil
}

// lineOf is the line that a file tells by its log: the one in the warehouse, else what
// the journal has kept of it; nil where neither has it.
func (f *files) lineOf(ctx context.Context, location string) (line, error) {
	l, err := f.stored(ctx, location)
	if l != nil || err != nil {
		return l, err
	}
	if f.moves == nil {
		if err := f.read(ctx); err != nil {
			return nil, err
		}
	}
	for _, by := range f.moves[place(location)] {
		if l, err := f.kept(ctx, by, location); l != nil || err != nil {
			return l, err
		}
	}
	return nil, nil
}

// stored is the line of a file in the warehouse; nil where there is none that anybody
// could read. Why one could not be read this time is the error.
func (f *files) stored(ctx context.Context, location string) (line, error) {
	root, key, err := f.Roots.Resolve(location)
	if err != nil {
		return nil, nil // nobody reads there
	}
	data, err := root.Store.Get(ctx, key, f.largest)
	switch {
	case errors.Is(err, warehouse.ErrNotFound), errors.Is(err, warehouse.ErrTooLarge), errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrInvalidKey):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return lineIn(data, location, f.largest), nil
}

// lineIn is the line that the bytes of a file tell; nil where they are none, or do not
// inflate, or to more than so many.
func lineIn(data []byte, location string, largest int64) line {
	if len(data) == 0 {
		return nil
	}
	t := &text{r: bytes.NewReader(data), left: largest}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil
		}
		t.r = z
	}
	if l := t.line(location); t.err == nil {
		return l
	}
	return nil
}

// kept is the line of a file as the journal has kept it of a move; nil where it has not,
// or what it has is damaged.
func (f *files) kept(ctx context.Context, by made, location string) (line, error) {
	data, err := f.From.Document(ctx, by.seq, by.move)
	var damage *journal.Damage
	switch {
	case journal.NotKept(err), errors.As(err, &damage):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return (&text{r: bytes.NewReader(data), left: int64(len(data))}).line(location), nil
}

// read finds the moves that made the table's files, the newest maxLine of them.
func (f *files) read(ctx context.Context) error {
	moves, n := map[string][]made{}, 0
	for e, err := range f.From.ScanBack(ctx, f.before) {
		if err != nil {
			return err
		}
		for i, m := range e.Moves() {
			if m.UUID != f.table || m.To == nil {
				continue
			}
			at := place(m.To.Pointer.MetadataLocation)
			moves[at] = append(moves[at], made{e.Seq, i})
			if n++; n == maxLine || e.Kind() == journal.KindTableCreated {
				f.moves = moves
				return nil
			}
		}
	}
	f.moves = moves
	return nil
}
