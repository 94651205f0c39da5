package catalog

import (
	"bytes"
	"testing"

	"puddle/internal/fuzztest"
)

// FuzzInflate: a gzip file gives at most so many bytes, for no more memory than these take,
// and the same ones when they are deflated again.
func FuzzInflate(f *testing.F) {
	f.Add(deflate([]byte(`{"format-version":2}`)), uint16(100))
	f.Add(deflate(bytes.Repeat([]byte{' '}, 1<<20)), uint16(1000))
	for _, seed := range fuzztest.Files(f, "../../fixtures/warehouses/hadoop-a/warehouse/db/gz/metadata/v1.gz.metadata.json") {
		f.Add(seed, uint16(1<<15))
	}
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		var text []byte
		var err error
		fuzztest.Bounded(t, len(data), 1, int(limit), func() { text, err = inflate(data, int(limit), always) })
		if err != nil {
			return
		}
		if len(text) > int(limit) {
			t.Fatalf("%d bytes, over %d", len(text), limit)
		}
		if again, err := inflate(deflate(text), len(text), always); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%d bytes, not %d: %v", len(again), len(text), err)
		}
	})
}
