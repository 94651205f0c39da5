package catalog

import (
	"context"

	"puddle/journal"
)

// requestKey is where WithRequest keeps what it is given.
type requestKey struct{}

// WithRequest makes the event of a command bind an idempotency key, which must
// be the one in its cause. journal.ErrKeyTaken lies behind the refusal of a
// command whose key is bound already: nothing was done by it.
func WithRequest(ctx context.Context, r journal.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, &r)
}

func requestOf(ctx context.Context) *journal.Request {
	r, _ := ctx.Value(requestKey{}).(*journal.Request)
	return r
}

// TableAt reads a version of a table, current or not, of which the journal has
// no document. FileMissing.
func (c *Catalog) TableAt(ctx context.Context, pointer journal.Pointer) (Table, error) {
	document, err := c.read(ctx, pointer)
	if err != nil {
		return Table{}, err
	}
	return tableAt(pointer, document.text), nil
}
