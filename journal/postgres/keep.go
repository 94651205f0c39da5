package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Keep tries to gain the lease until ctx ends, and each time it has calls hold with a
// context that ends when the lease is lost. It renews the lease until hold has returned,
// gives it back and goes on trying; a failure of the database is nothing but that it was not
// gained, or is not renewed. When it returns, hold has, and the lease is given back. One
// Keep at a time for a Lease.
func (l *Lease) Keep(ctx context.Context, hold func(ctx context.Context)) {
	for ctx.Err() == nil {
		gained := l.gain(ctx)
		l.tried()
		if gained {
			l.hold(ctx, hold)
		}
		pause(ctx, l.term/3)
	}
	l.release(ctx) // it may have been gained when nobody heard it
}

// gain tries once. After a hold it is another holder who tries.
func (l *Lease) gain(ctx context.Context) bool {
	if l.holder == uuid.Nil {
		l.holder = uuid.New()
	}
	var idle row
	if l.now()-l.before.since > l.term+l.term/10 {
		idle = l.before.row
	}
	held, err := l.ask(ctx, gainLease, l.term, idle.holder, idle.until)
	if err == nil && !held {
		l.sight(ctx)
	}
	return err == nil && held && l.Held() == nil
}

// hold runs what is done under the lease, and renews it meanwhile.
func (l *Lease) hold(ctx context.Context, hold func(context.Context)) {
	holding, lost := context.WithCancel(ctx)
	defer lost()
	done := make(chan struct{})
	go func() {
		defer close(done)
		hold(holding)
	}()
	for l.stays(ctx, done) {
	}
	lost()
	<-done
	l.release(ctx)
	l.holder = uuid.Nil
}

// stays waits for the next renewal and makes it: false when the lease is lost, hold has
// returned or ctx ended.
func (l *Lease) stays(ctx context.Context, done <-chan struct{}) bool {
	next := time.NewTimer(min(l.term/3, l.left()))
	defer next.Stop()
	select {
	case <-done:
		return false
	case <-ctx.Done():
		return false
	case <-next.C:
	}
	if l.Held() != nil {
		return false
	}
	_, _ = l.ask(ctx, renewLease, l.left()) // that it failed shows in time
	return l.Held() == nil
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
