package warehouse

import "context"

// Batches is implemented by stores that do for many keys by few requests what costs
// others one a key. Its methods may be called from many goroutines.
type Batches interface {
	// StatAll is Stat of each key. Both answers are in the order of keys, and as long.
	StatAll(ctx context.Context, keys []string) ([]Info, []error)

	// DeleteAll is Delete of each key. The answer is in the order of keys, and as long:
	// nil for what is gone, also when it was gone before. Some may fail and others not.
	DeleteAll(ctx context.Context, keys []string) []error
}
