package warehouse

import "context"

// InBackground marks what is done with a context as work that nobody waits for. A store that
// does so much at a time keeps some of its room for others.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// Background tells of a context that it, or one that it is of, is InBackground.
func Background(ctx context.Context) bool { return ctx.Value(background{}) != nil }

type background struct{}
