package recorder

import (
	"slices"
	"strings"
	"sync/atomic"

	"puddle/journal"
	"puddle/projections"
)

// What an entry weighs besides its text: itself, its shares of map and ring, what
// the allocator rounds up; and each level of a namespace.
const (
	hotOverhead = 320
	levelBytes  = 16
)

// hotEntry is an object that is kept. Who finds it may read the object at any time.
type hotEntry struct {
	object projections.Object // never changes
	used   atomic.Bool        // since the hand came by
	hash   uint64
	at     int // in the ring
	bytes  int
}

// newHotEntry copies what o says into one text, as small as can be. What o was
// made of may be large: its name a part of a whole request.
func newHotEntry(o projections.Object) *hotEntry {
	id, p := o.Identifier, o.Pointer
	within := strings.HasPrefix(p.MetadataLocation, o.Location)
	parts := append([]string{p.MetadataLocation, string(p.Encoding), string(o.Kind), id.Name}, id.Namespace...)
	if !within {
		parts = append(parts, o.Location)
	}
	text := strings.Join(parts, "")
	bytes := hotOverhead + len(text) + levelBytes*len(id.Namespace)
	next := func(s string) (own string) {
		own, text = text[:len(s)], text[len(s):]
		return own
	}
	o.Pointer.MetadataLocation = next(p.MetadataLocation)
	o.Pointer.Encoding = journal.Encoding(next(string(p.Encoding)))
	o.Kind = journal.ObjectKind(next(string(o.Kind)))
	o.Identifier.Name = next(id.Name)
	o.Identifier.Namespace = slices.Clone(id.Namespace)
	for i, level := range id.Namespace {
		o.Identifier.Namespace[i] = next(level)
	}
	if within {
		o.Location = o.Pointer.MetadataLocation[:len(o.Location)]
	} else {
		o.Location = next(o.Location)
	}
	return &hotEntry{object: o, bytes: bytes}
}
