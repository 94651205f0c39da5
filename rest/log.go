package rest

import (
	"time"

	"puddle/journal"
)

// Request is what the log says of one request. It holds no secret: no header, no
// query and no body.
type Request struct {
	ID        string
	Method    string
	Route     string // the template; empty for what is no route
	Path      string // as it was sent, escaped
	Warehouse string // empty when the route is of none
	Actor     journal.Actor
	Engine    string // User-Agent, cut
	Status    int
	BytesIn   int64
	BytesOut  int64
	Duration  time.Duration
	Err       error  // what lies behind a failure; clients were not told
	Stack     []byte // of a panic
}
