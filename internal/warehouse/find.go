package warehouse

import (
	"context"
	"iter"
)

// Finder is implemented by stores in which a write that was cut off leaves files, and
// whose Info tells when they were modified.
type Finder interface {
	// Find yields the files whose last segment of the name is wanted, also those
	// whose name begins with TempPrefix, which are no keys. It asks the storage
	// for nothing but names about all others, so that a folder of a million costs
	// little. Links are not followed, and folders that may not be read are left out.
	// What is created or deleted meanwhile may be yielded or not.
	Find(ctx context.Context, wants func(name string) bool) iter.Seq2[Entry, error]
}
