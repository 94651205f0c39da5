package warehouse

import (
	"context"
	"errors"
	"fmt"
)

// ErrReadOnly: the store is one that is only read. Nothing was changed.
var ErrReadOnly = errors.New("warehouse: the storage is only read")

// ReadOnly is a store that reads another one, and refuses with ErrReadOnly whatever
// would change it. Of what a store may have beside its methods it has [Fetcher] alone.
func ReadOnly(r Reader) Store { return readOnly{r} }

type readOnly struct{ Reader }

var (
	_ Store   = readOnly{}
	_ Fetcher = readOnly{}
)

// Fetch implements [Fetcher].
func (s readOnly) Fetch(ctx context.Context, key string, limit int64) ([]byte, Info, error) {
	return Fetch(ctx, s.Reader, key, limit)
}

// Create implements [Store].
func (readOnly) Create(_ context.Context, key string, _ []byte) error { return refused(key) }

// Stage implements [Store].
func (readOnly) Stage(_ context.Context, key string, _ []byte) (Info, error) {
	return Info{}, refused(key)
}

// Put implements [Store].
func (readOnly) Put(_ context.Context, key string, _ []byte) error { return refused(key) }

// Delete implements [Store].
func (readOnly) Delete(_ context.Context, key string) error { return refused(key) }

func refused(key string) error { return fmt.Errorf("%q is not written: %w", key, ErrReadOnly) }
