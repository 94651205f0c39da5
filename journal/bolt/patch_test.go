package bolt_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// TestDamagedBase damages what a chain of patches is built on: each document above
// says so and names it, and those below are whole.
func TestDamagedBase(t *testing.T) {
	first := func(seq journal.Seq) []byte { return append(key(uint64(seq)), make([]byte, 8)...) }
	for name, damage := range map[string]func(b *bbolt.Bucket, seq journal.Seq) error{
		"deleted": func(b *bbolt.Bucket, seq journal.Seq) error { return b.Delete(first(seq)) },
		"cut":     func(b *bbolt.Bucket, seq journal.Seq) error { return b.Put(first(seq), b.Get(first(seq))[:10]) },
		"flipped": func(b *bbolt.Bucket, seq journal.Seq) error {
			value := bytes.Clone(b.Get(first(seq)))
			value[len(value)-3] ^= 1
			return b.Put(first(seq), value)
		},
		"that of another": func(b *bbolt.Bucket, seq journal.Seq) error { return b.Put(first(seq), b.Get(first(seq-1))) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			j := open(t, path)
			c := journaltest.Chain(t, lake, 6)
			c.Append(t, j)
			j.Close()
			last := c.Entries[len(c.Entries)-1].Event.Seq
			bad := last - 2
			change(t, path, func(tx *bbolt.Tx) error {
				return damage(bucket(tx, lake, "documents"), bad)
			})
			r := open(t, path).Warehouse(lake)
			for _, seq := range []journal.Seq{last, last - 1} {
				_, err := r.Document(t.Context(), seq, 0)
				wantDamageAt(t, "on it", err, seq)
				if damage := err.(*journal.Damage); damage.Base != bad {
					t.Errorf("%v blames %d", err, damage.Base)
				}
			}
			if _, err := r.Document(t.Context(), bad-1, 0); err != nil {
				t.Errorf("below it: %v", err)
			}
		})
	}
}
