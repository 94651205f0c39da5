package journal

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
