package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

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
