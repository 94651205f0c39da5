package recover_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/recover"
)

// wide is a store that is far away, and counts the large files that are read at a time.
type wide struct {
	warehouse.Store
	mu            sync.Mutex
	reading, most int
}

func (w *wide) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	data, err := w.Store.Get(ctx, key, limit)
	if len(data) < 512<<10 {
		return data, err
	}
	w.mu.Lock()
	w.reading++
	w.most = max(w.most, w.reading)
	w.mu.Unlock()
	time.Sleep(way)
	w.mu.Lock()
	w.reading--
	w.mu.Unlock()
	return data, err
}

// Of gzipped files that inflate to much, a survey reads one at a time.
func TestLargeGzippedFilesAreSurveyedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := memory.New()
		noise := rand.NewChaCha8([32]byte{1})
		large := 0
		many(t, 8, func(key, text string) {
			if file, found := strings.CutSuffix(key, "/v2.metadata.json"); found {
				raw := make([]byte, 700<<10)
				_, _ = noise.Read(raw)
				text = strings.Replace(text, `"properties":{`, fmt.Sprintf(`"properties":{"y":%q,`, base64.StdEncoding.EncodeToString(raw)), 1)
				var packed bytes.Buffer
				z := gzip.NewWriter(&packed)
				_, _ = z.Write([]byte(text))
				if err := z.Close(); err != nil {
					t.Fatal(err)
				}
				key, text = file+"/v2.gz.metadata.json", packed.String()
				large++
			}
			if err := disk.Put(t.Context(), key, []byte(text)); err != nil {
				t.Fatal(err)
			}
		})
		store := &wide{Store: disk}
		_, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(store), Name: "a"})
		if err != nil || large != 8 || store.most != 1 {
			t.Errorf("%d large files, %d at a time, %v", large, store.most, err)
		}
	})
}
