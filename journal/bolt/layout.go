package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// Format is the version of the layout below.
//
//	1: the first.
const Format = 1

// minReader is the oldest build, by its Format, that reads what this one writes.
const minReader = 1

// The buckets, and the keys in them that are words. Numbers are big-endian.
//
//	puddle
//	  format      -> 4 bytes
//	  min-reader  -> 4 bytes
//	warehouses
//	  WAREHOUSE (16 bytes)
//	    current   -> incarnation (16)
//	    INCARNATION (16 bytes)
//	      events     seq (8)                   -> CRC-32C (4), prev (32), record
//	      documents  seq (8) move (4) chunk (4) -> a part of: codec (1), data
//	      ids        event id (16)             -> seq (8)
//	      meta       head                      -> seq (8), hash (32)
//	      requests   SHA-256 of actor and key  -> CRC-32C (4), answer
//	      expiries   until (8), that SHA-256   -> nothing
//
// The last two are made when the first request is stored.
var (
	bucketPuddle     = []byte("puddle")
	keyFormat        = []byte("format")
	keyMinReader     = []byte("min-reader")
	bucketWarehouses = []byte("warehouses")
	keyCurrent       = []byte("current")
	bucketEvents     = []byte("events")
	bucketDocuments  = []byte("documents")
	bucketIDs        = []byte("ids")
	bucketMeta       = []byte("meta")
	bucketRequests   = []byte("requests")
	bucketExpiries   = []byte("expiries")
	keyHead          = []byte("head")
)

const (
	chunkSize  = 1 << 20
	eventExtra = crc32.Size + len(journal.Digest{}) // before the record in an event's value
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func seqKey(seq journal.Seq) []byte { return binary.BigEndian.AppendUint64(nil, uint64(seq)) }

// seqOf undoes seqKey. What is no key of an event is 0, which no event has.
func seqOf(key []byte) journal.Seq {
	if len(key) != 8 {
		return 0
	}
	return journal.Seq(binary.BigEndian.Uint64(key))
}

func documentPrefix(seq journal.Seq, move int) []byte {
	return binary.BigEndian.AppendUint32(seqKey(seq), uint32(move))
}

func chunkKey(seq journal.Seq, move, chunk int) []byte {
	return binary.BigEndian.AppendUint32(documentPrefix(seq, move), uint32(chunk))
}

// seal is the value of an event. Its checksum begins with the key, so that a
// record in another's place does not pass.
func seal(seq journal.Seq, prev journal.Digest, record []byte) []byte {
	value := make([]byte, eventExtra, eventExtra+len(record))
	copy(value[crc32.Size:], prev[:])
	value = append(value, record...)
	binary.BigEndian.PutUint32(value, checksum(seq, value))
	return value
}

func checksum(seq journal.Seq, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(seqKey(seq), castagnoli), castagnoli, value[crc32.Size:])
}

// unseal undoes seal. The record is a part of value.
func unseal(seq journal.Seq, value []byte) (prev journal.Digest, record []byte, err error) {
	if len(value) < eventExtra {
		return prev, nil, fmt.Errorf("%d bytes are too short for a record", len(value))
	}
	if got, want := checksum(seq, value), binary.BigEndian.Uint32(value); got != want {
		return prev, nil, fmt.Errorf("its checksum is %08x, it says %08x", got, want)
	}
	copy(prev[:], value[crc32.Size:])
	return prev, value[eventExtra:], nil
}

func headValue(p journal.Position) []byte { return append(seqKey(p.Seq), p.Hash[:]...) }

// history is the buckets of one incarnation in one transaction.
type history struct {
	warehouse, incarnation       uuid.UUID
	bucket                       *bbolt.Bucket // that holds these
	events, documents, ids, meta *bbolt.Bucket
	requests                     *bbolt.Bucket // nil: none was ever stored
	expiries                     *bbolt.Bucket // beside requests, once something was bound
	head                         journal.Position
	written                      journal.Seq // the last that is there, perhaps not durable
}

// openCurrent finds the current incarnation of a warehouse. ErrNoWarehouse.
func openCurrent(tx *bbolt.Tx, warehouse uuid.UUID) (history, error) {
	b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:])
	if b == nil {
		return history{}, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
	}
	current, err := uuid.FromBytes(b.Get(keyCurrent))
	if err != nil {
		return history{}, &journal.Damage{Warehouse: warehouse, Reason: "the current incarnation is not named"}
	}
	return openHistory(tx, warehouse, current)
}

// openHistory finds an incarnation that must be there.
func openHistory(tx *bbolt.Tx, warehouse, incarnation uuid.UUID) (history, error) {
	h := history{warehouse: warehouse, incarnation: incarnation}
	b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:]).Bucket(incarnation[:])
	if b == nil {
		return h, h.damage(0, errors.New("the incarnation is missing"))
	}
	h.bucket, h.requests = b, b.Bucket(bucketRequests)
	h.events, h.documents, h.ids, h.meta = b.Bucket(bucketEvents), b.Bucket(bucketDocuments), b.Bucket(bucketIDs), b.Bucket(bucketMeta)
	if h.events == nil || h.documents == nil || h.ids == nil || h.meta == nil {
		return h, h.damage(0, errors.New("a bucket is missing"))
	}
	head := h.meta.Get(keyHead)
	if len(head) != 8+len(h.head.Hash) {
		return h, h.damage(0, errors.New("the head is missing"))
	}
	h.head = journal.Position{
		Incarnation: incarnation, Seq: seqOf(head[:8]), Hash: journal.Digest(head[8:]),
	}
	h.written = h.head.Seq
	return h, nil
}

// reading is the history up to its head, for its events to be checked.
func (h history) reading() journal.Reading {
	head := h.head
	head.Incarnation = h.incarnation
	return journal.Reading{Warehouse: h.warehouse, Head: head}
}

func (h history) damage(seq journal.Seq, reason error) *journal.Damage {
	return h.reading().Damage(seq, reason)
}
