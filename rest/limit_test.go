package rest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A limit is what context.WithTimeout makes, whether or not somebody waits for it.
func TestLimitIsATimeout(t *testing.T) {
	type named struct{}
	for name, c := range map[string]struct {
		after time.Duration
		do    func(cancel context.CancelFunc, l *limit)
		want  error
	}{
		"early":    {time.Minute - 1, func(context.CancelFunc, *limit) {}, nil},
		"late":     {time.Minute, func(context.CancelFunc, *limit) {}, context.DeadlineExceeded},
		"ended":    {time.Second, func(_ context.CancelFunc, l *limit) { l.end() }, context.Canceled},
		"canceled": {time.Second, func(cancel context.CancelFunc, _ *limit) { cancel() }, context.Canceled},
	} {
		for _, waits := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				parent, cancel := context.WithCancel(context.WithValue(t.Context(), named{}, "parent"))
				defer cancel()
				l := within(parent, time.Minute)
				defer l.end()
				if waits {
					l.Done()
				}
				time.Sleep(c.after)
				c.do(cancel, l)
				synctest.Wait()
				if err := l.Err(); !errors.Is(err, c.want) {
					t.Errorf("%s, waiting %t: %v, want %v", name, waits, err, c.want)
				}
				select {
				case <-l.Done():
					if c.want == nil || l.Err() == nil {
						t.Errorf("%s, waiting %t: done, %v", name, waits, l.Err())
					}
				default:
					if c.want != nil {
						t.Errorf("%s, waiting %t: not done", name, waits)
					}
				}
				if l.Value(named{}) != "parent" {
					t.Errorf("%s, waiting %t: no value", name, waits)
				}
			})
		}
	}
}

// What is made of a limit ends with it, and the earlier deadline counts.
func TestLimitHasChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		l := within(outer, time.Minute)
		defer l.end()
		if at, ok := l.Deadline(); !ok || time.Until(at) != time.Second {
			t.Errorf("ends in %s, %t", time.Until(at), ok)
		}
		child, end := context.WithCancel(l)
		defer end()
		<-child.Done()
		if err := context.Cause(child); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(l.Err(), context.DeadlineExceeded) {
			t.Errorf("child %v, limit %v", err, l.Err())
		}
	})
}
