package projections

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
)

// batch is how many events are applied together when catching up.
const batch = 512

// CatchUp applies what the journal has and the projection lacks, up to the seq
// to (0: up to the head). It is the only loop that applies events outside the
// recorder: at start, in a rebuild, in recovery, in followers. A projection that
// stands at another history than the journal's is ErrAhead or ErrDiverged and is
// left as it was; where the journal is read as a lineage, one that stands in an
// earlier incarnation goes on through the later ones. An empty one is loaded (see Loader): after an error it is empty
// still. One goroutine reads and checks the journal, another applies.
func CatchUp(ctx context.Context, from journal.Reader, to journal.Seq, p Projection) error {
	cursor, err := p.Cursor(ctx)
	if err != nil {
		return err
	}
	if err := checkCursor(ctx, from, cursor); err != nil {
		return fmt.Errorf("%s: %w", p.Name(), err)
	}
	reading, stop := context.WithCancel(ctx)
	batches, read := make(chan []journal.Event, 1), make(chan error, 1)
	go func() {
		defer close(batches)
		read <- readBatches(reading, from, cursor.Seq, to, batches)
	}()
	err = apply(ctx, p, cursor, batches, read)
	stop()
	for range batches { // until the reader has ended
	}
	return err
}

// readBatches sends the events after a seq.
func readBatches(ctx context.Context, from journal.Reader, after, to journal.Seq, batches chan<- []journal.Event) error {
	events := make([]journal.Event, 0, batch)
	send := func() error {
		select {
		case batches <- events:
			events = make([]journal.Event, 0, batch)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for e, err := range from.Scan(ctx, after) {
		if err != nil {
			return err
		}
		if to != 0 && e.Seq > to {
			break
		}
		if events = append(events, e); len(events) == batch {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if len(events) == 0 {
		return nil
	}
	return send()
}

// apply takes batches until there are no more; read then says why. A projection
// that lacks nothing applies nothing, which tells whether it could.
func apply(ctx context.Context, p Projection, cursor journal.Position, batches <-chan []journal.Event, read <-chan error) error {
	first, ok := <-batches
	if !ok {
		if err := <-read; err != nil {
			return err
		}
		return p.Apply(ctx)
	}
	into, err := begin(ctx, p, cursor)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name(), err)
	}
	defer into.Rollback()
	for events := first; ok; events, ok = <-batches {
		if err := into.Apply(ctx, events...); err != nil {
			return fmt.Errorf("%s: %w", p.Name(), diverged(err))
		}
	}
	if err := <-read; err != nil {
		return err
	}
	if err := into.Commit(ctx); err != nil {
		return fmt.Errorf("%s: %w", p.Name(), err)
	}
	return nil
}

func begin(ctx context.Context, p Projection, cursor journal.Position) (Load, error) {
	if cursor.IsZero() {
		return BeginLoad(ctx, p)
	}
	return byApply{p}, nil
}

// checkCursor compares a cursor with the journal it should be a place in.
func checkCursor(ctx context.Context, from journal.Reader, cursor journal.Position) error {
	if cursor.IsZero() {
		return nil
	}
	head, err := from.Head(ctx)
	if err != nil {
		return err
	}
	switch same := cursor.Incarnation == head.Incarnation; {
	case same && cursor.Seq > head.Seq:
		return fmt.Errorf("%w: it stands at %s, the journal ends at %s", ErrAhead, cursor, head)
	case same && cursor.Seq == head.Seq:
		return sameHash(cursor, head)
	}
	for e, err := range from.Scan(ctx, cursor.Seq-1) {
		switch {
		case err != nil:
			return err
		case e.Incarnation == cursor.Incarnation:
			return sameHash(cursor, e.Position)
		}
		break
	}
	return fmt.Errorf("%w: it stands at %s, the journal ends at %s and has no such event", ErrDiverged, cursor, head)
}

func sameHash(cursor, journaled journal.Position) error {
	if cursor != journaled {
		return fmt.Errorf("%w: the event at %s has another hash than the one applied", ErrDiverged, cursor)
	}
	return nil
}

// diverged turns a refusal into what it means in a replay: the journal accepted
// the event, so it is the projection that is wrong.
func diverged(err error) error {
	var c *Conflict
	if errors.As(err, &c) {
		return fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return err
}
