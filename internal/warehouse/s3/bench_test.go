package s3_test

import (
	"bytes"
	"fmt"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// What a client of the in-process fake costs, the fake's own work with it.
func BenchmarkStore(b *testing.B) {
	l := inProcess(b)
	store := l.at(b, s3.Limits{}, "s3://"+l.bucket(b)+"/wh")
	for _, size := range []int{4 << 10, 1 << 20} {
		data := bytes.Repeat([]byte("x"), size)
		if err := store.Put(b.Context(), "k", data); err != nil {
			b.Fatal(err)
		}
		for name, call := range map[string]func(n int) error{
			"create": func(n int) error { return store.Create(b.Context(), fmt.Sprint(size, "/", n), data) },
			"get":    func(int) error { _, err := store.Get(b.Context(), "k", int64(size)); return err },
			"stat":   func(int) error { _, err := store.Stat(b.Context(), "k"); return err },
		} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(size))
				for n := range b.N {
					if err := call(n); err != nil && !is(err, warehouse.ErrExists) { // it runs more than once
						b.Fatal(err)
					}
				}
			})
		}
	}
}
