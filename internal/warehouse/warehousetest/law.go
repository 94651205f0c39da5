package warehousetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
)

// testLaw: any sequence of calls leaves the store as it would leave a map. The
// keys are such that no folder is also a file.
func testLaw(t *testing.T, store warehouse.Store) {
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		m := &model{store: store, prefix: fmt.Sprintf("run-%d", runs), want: map[string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"create": m.create,
			"put":    m.put,
			"delete": m.delete,
			"":       m.check,
		})
	})
}

type model struct {
	store  warehouse.Store
	prefix string
	want   map[string]string
}

func (m *model) key(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"f", "f-1", "f.x", "d/f", "d/e/f", "d-1/f", "d/ä ", "d/%2e"}).Draw(t, "key")
	return m.prefix + "/" + name
}

func (m *model) create(t *rapid.T) {
	key, data := m.key(t), rapid.StringN(0, 8, -1).Draw(t, "data")
	err := m.store.Create(context.Background(), key, []byte(data))
	if _, exists := m.want[key]; exists {
		wantError(t, "Create of "+key, err, warehouse.ErrExists)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m.want[key] = data
}

func (m *model) put(t *rapid.T) {
	key, data := m.key(t), rapid.StringN(0, 8, -1).Draw(t, "data")
	if err := m.store.Put(context.Background(), key, []byte(data)); err != nil {
		t.Fatal(err)
	}
	m.want[key] = data
}

func (m *model) delete(t *rapid.T) {
	key := m.key(t)
	if err := m.store.Delete(context.Background(), key); err != nil {
		t.Fatal(err)
	}
	delete(m.want, key)
}

func (m *model) check(t *rapid.T) {
	keys := slices.Sorted(maps.Keys(m.want))
	wantKeys(t, m.store, m.prefix, keys...)
	for key, data := range m.want {
		wantBytes(t, m.store, key, data)
	}
	below := func(key string) bool { return !strings.HasPrefix(key, m.prefix+"/d/") }
	wantKeys(t, m.store, m.prefix+"/d", slices.DeleteFunc(keys, below)...)
}
