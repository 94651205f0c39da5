package bolt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
)

const (
	damagedEvents = 12
	damagedSeq    = 6
)

// TestCase155_DamageInTheMiddle damages one record in the middle in every way:
// each is told from a torn tail and named with its seq.
func TestCase155_DamageInTheMiddle(t *testing.T) {
	foreign := journaltest.Entries(t, journaltest.NewStory(pond).Drafts, journaltest.Start)[0]
	for name, damage := range map[string]func(events *bbolt.Bucket) error{
		"flipped in the checksum": flip(0),
		"flipped in prev":         flip(4),
		"flipped in the record":   flip(100),
		"flipped at the end":      flip(-1),
		"cut":                     func(b *bbolt.Bucket) error { return b.Put(key(damagedSeq), b.Get(key(damagedSeq))[:20]) },
		"emptied":                 func(b *bbolt.Bucket) error { return b.Put(key(damagedSeq), nil) },
		"deleted":                 func(b *bbolt.Bucket) error { return b.Delete(key(damagedSeq)) },
		"duplicated":              func(b *bbolt.Bucket) error { return b.Put(key(damagedSeq), b.Get(key(damagedSeq-1))) },
		"swapped":                 swap,
		"of another catalog":      func(b *bbolt.Bucket) error { return b.Put(key(damagedSeq), seal(damagedSeq, foreign)) },
		"with an odd key": func(b *bbolt.Bucket) error {
			return b.Put(append(key(damagedSeq-1), 0), b.Get(key(damagedSeq)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			fill(t, path, damagedEvents)
			change(t, path, func(tx *bbolt.Tx) error { return damage(bucket(tx, lake, "events")) })
			wantDamage(t, path)
		})
	}
}

// TestCase155_ForgedRecord replaces a record by one that is whole in itself: the
// chain of hashes tells.
func TestCase155_ForgedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := fill(t, path, damagedEvents)
	forged := entries[damagedSeq-2]
	forged.Record = bytes.Replace(forged.Record, []byte(`"actor":"`), []byte(`"actor":"token:eve`), 1)
	change(t, path, func(tx *bbolt.Tx) error {
		return bucket(tx, lake, "events").Put(key(damagedSeq-1), seal(damagedSeq-1, forged))
	})
	wantDamage(t, path) // the one after it does not link to it
}

func key(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// seal makes the value of an event with a checksum that is right.
func seal(seq uint64, e journal.Entry) []byte {
	rest := append(bytes.Clone(e.Event.Prev[:]), e.Record...)
	sum := crc32.Checksum(append(key(seq), rest...), crc32.MakeTable(crc32.Castagnoli))
	return append(binary.BigEndian.AppendUint32(nil, sum), rest...)
}

func flip(at int) func(*bbolt.Bucket) error {
	return func(b *bbolt.Bucket) error {
		value := bytes.Clone(b.Get(key(damagedSeq)))
		if at < 0 {
			at += len(value)
		}
		value[at] ^= 1
		return b.Put(key(damagedSeq), value)
	}
}

func swap(b *bbolt.Bucket) error {
	first, second := bytes.Clone(b.Get(key(damagedSeq))), bytes.Clone(b.Get(key(damagedSeq+1)))
	return errors.Join(b.Put(key(damagedSeq), second), b.Put(key(damagedSeq+1), first))
}

// wantDamage checks that a journal does not open to be written, and that reading
// it yields what is whole on both sides and then names the place.
func wantDamage(t *testing.T, path string) {
	t.Helper()
	_, err := bolt.Open(path, bolt.Options{})
	wantDamageAt(t, "open", err, damagedSeq)
	j, err := bolt.Open(path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	n := 0
	for _, err = range j.Warehouse(lake).Scan(t.Context(), 0) {
		n++
	}
	wantDamageAt(t, "scan", err, damagedSeq)
	if n != damagedSeq {
		t.Errorf("scan yields %d events and an error", n-1)
	}
	n = 0
	for _, err = range j.Warehouse(lake).ScanBack(t.Context(), 0) {
		n++
	}
	var damage *journal.Damage
	if !errors.As(err, &damage) || damage.Seq > damagedSeq+1 || n > damagedEvents-damagedSeq+2 {
		t.Errorf("scan back yields %d times, the last is %v", n, err)
	}
}

func wantDamageAt(t *testing.T, what string, err error, seq journal.Seq) {
	t.Helper()
	var damage *journal.Damage
	if !errors.As(err, &damage) || damage.Seq != seq || damage.Warehouse != lake || damage.Incarnation != journaltest.Incarnation(lake) {
		t.Errorf("%s: %v, want damage at %d", what, err, seq)
	}
}

func TestDamagedEdges(t *testing.T) {
	for name, c := range map[string]struct {
		seq    journal.Seq
		damage func(tx *bbolt.Tx) error
	}{
		"first deleted":   {2, func(tx *bbolt.Tx) error { return bucket(tx, lake, "events").Delete(key(1)) }},
		"last deleted":    {12, func(tx *bbolt.Tx) error { return bucket(tx, lake, "events").Delete(key(12)) }},
		"all deleted":     {12, deleteAll},
		"head of another": {12, func(tx *bbolt.Tx) error { return putHead(tx, 12, journal.Digest{}) }},
		"head behind":     {11, func(tx *bbolt.Tx) error { return putHead(tx, 11, journal.Digest{}) }},
		"head ahead":      {13, func(tx *bbolt.Tx) error { return putHead(tx, 13, journal.Digest{}) }},
		"head cut":        {0, func(tx *bbolt.Tx) error { return bucket(tx, lake, "meta").Put([]byte("head"), key(12)) }},
		"bucket missing":  {0, func(tx *bbolt.Tx) error { return incarnationOf(tx).DeleteBucket([]byte("ids")) }},
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		fill(t, path, damagedEvents)
		change(t, path, c.damage)
		_, err := bolt.Open(path, bolt.Options{})
		wantDamageAt(t, name, err, c.seq)
	}
}

func deleteAll(tx *bbolt.Tx) error {
	if err := incarnationOf(tx).DeleteBucket([]byte("events")); err != nil {
		return err
	}
	_, err := incarnationOf(tx).CreateBucket([]byte("events"))
	return err
}

func incarnationOf(tx *bbolt.Tx) *bbolt.Bucket {
	incarnation := journaltest.Incarnation(lake)
	return tx.Bucket([]byte("warehouses")).Bucket(lake[:]).Bucket(incarnation[:])
}

func putHead(tx *bbolt.Tx, seq uint64, hash journal.Digest) error {
	return bucket(tx, lake, "meta").Put([]byte("head"), append(key(seq), hash[:]...))
}

func TestDamagedWarehouse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	fill(t, path, damagedEvents)
	change(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("warehouses")).Bucket(lake[:])
		return b.Put([]byte("current"), pond[:])
	})
	var damage *journal.Damage
	if _, err := bolt.Open(path, bolt.Options{}); !errors.As(err, &damage) || damage.Warehouse != lake || damage.Incarnation != pond {
		t.Error(err)
	}
}

func TestDamagedDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := fill(t, path, damagedEvents)
	var kept []journal.Seq
	for _, e := range entries {
		if len(e.Documents) > 0 {
			kept = append(kept, e.Event.Seq)
		}
	}
	chunk := func(seq journal.Seq, n byte) []byte { return append(key(uint64(seq)), 0, 0, 0, 0, 0, 0, 0, n) }
	change(t, path, func(tx *bbolt.Tx) error {
		b := bucket(tx, lake, "documents")
		flipped := bytes.Clone(b.Get(chunk(kept[0], 0)))
		flipped[len(flipped)-1] ^= 1
		return errors.Join(
			b.Put(chunk(kept[0], 0), flipped),
			b.Put(chunk(kept[1], 1), b.Get(chunk(kept[1], 0))), b.Delete(chunk(kept[1], 0)),
			b.Put(chunk(kept[2], 0), []byte{200}))
	})
	r := open(t, path).Warehouse(lake) // the events are whole
	for i, seq := range kept[:2] {
		_, err := r.Document(t.Context(), seq, 0)
		wantDamageAt(t, fmt.Sprint("document ", i), err, seq)
	}
	if _, err := r.Document(t.Context(), kept[2], 0); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("a document of an unknown codec: %v", err)
	}
	if _, err := r.Document(t.Context(), kept[3], 0); err != nil {
		t.Errorf("a whole document: %v", err)
	}
}

func TestDamagedIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	entries := fill(t, path, damagedEvents)
	id := entries[damagedSeq-1].Event.ID
	for value, seq := range map[string]journal.Seq{string(key(3)): 3, string(key(99)): 99, "odd": 0} {
		change(t, path, func(tx *bbolt.Tx) error { return bucket(tx, lake, "ids").Put(id[:], []byte(value)) })
		j := open(t, path)
		_, _, err := j.Warehouse(lake).Find(t.Context(), id)
		wantDamageAt(t, "find", err, seq)
		j.Close()
	}
}
