package sqlite

import (
	"fmt"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// Import writes the rows of the steps, and in the end that of each object: it is past.
func (t *tables) Import(steps []projections.Step) error {
	was, is := map[uuid.UUID]*objectRow{}, map[uuid.UUID]*objectRow{}
	for _, s := range steps {
		object := s.Move.UUID
		row, met := is[object]
		if !met {
			found, err := t.find(object)
			if err != nil {
				return err
			}
			row = &objectRow{id: t.step + 1, past: true}
			if found != nil {
				row = &objectRow{HeldObject: found.HeldObject, id: found.id, step: found.step, past: true}
			}
			was[object], is[object] = found, row
		}
		before := row.step
		row.HeldObject, row.step = pointers.Past(row.HeldObject, s.Move), t.step+1
		if err := t.insertStep(row, before, s); err != nil {
			return err
		}
	}
	for object, row := range is {
		if err := t.replace(was[object], row); err != nil {
			return err
		}
		if t.held != nil {
			t.held[object] = row
		}
	}
	return nil
}

// LastEnd reads the last step.
func (t *tables) LastEnd(object uuid.UUID) (projections.End, bool, error) {
	row, err := t.find(object)
	if err != nil || row == nil {
		return projections.End{}, false, err
	}
	var what []byte
	there, err := t.row(`SELECT what FROM history WHERE step = ?`, row.step).find(&what)
	if err == nil && !there {
		err = fmt.Errorf("%w: the last step of %s is not there", pointers.ErrCorrupt, object)
	}
	if err != nil {
		return projections.End{}, false, err
	}
	step, _, err := pointers.UnpackStep(what)
	return step.End(), err == nil, err
}

// LastEnd is in memory.
func (w *warm) LastEnd(object uuid.UUID) (projections.End, bool, error) {
	is, ok := w.objects[object]
	if !ok {
		return projections.End{}, false, nil
	}
	end := projections.End{Seq: is.seq, Kind: is.kind}
	if is.ended {
		return end, true, nil
	}
	o, err := is.object()
	end.To = &journal.To{Identifier: o.Identifier, Location: o.Location, Pointer: o.Pointer}
	return end, err == nil, err
}

// Import stays in memory, but for the steps.
func (w *warm) Import(steps []projections.Step) error {
	for _, s := range steps {
		w.step++
		is, ok := w.objects[s.Move.UUID]
		if !ok {
			is = &warmObject{uuid: s.Move.UUID, id: w.step, past: true}
			w.objects[s.Move.UUID] = is
		}
		var was projections.HeldObject
		if ok {
			var err error
			if was, err = is.object(); err != nil {
				return err
			}
		}
		o, before := pointers.Past(was, s.Move), is.step
		is.kind, is.identifier, is.step, is.held = o.Kind, o.Identifier, w.step, w.keep(o, is.held)
		is.seq, is.ended = s.Seq, s.Move.To == nil
		w.changed(is)
		if err := w.rows.step(is, before, s); err != nil {
			return err
		}
	}
	return nil
}
