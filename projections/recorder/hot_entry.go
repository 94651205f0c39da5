package recorder

import (
	"encoding/binary"
	"strings"
	"sync/atomic"

	"puddle/journal"
	"puddle/projections"
)

// hotOverhead is what an entry weighs besides its text: itself, its shares of map and
// ring, what the allocator rounds up.
const hotOverhead = 104

// hotEntry is an object that is kept, in one text that the collector does not look
// into.
type hotEntry struct {
	text string
	hash uint64
	at   int32       // in the ring
	used atomic.Bool // since the hand came by
}

func (e *hotEntry) bytes() int { return hotOverhead + len(e.text) }

// What a text says of its pointer.
const (
	hotWithin = 1 << iota // the metadata file's location goes on from the object's
	hotOther              // the document has another digest than the file
)

// newHotEntry writes what o says, sharing nothing with it: what o was made of may be
// large, its name a part of a whole request.
func newHotEntry(o projections.Object) *hotEntry {
	var room [512]byte
	id, p := o.Identifier, o.Pointer
	rest, within := strings.CutPrefix(p.MetadataLocation, o.Location)
	var says byte
	if within {
		says |= hotWithin
	}
	if p.DocumentSHA256 != p.SHA256 {
		says |= hotOther
	}
	t := append(append(append(room[:0], says), o.UUID[:]...), p.SHA256[:]...)
	if says&hotOther != 0 {
		t = append(t, p.DocumentSHA256[:]...)
	}
	t = binary.AppendUvarint(t, uint64(p.Size))
	t = hotText(hotText(hotText(t, string(o.Kind)), string(p.Encoding)), id.Name)
	t = binary.AppendUvarint(t, uint64(len(id.Namespace)))
	for _, level := range id.Namespace {
		t = hotText(t, level)
	}
	t = binary.AppendUvarint(t, uint64(len(o.Location)))
	t = append(append(t, o.Location...), rest...)
	return &hotEntry{text: string(t)}
}

func hotText(to []byte, s string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// object reads what was written, if the entry's name is id, which it then shares. All
// other text is the entry's.
func (e *hotEntry) object(id journal.Identifier) (o projections.Object, ok bool) {
	t := hotReader(e.text)
	says, p := t.take(1)[0], &o.Pointer
	copy(o.UUID[:], t.take(uint64(len(o.UUID))))
	copy(p.SHA256[:], t.take(uint64(len(p.SHA256))))
	if p.DocumentSHA256 = p.SHA256; says&hotOther != 0 {
		copy(p.DocumentSHA256[:], t.take(uint64(len(p.DocumentSHA256))))
	}
	p.Size = int64(t.number())
	o.Kind, p.Encoding = journal.ObjectKind(t.text()), journal.Encoding(t.text())
	if o.Identifier = id; t.text() != id.Name || t.number() != uint64(len(id.Namespace)) {
		return o, false
	}
	for _, level := range id.Namespace {
		if t.text() != level {
			return o, false
		}
	}
	length := t.number()
	o.Location, p.MetadataLocation = string(t[:length]), string(t)
	if says&hotWithin == 0 {
		p.MetadataLocation = p.MetadataLocation[length:]
	}
	return o, true
}

// hotReader is what is still to be read of an entry's text.
type hotReader string

func (r *hotReader) take(n uint64) string {
	taken := (*r)[:n]
	*r = (*r)[n:]
	return string(taken)
}

func (r *hotReader) text() string { return r.take(r.number()) }

func (r *hotReader) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := r.take(1)[0]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}
