package warehouse

import "context"

// Fetcher is implemented by stores that tell with the bytes what Stat says of them. Its
// method may be called from many goroutines.
type Fetcher interface {
	// Fetch is Get and Stat by one request: the Info is that of these bytes.
	Fetch(ctx context.Context, key string, limit int64) ([]byte, Info, error)
}

// Fetch is Get, with what Stat says of the bytes. A store that is no Fetcher is asked
// twice, first for the Info: it is that of the bytes or of older ones, and zero when only
// they can be had. The errors are those of Get.
func Fetch(ctx context.Context, r Reader, key string, limit int64) ([]byte, Info, error) {
	if f, ok := r.(Fetcher); ok {
		return f.Fetch(ctx, key, limit)
	}
	info, err := r.Stat(ctx, key)
	if err != nil {
		info = Info{}
	}
	data, err := r.Get(ctx, key, limit)
	return data, info, err
}
