package journal

import (
	"context"
	"errors"
	"iter"
)

// Page reads some entries in a row from storage, from a seq on, at least one: they are
// decoded, and whether they belong there is not checked. It holds storage only while
// nothing is yielded.
type Page func(from Seq) iter.Seq2[Entry, error]

// Scan yields what is behind the end of a chain, up to the head, each checked to be the
// next. The first error ends it.
func (r Reading) Scan(ctx context.Context, chain Chain, page Page) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for chain.Head.Seq < r.Head.Seq {
			before := chain.Head.Seq
			for e, err := range page(before + 1) {
				if err == nil {
					chain, err = r.follow(ctx, chain, e.Event)
				}
				if err != nil {
					yield(Entry{}, err)
					return
				}
				if !yield(e, nil) {
					return
				}
			}
			if chain.Head.Seq == before {
				yield(Entry{}, r.Missing(before+1))
				return
			}
		}
	}
}

// follow checks that an event is the chain's next; the last one must be what the head
// says.
func (r Reading) follow(ctx context.Context, chain Chain, e Event) (Chain, error) {
	if err := ctx.Err(); err != nil {
		return chain, err
	}
	if want := chain.Head.Seq + 1; e.Seq != want {
		return chain, r.Missing(want)
	}
	next, err := chain.Follow(e)
	if err != nil {
		return chain, r.Damage(e.Seq, err)
	}
	if e.Seq == r.Head.Seq && e.Hash != r.Head.Hash {
		return chain, r.damage(e, "the event has the hash %s, the head says %s", e.Hash, r.Head.Hash)
	}
	return next, nil
}

// ScanBack yields the events from a seq on, newest first, to the beginning, each
// checked to be what the one after it links to: the first has the hash want. Its pages
// go downward. The first error ends it.
func (r Reading) ScanBack(ctx context.Context, at Seq, want Digest, page Page) iter.Seq2[Event, error] {
	genesis := Genesis(r.Warehouse, r.Head.Incarnation)
	return func(yield func(Event, error) bool) {
		for want != genesis {
			before := at
			for e, err := range page(at) {
				if err == nil {
					err = r.precede(ctx, at, want, e.Event)
				}
				if err != nil {
					yield(Event{}, err)
					return
				}
				if !yield(e.Event, nil) {
					return
				}
				at, want = e.Event.Seq-1, e.Event.Prev
			}
			if at == before {
				yield(Event{}, r.Missing(at))
				return
			}
		}
	}
}

func (r Reading) precede(ctx context.Context, at Seq, want Digest, e Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.Seq != at {
		return r.Missing(at)
	}
	if e.Hash != want {
		return r.damage(e, "the event has the hash %s, the one after it says %s", e.Hash, want)
	}
	return nil
}

// Events are the events of entries.
func Events(entries iter.Seq2[Entry, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range entries {
			if !yield(e.Event, err) {
				return
			}
		}
	}
}

// Begun is a scan that begins when it is ranged over: begin finds what it yields. Of a
// warehouse that is not there it yields nothing.
func Begun[T any](begin func() (iter.Seq2[T, error], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		all, err := begin()
		if err != nil {
			end(err, yield)
			return
		}
		all(yield)
	}
}

// end ends a scan that could not begin; before birth that is no error.
func end[T any](err error, yield func(T, error) bool) {
	if !errors.Is(err, ErrNoWarehouse) {
		var none T
		yield(none, err)
	}
}
