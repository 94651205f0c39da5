package bolt_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

func openToRead(t *testing.T, path string) *bolt.Journal {
	t.Helper()
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func TestAudit(t *testing.T) {
	journaltest.RunAudit(t, func(t *testing.T) (journal.Journal, func(uuid.UUID, journaltest.Spoil, ...journal.Seq) journal.Journal) {
		path := filepath.Join(t.TempDir(), "journal.db")
		j := open(t, path)
		return j, func(warehouse uuid.UUID, what journaltest.Spoil, seqs ...journal.Seq) journal.Journal {
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			for _, seq := range seqs {
				change(t, path, func(tx *bbolt.Tx) error { return spoil(tx, warehouse, what, seq) })
			}
			j = openToRead(t, path)
			return j
		}
	})
}

// spoil does a damage.
func spoil(tx *bbolt.Tx, warehouse uuid.UUID, what journaltest.Spoil, seq journal.Seq) error {
	events, documents, ids := bucket(tx, warehouse, "events"), bucket(tx, warehouse, "documents"), bucket(tx, warehouse, "ids")
	at := key(uint64(seq))
	first := append(bytes.Clone(at), make([]byte, 8)...)
	switch what {
	case journaltest.FlipRecord:
		return flipAt(events, at)
	case journaltest.RemoveEvent:
		return events.Delete(at)
	case journaltest.FlipDocument:
		return flipAt(documents, first)
	case journaltest.EmptyDocument:
		return documents.Put(first, nil)
	case journaltest.StrayDocument:
		return documents.Put(append(key(1<<40), make([]byte, 8)...), documents.Get(first))
	case journaltest.BehindHead:
		value := events.Get(at)
		return putHead(tx, uint64(seq), journal.Link(journal.Digest(value[4:36]), value[36:]))
	case journaltest.ListElsewhere:
		id, _ := ids.Cursor().First()
		return ids.Put(bytes.Clone(id), at)
	case journaltest.FlipAnswers:
		b := bucket(tx, warehouse, "requests")
		return b.ForEach(func(key, _ []byte) error { return flipAt(b, bytes.Clone(key)) })
	}
	return errors.New("an unknown damage")
}

// flipAt flips a bit of a value.
func flipAt(b *bbolt.Bucket, key []byte) error {
	value := bytes.Clone(b.Get(key))
	value[len(value)-1] ^= 1
	return b.Put(key, value)
}
