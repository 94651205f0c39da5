//go:build linux

package bolt

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"
)

// What a failed commit says is how unsynced tells one that failed before a sync from
// one whose sync did. A bbolt that words it in another way has to be looked at.
func TestWordsOfFailedCommits(t *testing.T) {
	const small, large = 10, 1 << 20
	for name, c := range map[string]struct {
		become string // what the file turns into under bbolt's hands
		flag   int
		size   int // of what is written
		words  string
		want   bool
	}{
		"a write":         {"", os.O_RDONLY, small, "write ", true},
		"a longer file":   {"", os.O_RDONLY, large, "file resize error: ", true},
		"a larger map":    {os.DevNull, os.O_RDWR, large, "mmap allocate error: ", true},
		"a sync":          {os.DevNull, os.O_RDWR, small, syscall.EINVAL.Error(), false},
		"a sync of pages": {os.DevNull, os.O_RDWR, 5000, syscall.EINVAL.Error(), false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "words.db")
			s := &spoiled{}
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{OpenFile: keep(&s.file, nil)})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for range 5 { // then pages are free: what is small makes nothing grow
				if err := fillWords(db, 5000); err != nil {
					t.Fatal(err)
				}
			}
			if c.become == "" {
				c.become = path
			}
			s.with(t, c.become, c.flag)
			if err := fillWords(db, c.size); err == nil || !strings.HasPrefix(err.Error(), c.words) || unsynced(err) != c.want {
				t.Errorf("unsynced %t: %v", unsynced(err), err)
			}
		})
	}
}

func fillWords(db *bbolt.DB, size int) error {
	return db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("words"))
		if err != nil {
			return err
		}
		return b.Put([]byte("key"), make([]byte, size))
	})
}
