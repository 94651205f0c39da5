package bolt

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// A copy stops at the next key when it is told to, however much a bucket holds.
func TestCopyStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	loose(t, path)
	j, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, stop := context.WithCancel(t.Context())
	told := 0
	_, err = writeCopy(ctx, j.db, path+compactSuffix, everything, nil, func(int) {
		if told++; told == 50 { // its bucket has more
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || told != 50 {
		t.Errorf("%d buckets and pairs were copied, %v", told, err)
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, err := digestOf(ctx, j.db, everything); !errors.Is(err, context.Canceled) {
		t.Errorf("the digest: %v", err)
	}
}
