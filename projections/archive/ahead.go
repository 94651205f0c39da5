package archive

import (
	"context"
	"iter"
	"sync"

	"puddle/journal"
)

// How many segments are read and decoded while the one before them is used, each by a
// goroutine of its own: as many as may have so many bytes together, if all are as large as
// that one. Small ones are many, and what reading them takes is the way to the store.
const (
	leastAhead = 4
	mostAhead  = 32
	aheadBytes = leastAhead * MaxSegmentBytes
)

// aheadOf is how many segments are read ahead of the one behind this.
func aheadOf(s *segment) int { return min(max(aheadBytes/(int(s.Bytes)+1), leastAhead), mostAhead) }

// decoded is a segment with its events.
type decoded struct {
	*segment
	err     error           // why there is none
	entries []journal.Entry // without documents
	wrong   error           // with the event after them; nil: they are all
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
		if r.of == nil {
			return
		}
		ctx, stop := context.WithCancel(ctx)
		reading := &reads{reader: r, documents: documents, begun: map[int]chan decoded{}}
		defer reading.all.Wait()
		defer stop()
		var before *segment
		for next := max(after+1, r.of.firsts[0]); next <= r.of.end.Seq; {
			d, err := reading.holding(ctx, next, before)
			if err != nil {
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
			before, next = d.segment, d.Last.Seq+1
		}
	}
}

// reads are the segments that are being read. One goroutine uses it.
type reads struct {
	reader
	documents bool                 // are read too
	begun     map[int]chan decoded // by the index of the segment
	all       sync.WaitGroup
}

// holding is the segment that has an event and follows the one before, if that is given:
// then those behind it are begun with.
func (r *reads) holding(ctx context.Context, seq journal.Seq, before *segment) (decoded, error) {
	at := r.of.at(seq)
	if before != nil && r.of.firsts[at] == before.First.Seq {
		return decoded{}, before.gap()
	}
	end := at + 1
	if before != nil {
		end = min(end+aheadOf(before), len(r.of.firsts))
	}
	for i := at; i < end; i++ {
		r.begin(ctx, i)
	}
	found := <-r.begun[at]
	for i := range r.begun {
		if i <= at {
			delete(r.begun, i)
		}
	}
	switch {
	case found.err != nil:
		return decoded{}, found.err
	case found.Last.Seq < seq:
		return decoded{}, found.gap()
	case before != nil:
		return found, found.follows(before)
	}
	return found, nil
}

// begin begins to read a segment, once.
func (r *reads) begin(ctx context.Context, at int) {
	if r.begun[at] != nil {
		return
	}
	read := make(chan decoded, 1)
	r.begun[at] = read
	r.all.Go(func() {
		d := r.decode(ctx, r.of.firsts[at])
		if d.err == nil && r.documents {
			_, _ = r.a.documents(ctx, d.segment) // into the cache; whoever needs them is told what is wrong
		}
		read <- d
	})
}

// decode reads a segment and decodes its events.
func (r reader) decode(ctx context.Context, first journal.Seq) (d decoded) {
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
