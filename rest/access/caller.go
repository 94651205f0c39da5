package access

import (
	"context"

	"puddle/journal"
)

// Caller is who asks and through which door.
type Caller struct {
	Actor  journal.Actor
	Origin journal.Origin
}

type callerKey struct{}

// WithActor marks the requests of a connection that is trusted for how it was
// made, such as the server's own socket: they need no token, and what they change
// is caused by that actor, from the command line.
func WithActor(ctx context.Context, actor journal.Actor) context.Context {
	return context.WithValue(ctx, callerKey{}, Caller{Actor: actor, Origin: journal.OriginCLI})
}

func trusted(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(Caller)
	return caller, ok
}
