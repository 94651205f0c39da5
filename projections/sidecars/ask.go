package sidecars

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// ask is something to be done at once, by run's goroutine, between two writes.
type ask struct {
	ctx    context.Context
	do     func(context.Context, *work) error
	answer chan error // holds one
}

// ask waits until something is done.
func (f *Follower) ask(ctx context.Context, do func(context.Context, *work) error) error {
	a := ask{ctx, do, make(chan error, 1)}
	select {
	case f.asks <- a:
	case <-f.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-a.answer
}

func (f *Follower) answer(a ask) {
	err := a.ctx.Err()
	if err == nil {
		err = a.do(a.ctx, &f.work)
	}
	a.answer <- err
	f.Wake() // what was seen meanwhile is to be written
}

// serve answers whoever asks now.
func (f *Follower) serve() {
	for {
		select {
		case a := <-f.asks:
			f.answer(a)
		default:
			return
		}
	}
}

// Unconfirmed writes into the sidecars of moved objects that nobody knows whether
// the event that would move them landed: recovery is not to take their new files
// for history. It is for the request that must say so, after the recorder has given
// up. An object that is born by the event, or whose file does not change, needs
// nothing. Durable on return; best effort: what fails is tried again by the
// follower, as long as it lives. The lists are cleared by the next event that
// moves the pointer, this one included.
func (f *Follower) Unconfirmed(ctx context.Context, event uuid.UUID, moves ...journal.Move) error {
	return f.ask(ctx, func(ctx context.Context, w *work) error {
		if err := w.catchUp(ctx); err != nil {
			return err
		}
		var errs []error
		for _, m := range moves {
			if err := w.doubt(ctx, event, m); err != nil {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// doubtful tells whether a move is from one file to another.
func doubtful(m journal.Move) bool {
	return m.From != nil && m.To != nil && m.From.Pointer.MetadataLocation != m.To.Pointer.MetadataLocation
}

// doubt lists the new file of a move in its object's sidecar.
func (w *work) doubt(ctx context.Context, event uuid.UUID, m journal.Move) error {
	if !doubtful(m) {
		return nil
	}
	e, err := w.hold(ctx, Key(m.UUID))
	if err != nil {
		return err
	}
	if e.object == nil || !samePlace(e.object.MetadataLocation, m.From.Pointer.MetadataLocation) {
		return nil // it has moved on, and nothing was made from where it is
	}
	now := e.object.doubting(event, m)
	e.object, e.dirty = &now, true
	return w.write(ctx, e)
}

// Forget deletes the sidecar of a table whose files are about to be purged, durably
// before it returns. It may be repeated. After an error the files must stay: else
// recovery could bring back what is half there.
func (f *Follower) Forget(ctx context.Context, object uuid.UUID) error {
	return f.ask(ctx, func(ctx context.Context, w *work) error {
		if err := w.catchUp(ctx); err != nil {
			return err
		}
		key := Key(object)
		delete(w.pending, key)
		delete(w.seen, key) // it may be there again until the purge is closed
		return w.Store.Delete(ctx, key)
	})
}

// Named is the metadata file that the sidecar of an object names at this moment, whoever
// writes it; empty when there is none. Later it names a later one, but for a moment after
// somebody was paused. Safe for concurrent use.
func Named(ctx context.Context, store warehouse.Reader, object uuid.UUID) (string, error) {
	key := Key(object)
	data, err := store.Get(ctx, key, maxObject)
	if errors.Is(err, warehouse.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("sidecar %q: %w", key, err)
	}
	o, err := Decode(key, data)
	return o.MetadataLocation, err
}
