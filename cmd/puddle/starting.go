package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"puddle/journal"
	"puddle/rest"
)

// opening tells what is under way while a node is opened. Safe for concurrent
// use.
type opening struct{ what atomic.Pointer[string] }

func (o *opening) say(what string) { o.what.Store(&what) }

// replayed says how far the pointer tables of a warehouse are.
func (o *opening) replayed(warehouse string, done, head journal.Seq) {
	o.say(fmt.Sprintf("replaying %s: %d of %d events", warehouse, done, head))
}

// ready is never ready, and says what is under way, for anybody.
func (o *opening) ready(context.Context) error {
	if what := o.what.Load(); what != nil {
		return errors.New("starting: " + *what)
	}
	return errors.New("starting")
}

func (o *opening) writer() rest.Writer { return rest.Writer{State: rest.WriterStarting} }

// starting is the handler of a node that is being opened.
func (n *node) starting() (http.Handler, error) {
	options, err := n.options()
	if err != nil {
		return nil, err
	}
	options.Ready, options.Writer = n.opening.ready, n.opening.writer
	return rest.Starting(options), nil
}

// switched is a handler that another one can take the place of while requests
// come in.
type switched struct{ now atomic.Pointer[http.Handler] }

func (s *switched) to(h http.Handler) { s.now.Store(&h) }

// ServeHTTP implements http.Handler.
func (s *switched) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*s.now.Load()).ServeHTTP(w, r) }

// startTime is how long a server that starts waits for its database and for its object
// stores, which may be starting too.
const startTime = 30 * time.Second

// patiently does a part of a start, again while what failed may pass, in a node that is to
// serve: a second after it was begun last, or when that is over. A try that ends after
// startTime is the last one. Meanwhile it says what it waits for.
func (n *node) patiently(ctx context.Context, waiting string, passes func(error) bool, part func() error) error {
	over := time.Now().Add(startTime)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		err := part()
		if n.purpose != serving || err == nil || !passes(err) || !time.Now().Before(over) {
			return err
		}
		n.opening.say(waiting)
		n.log.Warn().Err(err).Msg(waiting)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
