package bolt

import (
	"bytes"
	"context"
	"errors"

	"puddle/journal"
)

// audit looks through one incarnation.
type audit struct {
	reader
	x       journal.Examination
	reached func()      // Seen is a place to go on from
	from    journal.Seq // of the first event that is there
}

func (a *audit) run(ctx context.Context) error {
	err := a.current(ctx, func(h history) error {
		a.x.Reading, a.from = h.reading(), h.first()
		return a.around(h)
	})
	next := a.from
	if err == nil {
		next, err = a.resume(ctx)
	}
	for err == nil && next != 0 && next <= a.x.Head.Seq {
		if next, err = a.step(ctx, next); err == nil && a.x.Begun && !a.x.Lost {
			a.x.Seen.Through[a.incarnation] = a.x.Chain.Head
			a.reached()
		}
	}
	if err == nil {
		a.x.End()
		err = a.ids(ctx)
	}
	if err == nil {
		err = a.requests(ctx)
	}
	return err
}

// resume goes to the event behind those that were looked at before, which are there.
func (a *audit) resume(ctx context.Context) (next journal.Seq, err error) {
	through, ok := a.x.Seen.Through[a.incarnation]
	if !ok {
		return a.from, nil
	}
	var damage *journal.Damage
	if a.x.First, err = a.one(ctx, a.from); err != nil && !errors.As(err, &damage) {
		return 0, err
	}
	last, err := a.one(ctx, through.Seq)
	a.x.Chain, a.x.Begun = journal.ChainAt(last), true
	return through.Seq + 1, err
}

// one is the event at a seq, which must be there.
func (r reader) one(ctx context.Context, seq journal.Seq) (journal.Event, error) {
	var s stored
	var h history
	err := r.current(ctx, func(now history) (err error) {
		h = now
		s, err = h.get(seq)
		return err
	})
	if err != nil {
		return journal.Event{}, err
	}
	return h.decode(s)
}

// around looks at what is there beside the records: buckets of other names, keys
// before and behind the events.
func (a *audit) around(h history) error {
	known := [][]byte{bucketEvents, bucketDocuments, bucketIDs, bucketMeta, bucketRequests, bucketExpiries}
	err := h.bucket.ForEach(func(key, _ []byte) error {
		if !contains(known, key) {
			a.x.Flaw(0, true, "there is a bucket or value %q that this build does not know", key)
		}
		return nil
	})
	if (h.requests == nil) != (h.bucket.Bucket(bucketExpiries) == nil) {
		a.x.Flaw(0, true, "of the buckets requests and expiries one is missing")
	}
	if key, _ := h.events.Cursor().First(); key != nil && a.from == 0 {
		a.x.Flaw(0, false, "the first record has the key of no event")
	}
	if key, _ := h.events.Cursor().Last(); seqOf(key) != h.written {
		a.x.Flaw(h.head.Seq, false, "the head is not the last event")
	}
	if key, _ := h.documents.Cursor().First(); key != nil && (len(key) != documentKeySize || seqOf(key[:8]) < a.from) {
		a.x.Flaw(0, true, "a document of no event is kept")
	}
	if key, _ := h.documents.Cursor().Last(); key != nil && (len(key) != documentKeySize || seqOf(key[:8]) > h.written) {
		a.x.Flaw(0, true, "a document of no event is kept")
	}
	return err
}

// ids looks at the ids of all events, some at a time. Those of events that came
// since it began are nobody's concern.
func (a *audit) ids(ctx context.Context) error {
	n := int64(0)
	err := a.walk(ctx, bucketIDs, func(h history, _, value []byte) error {
		switch seq := seqOf(value); {
		case len(value) != 8 || seq > h.written || seq < a.from:
			a.x.Flaw(seqOf(value), true, "an id of no event is listed")
			n++
		case seq <= a.x.Head.Seq:
			n++
		}
		return nil
	})
	if want := int64(a.x.Head.Seq-a.from) + 1; err == nil && n != want && a.from != 0 {
		a.x.Flaw(0, true, "%d ids are listed, there are %d events", n, want)
	}
	return err
}

func contains(all [][]byte, one []byte) bool {
	for _, b := range all {
		if bytes.Equal(b, one) {
			return true
		}
	}
	return false
}
