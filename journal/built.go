package journal

import "container/list"

// Built is a kept document with its bytes, whose digest was compared: what the next
// one of its chain is built on.
type Built struct {
	Base
	Plain []byte
}

// On names what a document is built on; false when it is kept whole, or is no
// document of this build.
func (d Document) On() (Base, bool) {
	if d.Codec != CodecPatch {
		return Base{}, false
	}
	p, err := d.patch()
	return p.base, err == nil
}

// Open makes the document of an event that is built on b, with one step instead of
// those of its whole chain. False when it does not have the digest that the event
// names, or stands on another one: Shelf.Open then tells why.
func (b Built) Open(e Event, d Document) ([]byte, bool) {
	on, ok := d.On()
	if !ok || on != b.Base || on.Seq >= e.Seq {
		return nil, false
	}
	l := layer{event: e, kept: d}
	l.patch, _ = d.patch()
	plain, err := l.make(nil, b.Plain)
	return plain, err == nil && l.compare(plain) == nil
}

// basesBytes bounds the documents that an audit keeps for those that are built on
// them.
const basesBytes = 32 << 20

// bases are the newest documents of chains, those that were made last.
type bases struct {
	held  map[Base]*list.Element // of Built
	order *list.List             // the last first
	bytes int
}

// take gives a document away; nil when it is not held.
func (b *bases) take(base Base) []byte {
	e, ok := b.held[base]
	if !ok {
		return nil
	}
	made := b.order.Remove(e).(Built)
	delete(b.held, base)
	b.bytes -= len(made.Plain)
	return made.Plain
}

// keep holds a document, unless it is large, and forgets what was made long ago.
func (b *bases) keep(made Built) {
	if len(made.Plain) > basesBytes/2 || len(made.Plain) < MinPatched/2 {
		return
	}
	if b.held == nil {
		b.held, b.order = map[Base]*list.Element{}, list.New()
	}
	b.held[made.Base] = b.order.PushFront(made)
	for b.bytes += len(made.Plain); b.bytes > basesBytes; {
		b.take(b.order.Back().Value.(Built).Base)
	}
}
