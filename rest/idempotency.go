package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

const keyHeader = "Idempotency-Key"

// once answers a request that changes the catalog. One with an Idempotency-Key
// takes effect once, however often it is sent: who sends it again gets the
// answer again (case 105).
func (c *call) once() (reply, error) {
	request, keyed, err := c.keyed()
	if err != nil || !keyed {
		if err == nil {
			return c.endpoint.handle(c)
		}
		return reply{}, err
	}
	leave, err := c.server.inFlight.enter(c.ctx, bound{c.warehouse.ID, request.Digest()})
	if err != nil {
		return reply{}, internal(err, c.commits()) // what the other one does is not known here
	}
	defer leave()
	if answer, known, err := c.repeat(request); known || err != nil {
		return answer, err
	}
	c.key, c.ctx = request.Key, catalog.WithRequest(c.ctx, request)
	answer, err := c.endpoint.handle(c)
	if errors.Is(err, journal.ErrKeyTaken) {
		return c.lost(request, err)
	}
	if err != nil {
		answer = failed(err, c.commits()).reply()
	}
	return c.remember(request, answer), nil
}

// keyed reads the header. Its key is a UUIDv7 as text.
func (c *call) keyed() (r journal.Request, keyed bool, err error) {
	values := c.request.Header.Values(keyHeader)
	if len(values) == 0 || c.warehouse.Remember == nil || c.endpoint.again == nil {
		return r, false, nil
	}
	id, err := uuid.Parse(values[0])
	if err != nil || len(values) > 1 || len(values[0]) != journal.MinKeyBytes || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
		return r, false, badRequest("The header %s must be one UUIDv7 of %d characters", keyHeader, journal.MinKeyBytes)
	}
	r = journal.Request{
		Actor: c.caller.Actor, Key: id.String(), Route: c.route(), Body: journal.Sum(c.data),
		Until: c.server.Now().Add(c.server.KeyLifetime),
	}
	if err := r.Check(); err != nil {
		return r, false, badRequest("The request cannot be bound to its %s: %v", keyHeader, err)
	}
	return r, true, nil
}

// route is what tells requests of equal bodies apart.
func (c *call) route() string {
	route := c.request.Method + " " + rawPath(c.request.URL)
	if query := c.query.values.Encode(); query != "" {
		route += "?" + query
	}
	return route
}

// repeat answers a request that is known by its key. A key of another request is
// refused.
func (c *call) repeat(request journal.Request) (answer reply, known bool, err error) {
	before, known, err := c.warehouse.Journal.Answered(c.ctx, request.Actor, request.Key, c.server.Now())
	switch {
	case err != nil:
		return reply{}, false, c.unknown(err)
	case !known:
		return reply{}, false, nil
	case before.Route != request.Route || before.Request.Body != request.Body:
		return reply{}, true, &failure{
			status: http.StatusUnprocessableEntity, kind: "UnprocessableEntityException",
			message: fmt.Sprintf("The %s %s was sent before with another request", keyHeader, request.Key),
		}
	case before.Seq != 0:
		answer, err = c.again(before.Seq)
		return answer, true, err
	}
	answer.status = before.Status
	if len(before.Body) > 0 {
		answer.body = [][]byte{before.Body}
	}
	if c.endpoint.restore != nil && before.Status == http.StatusOK {
		answer, err = c.endpoint.restore(c, answer)
	}
	return answer, true, err
}

// unknown is the answer while nobody can look whether a request was made before: on
// commits it says so, and all are to be sent again.
func (c *call) unknown(err error) *failure {
	_, damaged := errors.AsType[*journal.Damage](err)
	if damaged || errors.Is(err, journal.ErrUnknownOutcome) {
		return internal(err, c.commits())
	}
	f := slowDown(http.StatusServiceUnavailable, "Whether the request was made before cannot be looked up at the moment", err)
	if c.commits() {
		f.kind = faults[catalog.OutcomeUnknown].kind
	}
	return f
}

// lost answers a request that another server has answered meanwhile.
func (c *call) lost(request journal.Request, taken error) (reply, error) {
	answer, known, err := c.repeat(request)
	if err == nil && !known {
		err = internal(taken, c.commits())
	}
	return answer, err
}

// remember keeps a final answer that made no event; one that made an event is
// bound to it already. An answer that cannot be kept goes out all the same:
// nothing was done.
func (c *call) remember(request journal.Request, answer reply) reply {
	if !final(answer.status) {
		return answer
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), c.server.RequestTimeout)
	defer cancel()
	_, known, err := c.warehouse.Journal.Answered(ctx, request.Actor, request.Key, c.server.Now())
	if err == nil && !known {
		err = c.warehouse.Remember(ctx, journal.Answer{Request: request, Status: answer.status, Body: answer.kept()})
	}
	if err != nil {
		answer.err = errors.Join(answer.err, fmt.Errorf("the answer to %s %s is not kept: %w", keyHeader, request.Key, err))
	}
	return answer
}

// final tells which answers the same request gets again: not those that depend
// on who asks, on limits or on the moment.
func final(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return false
	}
	return status < 500
}

// isoDuration is a duration in ISO 8601, in whole seconds.
func isoDuration(d time.Duration) string {
	var b strings.Builder
	b.WriteString("PT")
	for _, unit := range []struct {
		size   time.Duration
		letter byte
	}{{time.Hour, 'H'}, {time.Minute, 'M'}, {time.Second, 'S'}} {
		if n := d / unit.size; n > 0 || unit.size == time.Second && b.Len() == len("PT") {
			fmt.Fprintf(&b, "%d%c", n, unit.letter)
		}
		d %= unit.size
	}
	return b.String()
}
