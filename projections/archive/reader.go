package archive

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sort"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// reader reads one incarnation; none: there is nothing to read.
type reader struct {
	a         *Archive
	warehouse uuid.UUID
	of        *incarnation
}

var (
	_ journal.Entries = reader{}
	_ journal.Files   = reader{}
)

// Head implements journal.Reader.
func (r reader) Head(ctx context.Context) (journal.Position, error) {
	if r.of == nil {
		return journal.Position{}, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, r.warehouse)
	}
	return r.of.end, ctx.Err()
}

// Find implements journal.Reader. It reads the segments, the newest first.
func (r reader) Find(ctx context.Context, id uuid.UUID) (journal.Event, bool, error) {
	text := []byte(id.String())
	for s, err := range r.segmentsBack(ctx, 0) {
		if err != nil {
			return journal.Event{}, false, err
		}
		for i, record := range s.records {
			if !bytes.Contains(record, text) {
				continue
			}
			if e, err := s.event(s.First.Seq + journal.Seq(i)); err != nil || e.ID == id {
				return e, err == nil, err
			}
		}
	}
	return journal.Event{}, false, nil
}

// Scan implements journal.Reader.
func (r reader) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for s, err := range r.ahead(ctx, after, false) {
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, e := range s.after(after) {
				if err := ctx.Err(); !yield(e.Event, err) || err != nil {
					return
				}
			}
		}
	}
}

// ScanBack implements journal.Reader.
func (r reader) ScanBack(ctx context.Context, before journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for s, err := range r.segmentsBack(ctx, before) {
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			seq := s.Last.Seq
			if before != 0 {
				seq = min(seq, before-1)
			}
			for ; seq >= s.First.Seq; seq-- {
				if !r.step(ctx, s, seq, yield) {
					return
				}
			}
			before = s.First.Seq
		}
	}
}

// step yields the event at a seq of a segment, and tells whether to go on.
func (r reader) step(ctx context.Context, s *segment, seq journal.Seq, yield func(journal.Event, error) bool) bool {
	if err := ctx.Err(); err != nil {
		return yield(journal.Event{}, err) && false
	}
	e, err := s.event(seq)
	return yield(e, err) && err == nil
}

// Entries implements journal.Entries.
func (r reader) Entries(ctx context.Context, after journal.Seq) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for s, err := range r.ahead(ctx, after, true) {
			if err != nil {
				yield(journal.Entry{}, err)
				return
			}
			for _, e := range s.after(after) {
				err := ctx.Err()
				if err == nil {
					err = r.complete(ctx, s, &e)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// complete adds the documents of an event of a segment.
func (r reader) complete(ctx context.Context, s decoded, e *journal.Entry) error {
	if s.unread != nil {
		return s.unread
	}
	for move := range e.Event.Moves() {
		d, ok := s.documents[place{e.Event.Seq, move}]
		if lost, err := r.spared(ctx, e.Event, move, d, ok, s.spoilt); err != nil {
			return err
		} else if ok && !lost {
			d.Data = bytes.Clone(d.Data)
			e.Documents = append(e.Documents, d)
		}
	}
	return nil
}

// Document implements journal.Reader. What it is built on may lie in earlier segments.
func (r reader) Document(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	return r.opened(ctx, seq, move)
}

// File implements journal.Files.
func (r reader) File(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	plain, err := r.Document(ctx, seq, move)
	if err != nil {
		return nil, err
	}
	_, kept, err := r.kept(ctx, seq, move)
	if err == nil && kept.Codec == journal.CodecRaw {
		return bytes.Clone(kept.Data), nil
	}
	return plain, err
}

func (r reader) shelf(ctx context.Context) journal.Shelf {
	return func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		return r.kept(ctx, seq, move)
	}
}

// kept is the document of a move as it is stored, and its event.
func (r reader) kept(ctx context.Context, seq journal.Seq, move int) (e journal.Event, d journal.Document, err error) {
	s, err := r.holding(ctx, seq)
	if err != nil {
		return e, d, err
	}
	if e, err = s.event(seq); err != nil {
		return e, d, err
	}
	if _, err := e.DocumentDigest(move); err != nil {
		return e, d, err
	}
	all, spoilt, err := r.a.shelved(ctx, s)
	if err != nil {
		return e, d, err
	}
	d, ok := all[place{seq, move}]
	switch {
	case !ok && spoilt != nil:
		err = spoilt
	case !ok:
		err = fmt.Errorf("%w: move %d of event %s", journal.ErrNotKept, move, e.Position)
	}
	return e, d, err
}

// Answered implements journal.Reader: an archive binds no keys.
func (reader) Answered(ctx context.Context, _ journal.Actor, _ string, _ time.Time) (journal.Answer, bool, error) {
	return journal.Answer{}, false, ctx.Err()
}

// holding is the segment that has an event.
func (r reader) holding(ctx context.Context, seq journal.Seq) (*segment, error) {
	if r.of == nil {
		return nil, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, r.warehouse)
	}
	if seq < r.of.first() || seq > r.of.end.Seq {
		return nil, fmt.Errorf("%w: seq %d", journal.ErrNoEvent, seq)
	}
	s, err := r.a.segment(ctx, r.of.id, r.of.segments[r.of.at(seq)].first)
	if err == nil && s.Last.Seq < seq {
		return nil, s.gap()
	}
	return s, err
}

// at is the index of the segment that should have an event: the last that does not
// begin after it.
func (i *incarnation) at(seq journal.Seq) int {
	return sort.Search(len(i.segments), func(n int) bool { return i.segments[n].first > seq }) - 1
}
