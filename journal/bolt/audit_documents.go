package bolt

import (
	"container/list"
	"context"
	"errors"

	"puddle/journal"
)

// documents checks what is kept of the files that an event made.
func (a *audit) documents(ctx context.Context, e journal.Event, s beside) error {
	if s.reason != "" {
		a.flaw(e.Seq, true, "%s", s.reason)
	}
	for i, m := range e.Moves() {
		switch {
		case s.moves[i]:
			delete(s.moves, i)
			if err := a.document(ctx, e, i); err != nil {
				return err
			}
		case m.To != nil && (m.From == nil || m.From.Pointer != m.To.Pointer):
			a.absent(e, i, false)
		}
	}
	for i := range s.moves {
		a.flaw(e.Seq, true, "a document is kept of move %d, which made none", i)
	}
	return nil
}

func (a *audit) document(ctx context.Context, e journal.Event, move int) error {
	err := a.built(ctx, e, move)
	var damage *journal.Damage
	switch {
	case errors.As(err, &damage):
		a.found(journal.Flaw{Damage: *damage, Beside: true})
	case errors.Is(err, journal.ErrNotKept):
		a.flaw(e.Seq, true, "the document of move %d is empty", move)
	case errors.Is(err, journal.ErrNoEvent):
		a.flaw(e.Seq, true, "a document is kept of move %d, which made none", move)
	case errors.Is(err, journal.ErrErased):
		a.absent(e, move, true)
		return nil
	case err != nil:
		return err
	}
	a.seen.Documents++
	return nil
}

// built makes a document, from the one that it is built on where that was made just
// before, and keeps it for the next one.
func (a *audit) built(ctx context.Context, e journal.Event, move int) error {
	if _, err := e.DocumentDigest(move); err != nil {
		return err
	}
	var data []byte
	err := a.current(ctx, func(h history) (err error) {
		data, err = h.chunks(e.Seq, move)
		return err
	})
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return journal.ErrNotKept
	}
	d := journal.Document{Move: move, Codec: journal.Codec(data[0]), Data: data[1:]}
	on, patched := d.On()
	plain, ok := []byte(nil), false
	if patched {
		plain, ok = journal.Built{Base: on, Plain: a.bases.take(on)}.Open(e, d)
	}
	if !ok {
		plain, err = journal.Shelf(func(seq journal.Seq, of int) (journal.Event, journal.Document, error) {
			if seq == e.Seq && of == move {
				return e, d, nil
			}
			return a.kept(ctx, seq, of)
		}).Open(e.Seq, move)
	}
	if err == nil {
		a.bases.keep(journal.Built{Base: journal.Base{Seq: e.Seq, Move: move, Patches: d.Patches()}, Plain: plain})
	}
	return err
}

func (a *audit) absent(e journal.Event, move int, erased bool) {
	absent := journal.Absent{Move: move, Pointer: e.Moves()[move].To.Pointer, Erased: erased}
	a.found(journal.Flaw{Beside: true, Absent: &absent, Damage: journal.Damage{
		Warehouse: e.Warehouse, Incarnation: e.Incarnation, Seq: e.Seq, Reason: "the document of a move is not kept",
	}})
}

// basesBytes bounds the documents that an audit keeps for those that are built on
// them.
const basesBytes = 32 << 20

// bases are the newest documents of chains, those that were made last.
type bases struct {
	held  map[journal.Base]*list.Element // of journal.Built
	order *list.List                     // the last first
	bytes int
}

func newBases() *bases { return &bases{held: map[journal.Base]*list.Element{}, order: list.New()} }

// take gives a document away; nil when it is not held.
func (b *bases) take(base journal.Base) []byte {
	e, ok := b.held[base]
	if !ok {
		return nil
	}
	made := b.order.Remove(e).(journal.Built)
	delete(b.held, base)
	b.bytes -= len(made.Plain)
	return made.Plain
}

// keep holds a document, unless it is large, and forgets what was made long ago.
func (b *bases) keep(made journal.Built) {
	if len(made.Plain) > basesBytes/2 || len(made.Plain) < journal.MinPatched/2 {
		return
	}
	b.held[made.Base] = b.order.PushFront(made)
	for b.bytes += len(made.Plain); b.bytes > basesBytes; {
		b.take(b.order.Back().Value.(journal.Built).Base)
	}
}
