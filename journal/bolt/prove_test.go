package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/journaltest"
)

// aged is a journal of more events than a tail has. Its documents are of event old,
// before the tail, and of the last two, one of which is a patch on the old one.
func aged(t *testing.T) (j *Journal, old, whole, patched *journal.Entry) {
	t.Helper()
	_, entries := someEntries(t, tailEvents+8)
	drafts := make([]journal.Draft, len(entries))
	for i, e := range entries {
		drafts[i] = journal.Draft{Warehouse: e.Event.Warehouse, ID: e.Event.ID, Cause: e.Event.Cause, Body: e.Event.Body}
	}
	plain := bytes.Repeat([]byte("0123456789abcdef"), journal.MinPatched/16)
	next := append(bytes.Clone(plain), "more"...)
	const at = 4
	last := len(drafts) - 1
	keep := func(i int, text []byte, d journal.Document) {
		to := drafts[i].Body.(journal.TablesCommitted).Moves[0].To
		to.Pointer.DocumentSHA256, to.Pointer.Size, to.Pointer.Encoding = journal.Sum(text), int64(len(text)), journal.EncodingNone
		drafts[i].Documents = []journal.Document{d}
	}
	d, _ := journal.KeepDocument(0, plain, journal.MaxDocumentBytes)
	keep(at, plain, d)
	keep(last-1, plain, d)
	d, ok := journal.KeepPatch(0, next, journal.Base{Seq: at + 1}, plain, journal.MaxDocumentBytes)
	if !ok {
		t.Fatal("it is no patch")
	}
	keep(last, next, d)
	entries = journaltest.Entries(t, drafts, journaltest.Start)
	j, err := Open(filepath.Join(t.TempDir(), "journal.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	journaltest.Append(t, j, entries)
	return j, &entries[at], &entries[last-1], &entries[last]
}

// What was synced long ago and is damaged since, a document before the tail, stops
// nobody, nor does what is built on it; all else that a failed sync may have left
// out does.
func TestProve(t *testing.T) {
	j, old, whole, patched := aged(t)
	first := func(e *journal.Entry) []byte { return chunkKey(e.Event.Seq, 0, 0) }
	for name, c := range map[string]struct {
		bucket, key []byte
		at          journal.Seq // that is blamed; 0: nobody is
	}{
		"an old document":    {bucketDocuments, first(old), 0},
		"a document":         {bucketDocuments, first(whole), whole.Event.Seq},
		"a patch":            {bucketDocuments, first(patched), patched.Event.Seq},
		"an old event":       {bucketEvents, seqKey(old.Event.Seq), old.Event.Seq},
		"an event":           {bucketEvents, seqKey(whole.Event.Seq), whole.Event.Seq},
		"the id of an old":   {bucketIDs, old.Event.ID[:], old.Event.Seq},
		"the id of an event": {bucketIDs, whole.Event.ID[:], whole.Event.Seq},
	} {
		flipped(t, j, old.Event, c.bucket, c.key, func() {
			err := j.prove()
			damage, ok := errors.AsType[*journal.Damage](err)
			if c.at == 0 && err != nil || c.at != 0 && (!ok || damage.Seq != c.at) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	if err := j.prove(); err != nil {
		t.Errorf("of what is whole: %v", err)
	}
}

// flipped changes the last byte of a value in a history while do runs.
func flipped(t *testing.T, j *Journal, e journal.Event, bucket, key []byte, do func()) {
	t.Helper()
	flip := func() {
		err := j.db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket(bucketWarehouses).Bucket(e.Warehouse[:]).Bucket(e.Incarnation[:]).Bucket(bucket)
			value := bytes.Clone(b.Get(key))
			if len(value) == 0 {
				return fmt.Errorf("%s holds nothing under %x", bucket, key)
			}
			value[len(value)-1] ^= 1
			return b.Put(key, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	flip()
	do()
	flip()
}
