package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"puddle/journal"
)

// LostDocument is a metadata file whose copy in an archive is damaged, or is built on one
// that is. The event that names it is whole.
type LostDocument struct {
	Object string // the key of what is damaged
	At     journal.Position
	Move   int
	UUID   uuid.UUID // of the table or view
	File   string    // its metadata location
	Reason string
}

// String is one line.
func (l LostDocument) String() string {
	return fmt.Sprintf("the archive has no copy that is whole of %s, which event %s:%s of %s made: %s: %s",
		l.File, l.At.Incarnation, l.At.Seq, l.UUID, l.Object, l.Reason)
}

// sparing is what a reader of a damaged archive has missed.
type sparing struct {
	mu   sync.Mutex
	lost map[document]bool
	list []LostDocument // in the order in which they were met
}

// document names one of an archive.
type document struct {
	incarnation uuid.UUID
	place
}

// Spare has the archive read of damaged objects with documents what can be proven: each
// document by the digest that its event names. Entries leave the others out, and Lost
// tells them; Document is *Damage for them, as before. Without it one damaged document
// ends the entries. It is called before anything is read.
func (a *Archive) Spare() { a.sparing = &sparing{lost: map[document]bool{}} }

// Lost are the documents that entries which were read did not have.
func (a *Archive) Lost() []LostDocument {
	if a.sparing == nil {
		return nil
	}
	a.sparing.mu.Lock()
	defer a.sparing.mu.Unlock()
	return append([]LostDocument(nil), a.sparing.list...)
}

// shelved are the documents of a segment, and what is wrong with them: what is there then
// is to be compared with its digest.
func (a *Archive) shelved(ctx context.Context, s *segment) (all documents, spoilt *Damage, err error) {
	all, err = a.documents(ctx, s)
	if err == nil || a.sparing == nil || !errors.As(err, &spoilt) {
		return all, nil, err
	}
	name := key(s.Incarnation, s.First.Seq, documentsPart)
	if found, ok := a.cache.get(name + ".spoilt"); ok {
		return found.(documents), spoilt, nil
	}
	data, err := a.get(ctx, name, s.Incarnation, s.First.Seq)
	if damage := (*Damage)(nil); errors.As(err, &damage) {
		return nil, spoilt, nil
	}
	if err != nil {
		return nil, nil, err
	}
	all = salvage(data, s.First.Seq, s.Last.Seq)
	a.cache.put(name+".spoilt", all, len(data))
	return all, spoilt, nil
}

// salvage finds the documents in an object whose header or payload is damaged: as far as
// one follows the other.
func salvage(data []byte, first, last journal.Seq) documents {
	all := documents{}
	for range 2 { // the lines of the header
		for len(data) > 0 && data[0] != '\n' {
			data = data[1:]
		}
		data = data[min(1, len(data)):]
	}
	for len(data) >= documentExtra {
		at := place{journal.Seq(binary.BigEndian.Uint64(data)), int(binary.BigEndian.Uint32(data[8:]))}
		codec, size := journal.Codec(data[12]), uint64(binary.BigEndian.Uint32(data[13:]))
		data = data[documentExtra:]
		if size > uint64(len(data)) || at.seq < first || at.seq > last {
			break
		}
		all[at] = journal.Document{Move: at.move, Codec: codec, Data: data[:size:size]}
		data = data[size:]
	}
	return all
}

// spared tells whether a document of an event is to be left out, and takes note of it.
// Of a spoilt object it may be one that the journal did not keep either.
func (r reader) spared(ctx context.Context, e journal.Event, move int, d journal.Document, there bool, spoilt *Damage) (lost bool, err error) {
	if r.a.sparing == nil {
		return false, nil
	}
	if _, err := e.DocumentDigest(move); err != nil {
		return false, nil // it made none
	}
	l := LostDocument{At: e.Position, Move: move, UUID: e.Moves()[move].UUID, File: e.Moves()[move].To.Pointer.MetadataLocation}
	on, patched := d.On()
	switch {
	case spoilt != nil && !there:
		l.Object, l.Reason = spoilt.Object, spoilt.Reason
	case spoilt != nil:
		_, err := r.opened(ctx, e.Seq, move)
		var damage *journal.Damage
		switch {
		case err == nil, journal.NotKept(err):
			return false, nil
		case !errors.As(err, &damage):
			return false, err
		}
		l.Object, l.Reason = spoilt.Object, damage.Reason
	case patched && r.a.sparing.has(document{e.Incarnation, place{on.Seq, on.Move}}):
		l.Object = key(r.of.id, r.of.segments[r.of.at(on.Seq)].first, documentsPart)
		l.Reason = fmt.Sprintf("it is built on that of event %d", on.Seq)
	default:
		return false, nil
	}
	r.a.sparing.add(document{e.Incarnation, place{e.Seq, move}}, l)
	return true, nil
}

func (s *sparing) has(d document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[d]
}

func (s *sparing) add(d document, l LostDocument) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lost[d] {
		s.lost[d], s.list = true, append(s.list, l)
	}
}
