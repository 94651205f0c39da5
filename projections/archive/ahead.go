package archive

import (
	"context"
	"iter"

	"puddle/journal"
)

// decoded is a segment with its events.
type decoded struct {
	*segment
	err     error           // why there is none
	entries []journal.Entry // without documents
	wrong   error           // with the event after them; nil: they are all

	documents documents // of all events, where they are read
	spoilt    *Damage   // with documents
	unread    error     // why there are no documents
}

// after are the entries after a seq.
func (d decoded) after(seq journal.Seq) []journal.Entry {
	passed := max(seq+1, d.First.Seq) - d.First.Seq
	return d.entries[min(int(passed), len(d.entries)):]
}

// ahead yields the segments that have the events after a seq, each checked to follow the
// one before. Where an event cannot be decoded, those before it come first. Nothing of
// it is kept in the cache, but for documents, where they are asked for.
func (r reader) ahead(ctx context.Context, after journal.Seq, documents bool) iter.Seq2[decoded, error] {
	return func(yield func(decoded, error) bool) {
		if r.of == nil || after >= r.of.end.Seq {
			return
		}
		next := max(after+1, r.of.first())
		of := r.of.segments[r.of.at(next):]
		read := func(ctx context.Context, first journal.Seq) decoded { return r.decode(ctx, first, documents) }
		var before *segment
		for i, d := range inOrder(ctx, of, documents, read) {
			if i+1 < len(of) && before != nil && of[i+1].first <= next {
				continue // what is next is in a later one
			}
			if err := d.holds(next, of[i], before); err != nil {
				yield(decoded{}, err)
				return
			}
			if !yield(d, nil) {
				return
			}
			if d.wrong != nil {
				yield(decoded{}, d.wrong)
				return
			}
			if before, next = d.segment, d.Last.Seq+1; next > r.of.end.Seq {
				return
			}
		}
		yield(decoded{}, before.gap())
	}
}

// holds checks that a segment, as it was listed, has an event and follows the one before,
// if that is given.
func (d decoded) holds(seq journal.Seq, as listed, before *segment) error {
	switch {
	case before != nil && as.first > seq:
		return before.gap()
	case d.err != nil:
		return d.err
	case d.Last.Seq < seq:
		return d.gap()
	case before != nil:
		return d.follows(before)
	}
	return nil
}

// decode reads a segment and decodes its events.
func (r reader) decode(ctx context.Context, first journal.Seq, documents bool) (d decoded) {
	var err error // of the event after the entries
	d.segment, d.err = r.a.read(ctx, r.of.id, first, func(prev journal.Digest, record []byte) journal.Digest {
		if err != nil {
			return journal.Link(prev, record)
		}
		var e journal.Entry
		if e, err = journal.DecodeEntry(prev, record); err != nil {
			return journal.Link(prev, record)
		}
		d.entries = append(d.entries, e)
		return e.Event.Hash
	})
	if d.err != nil {
		return d
	}
	if documents {
		d.documents, d.spoilt, d.unread = r.a.shelved(ctx, d.segment)
	}
	for i, e := range d.entries {
		if d.wrong = d.check(first+journal.Seq(i), e.Event, nil); d.wrong != nil {
			d.entries = d.entries[:i]
			return d
		}
	}
	if err != nil {
		d.wrong = d.check(first+journal.Seq(len(d.entries)), journal.Event{}, err)
	}
	return d
}
