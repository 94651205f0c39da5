package catalog

import (
	"errors"
	"sync/atomic"
	"time"
)

// trust is when the store last said that the file of a document is there as it was, in
// nanoseconds of Options.Now; 0: it said otherwise. Of several who find that it was too
// long ago, one looks, and the others go on trusting until he knows.
type trust struct{ since atomic.Int64 }

// look is somebody's turn to ask the store about the file of a document; none where
// nothing depends on what comes of it. Exactly one of found and failed follows.
type look struct {
	of      *trust
	was, at int64 // since when the file was trusted, and as of when it is looked at
}

// document is that of a file that was just proven, or made.
func (f file) document(now func() time.Time) *document {
	d := &document{text: f.text, at: f.at, info: f.info}
	if f.at.revalidate > 0 {
		d.trust.since.Store(now().UnixNano())
	}
	return d
}

// due tells whether the file of a document at a location is to be looked at now, by
// who is told so. A document that is not known is.
func (d *document) due(location string, now func() time.Time) (l look, due bool) {
	l = d.lookNow(location, now)
	if !l.alone() {
		return l, true
	}
	if age := time.Duration(l.at - l.was).Abs(); age < d.at.revalidate {
		return look{}, false
	}
	return l, l.of.since.CompareAndSwap(l.was, l.at)
}

// lookNow is a look at the file of a document at a location, due or not.
func (d *document) lookNow(location string, now func() time.Time) look {
	if d == nil || d.at.revalidate <= 0 || d.at.location != location {
		return look{}
	}
	return look{of: &d.trust, was: d.trust.since.Load(), at: now().UnixNano()}
}

// standsAt tells whether a document is good to build on without a look: its file was
// there as it was when the store was last asked, and that is not to be done each time.
func (d *document) standsAt(location string) bool {
	return d != nil && d.at.revalidate > 0 && d.at.location == location && d.trust.since.Load() != 0
}

// alone tells that nobody else has this turn.
func (l look) alone() bool { return l.of != nil && l.was != 0 }

// found ends a look at a file that is there as it was.
func (l look) found() {
	if l.of != nil {
		l.of.since.Store(l.at)
	}
}

// failed ends any other look. After FileMissing everybody looks until one has found the
// file; else nobody knows, and the next one looks.
func (l look) failed(err error) {
	var refused *Error
	switch {
	case l.of == nil:
	case errors.As(err, &refused) && refused.Code == FileMissing:
		l.of.since.Store(0)
	default:
		l.of.since.CompareAndSwap(l.at, l.was)
	}
}
