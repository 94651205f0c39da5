package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"puddle/journal"
	"puddle/rest/access"
)

// call is one request on its way through.
type call struct {
	server    *server
	request   *http.Request
	ctx       context.Context // the request's, later with its time limit
	id        string
	match     *match    // nil for what is no route
	endpoint  *endpoint // nil for what is no route
	query     query
	caller    access.Caller
	warehouse *Warehouse       // nil when the route is of none
	asOf      journal.Position // of the event that it is shown as of, with an incarnation that was left, if it is of one; seq 0: as it is
	body      body
	data      []byte // the body, once read
	key       string // Idempotency-Key; empty when there is none
	stack     []byte // of a panic
}

// ServeHTTP answers one request: exactly one reply, whatever happens.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	s.Metrics.began()
	c := &call{
		server: s, request: r, ctx: r.Context(), id: requestID(r.Header),
		body: body{limit: s.MaxBody, budget: &s.bodies},
	}
	defer c.body.release()
	w.Header().Set(requestIDHeader, c.id)
	answer := c.packed(c.answer(w))
	sent := answer.send(w, r.Method == http.MethodHead)
	c.done(answer, sent, time.Since(began))
}

// answer never panics.
func (c *call) answer(w http.ResponseWriter) (answer reply) {
	defer func() {
		if p := recover(); p != nil {
			c.stack = debug.Stack()
			answer = internal(fmt.Errorf("panic: %v", p), c.commits()).reply()
		}
	}()
	answer, err := c.serve(w)
	if err != nil {
		return failed(err, c.commits()).reply()
	}
	return answer
}

// serve is the way of a request in order: route, caller, warehouse, body,
// handler. Nobody learns what exists before they are known.
func (c *call) serve(w http.ResponseWriter) (reply, error) {
	if c.match = c.server.router.find(c.request.URL); c.match != nil {
		c.endpoint = c.match.resource[c.request.Method]
	}
	if err := c.authenticate(); err != nil {
		return reply{}, err
	}
	switch path := c.request.URL.Path; {
	case c.match == nil:
		return reply{}, noSuchRoute(c.request.Method, path)
	case c.endpoint == nil:
		return reply{}, wrongMethod(c.request.Method, path, c.match.resource.allow())
	case c.server.starting && !c.endpoint.early:
		return reply{}, notReady(c.commits(), c.server.ready(c.ctx))
	}
	if err := c.findWarehouse(); err != nil {
		return reply{}, err
	}
	var err error
	if c.query, err = parseQuery(c.request.URL.RawQuery); err != nil {
		return reply{}, err
	}
	if c.endpoint.body {
		if c.data, err = c.readBody(w, c.server.RequestTimeout); err != nil {
			return reply{}, err
		}
	}
	limited := within(c.ctx, c.server.RequestTimeout)
	defer limited.end()
	c.ctx = limited
	if c.asOf.Seq != 0 {
		if err := c.openPast(); err != nil {
			return reply{}, err
		}
	}
	if c.endpoint.writes {
		return c.once()
	}
	return c.endpoint.handle(c)
}

// authenticate finds the caller. A browser on this machine could be told by any
// page to change things where nobody needs a token.
func (c *call) authenticate() (err error) {
	if err := c.server.sites.Check(c.request); err != nil {
		return forbidden(err)
	}
	if c.endpoint != nil && c.endpoint.open {
		return nil
	}
	c.caller, err = c.server.Access.Authenticate(c.ctx, c.request.Header["Authorization"])
	return err
}

// findWarehouse finds the one that the path names, or the only one where a route
// of the catalog names none.
func (c *call) findWarehouse() error {
	if !c.match.named {
		c.warehouse = c.server.only()
		return nil
	}
	name, err := url.PathUnescape(c.match.warehouse)
	if err != nil {
		return noSuchWarehouse(name)
	}
	if c.warehouse = c.server.warehouses[name]; c.warehouse == nil {
		return c.findPast(name)
	}
	return nil
}

// cause is who and what makes the event of this request.
func (c *call) cause() journal.Cause {
	return journal.Cause{
		Actor: c.caller.Actor, Origin: c.caller.Origin, RequestID: c.id, Key: c.key,
		Engine: journal.Engine(c.request.UserAgent()),
	}
}

func (c *call) writes() bool  { return c.endpoint != nil && c.endpoint.writes }
func (c *call) commits() bool { return c.endpoint != nil && c.endpoint.commits }

// done counts and logs the request.
func (c *call) done(answer reply, sent int64, took time.Duration) {
	entry := Request{
		ID: c.id, Method: c.request.Method, Path: c.request.URL.EscapedPath(), Actor: c.caller.Actor,
		Engine: journal.Engine(c.request.UserAgent()), Status: answer.status,
		BytesIn: c.body.read, BytesOut: sent, Duration: took, Err: answer.err, Stack: c.stack,
	}
	if c.endpoint != nil {
		entry.Route = c.endpoint.path
	}
	if c.warehouse != nil {
		entry.Warehouse = c.warehouse.Name
	}
	c.server.Metrics.done(entry, c.commits())
	if c.server.Log != nil {
		c.server.Log(entry)
	}
}
