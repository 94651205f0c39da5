package mark_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/fuzztest"
	"puddle/internal/warehouse/memory"
	"puddle/rest/catalog/purge/mark"
)

// FuzzFind: whatever lies where the mark of a purge is, a purge has begun. What is read of
// it stays when the mark is written again.
func FuzzFind(f *testing.F) {
	frozen := fuzztest.Files(f, "../../../../fixtures/formats/v1/purge-mark.json")[0]
	f.Add(frozen)
	for _, at := range []string{"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "2026-09-24T10:00:00.123456789+02:00"} {
		f.Add(bytes.Replace(frozen, []byte("2026-09-24T10:00:00.123Z"), []byte(at), 1))
	}
	drop := uuid.MustParse("0199a3c2-7f4f-7a05-8e21-5d9c4b7f1a33") // as the frozen one says
	f.Fuzz(func(t *testing.T, data []byte) {
		store := memory.New()
		if err := store.Put(t.Context(), mark.Key(drop), data); err != nil {
			t.Fatal(err)
		}
		var m mark.Mark
		var there bool
		var err error
		fuzztest.Bounded(t, len(data), 32, 0, func() { m, there, err = mark.Find(t.Context(), store, drop) })
		if err != nil || !there || m.Drop != drop {
			t.Fatalf("%+v, %v, %v", m, there, err)
		}
		if m.BegunAt.IsZero() {
			return
		}
		if err := mark.Write(t.Context(), store, m); err != nil {
			t.Fatal(err)
		}
		m.BegunAt = m.BegunAt.Truncate(time.Millisecond)
		if again, there, err := mark.Find(t.Context(), store, drop); err != nil || !there || again != m {
			t.Fatalf("%+v, %+v, %v, %v", again, m, there, err)
		}
	})
}
