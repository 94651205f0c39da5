package pointers

import (
	"puddle/journal"
	"puddle/projections"
)

// PackObject is what the column held holds of an object, behind data.
func PackObject(o projections.HeldObject, data []byte) []byte {
	p := packed(data).end(o.Location, o.Pointer)
	for _, place := range o.Places {
		p = p.text(place.Path).text(place.Role)
	}
	return p
}

// UnpackObject reads into o what PackObject has written. ErrCorrupt.
func UnpackObject(data []byte, o *projections.HeldObject) error {
	u := unpacking{rest: data}
	o.Location, o.Pointer = u.end()
	for len(u.rest) > 0 {
		o.Places = append(o.Places, journal.Place{Path: u.text(), Role: u.word()})
	}
	return u.done("an object")
}

// Past is what is left of an object after an old move.
func Past(o projections.HeldObject, m journal.Move) projections.HeldObject {
	o.Kind, o.UUID, o.Dropped, o.Places = m.Kind, m.UUID, true, nil
	if m.To != nil {
		o.Identifier, o.Pointer, o.Location = m.To.Identifier, m.To.Pointer, m.To.Location
	}
	return o
}
