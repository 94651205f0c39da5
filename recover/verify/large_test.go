package verify_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"puddle/internal/warehouse"
	"puddle/rest/catalog"
)

// oneLarge is a store in which a large file takes until all small ones have been read.
type oneLarge struct {
	warehouse.Store
	small sync.WaitGroup

	mu           sync.Mutex
	reading, all int
	most         int // of the large ones that are read at the same time
}

func (s *oneLarge) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	switch {
	case !strings.HasSuffix(key, ".metadata.json"):
	case !strings.HasPrefix(key, "large"):
		defer s.small.Done()
	default:
		s.mu.Lock()
		s.reading, s.all = s.reading+1, s.all+1
		s.most = max(s.most, s.reading)
		s.mu.Unlock()
		s.small.Wait()
		s.mu.Lock()
		s.reading--
		s.mu.Unlock()
	}
	return s.Store.Get(ctx, key, limit)
}

// Of gzipped files that inflate to much, one is in memory at a time, while small ones are
// read beside it.
func TestLargeGzippedFilesAreReadOneByOne(t *testing.T) {
	w := newWorld(t)
	noise := rand.NewChaCha8([32]byte{1})
	for n := range 4 {
		raw := make([]byte, 700<<10)
		_, _ = noise.Read(raw)
		at := fmt.Sprint("large", n)
		_, err := w.CreateTable(t.Context(), cause, catalog.NewTable{
			Identifier: name(at), Location: location + "/" + at,
			Schema:     []byte(`{"type":"struct","fields":[{"id":1,"name":"a","type":"int","required":false}]}`),
			Properties: map[string]string{"write.metadata.compression-codec": "gzip", "x": base64.StdEncoding.EncodeToString(raw)},
		})
		w.must(err)
	}
	for n := range 8 {
		w.table(fmt.Sprint("small", n))
	}
	store := &oneLarge{Store: w.files}
	store.small.Add(8)
	w.files = store
	_, s := w.run(w.subject(), 3)
	if len(s.kinds()) > 0 || len(s.unseen) > 0 || store.all != 4 || store.most != 1 {
		t.Errorf("found %v, not seen %v; %d large files were read, %d at a time", s.findings, s.unseen, store.all, store.most)
	}
}
