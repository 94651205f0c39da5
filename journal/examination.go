package journal

import (
	"errors"
	"fmt"
)

// Examination is what an audit makes of one incarnation, event by event, however it is
// stored. It is for one goroutine.
type Examination struct {
	Reading            // up to the head that it had when the audit began
	Found   func(Flaw) // is told of each flaw
	Seen    *Audited   // counts
	Kept    Shelf      // looks up what documents are built on
	First   Event      // the first one that could be read
	Chain   Chain      // ends with the last one that could be read
	Begun   bool       // there was one, readable or not
	Lost    bool       // the record before was damaged: nobody knows its hash

	bases bases
}

// Flaw tells of one.
func (x *Examination) Flaw(seq Seq, beside bool, reason string, args ...any) {
	x.Found(Flaw{Beside: beside, Damage: *x.Damage(seq, fmt.Errorf(reason, args...))})
}

// Gap tells of events that are missing.
func (x *Examination) Gap(from, to Seq) {
	if from == to {
		x.Flaw(from, false, "the event is missing")
	} else {
		x.Flaw(from, false, "the events up to %s are missing", to)
	}
	x.Lost, x.Begun = true, true
}

// Event checks that one, as it was read, is the chain's next. After a record that
// was lost it is taken as it says. False when nobody can tell what it was; an error is that
// of a newer build's record.
func (x *Examination) Event(e Event, err error) (bool, error) {
	x.Seen.Events++
	var damage *Damage
	switch {
	case errors.As(err, &damage):
		x.Found(Flaw{Damage: *damage})
		x.Lost, x.Begun = true, true
		return false, nil
	case err != nil:
		return false, err
	}
	x.link(e)
	return true, nil
}

func (x *Examination) link(e Event) {
	switch {
	case !x.Begun:
		x.First = e
		if _, starts := e.Body.(IncarnationStarted); !starts {
			x.Flaw(e.Seq, false, "the first event is %s, not %s", e.Kind(), KindIncarnationStarted)
		}
		if e.Prev != Genesis(e.Warehouse, e.Incarnation) {
			x.Flaw(e.Seq, false, "the first event links to one before it")
		}
	case x.Lost:
	default:
		if _, err := x.Chain.Follow(e); err != nil {
			x.Flaw(e.Seq, false, "%v", err)
		}
	}
	x.Chain, x.Begun, x.Lost = ChainAt(e), true, false
	if e.Seq == x.Head.Seq && e.Hash != x.Head.Hash {
		x.Flaw(e.Seq, false, "the event has the hash %s, the head says %s", e.Hash, x.Head.Hash)
	}
}

// End checks that the last event is the one that the head says.
func (x *Examination) End() {
	if x.Begun && !x.Lost && x.Chain.Head != x.Head {
		x.Flaw(x.Head.Seq, false, "the last event is %s, the head says %s", x.Chain.Head, x.Head)
	}
}

// Documents checks what is kept of the files that an event made: of which moves, and
// what load reads of one of them.
func (x *Examination) Documents(e Event, kept map[int]bool, load func(move int) (Document, error)) error {
	for i, m := range e.Moves() {
		switch {
		case kept[i]:
			delete(kept, i)
			if err := x.document(e, i, load); err != nil {
				return err
			}
		case m.To != nil && (m.From == nil || m.From.Pointer != m.To.Pointer):
			x.absent(e, i, false)
		}
	}
	for i := range kept {
		x.Flaw(e.Seq, true, "a document is kept of move %d, which made none", i)
	}
	return nil
}

func (x *Examination) document(e Event, move int, load func(move int) (Document, error)) error {
	err := x.make(e, move, load)
	var damage *Damage
	switch {
	case errors.As(err, &damage):
		x.Found(Flaw{Damage: *damage, Beside: true})
	case errors.Is(err, ErrNotKept):
		x.Flaw(e.Seq, true, "the document of move %d is empty", move)
	case errors.Is(err, ErrNoEvent):
		x.Flaw(e.Seq, true, "a document is kept of move %d, which made none", move)
	case errors.Is(err, ErrErased):
		x.absent(e, move, true)
		return nil
	case err != nil:
		return err
	}
	x.Seen.Documents++
	return nil
}

// make makes a document, from the one that it is built on where that was made just
// before, and keeps it for the next one.
func (x *Examination) make(e Event, move int, load func(move int) (Document, error)) error {
	if _, err := e.DocumentDigest(move); err != nil {
		return err
	}
	d, err := load(move)
	if err != nil {
		return err
	}
	var plain []byte
	on, ok := d.On()
	if ok {
		plain, ok = Built{Base: on, Plain: x.bases.take(on)}.Open(e, d)
	}
	if !ok {
		plain, err = Shelf(func(seq Seq, of int) (Event, Document, error) {
			if seq == e.Seq && of == move {
				return e, d, nil
			}
			return x.Kept(seq, of)
		}).Open(e.Seq, move)
	}
	if err == nil {
		x.bases.keep(Built{Base: Base{Seq: e.Seq, Move: move, Patches: d.Patches()}, Plain: plain})
	}
	return err
}

func (x *Examination) absent(e Event, move int, erased bool) {
	absent := Absent{Move: move, Pointer: e.Moves()[move].To.Pointer, Erased: erased}
	x.Found(Flaw{Beside: true, Absent: &absent, Damage: *e.damage("the document of a move is not kept")})
}

// Continues checks that an incarnation which continues another one begins after it,
// where that one is still there: at is what the parent has at the seq that is named.
func (e Event) Continues(parent, at Position) *Damage {
	if at == parent && e.Seq > at.Seq {
		return nil
	}
	return e.damage("it says that it continues %s, which is not the event there (%s)", parent, at)
}
