package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"puddle/journal"
)

var _ journal.Entries = reader{}

// Entries implements journal.Entries. It ends at the head as it was in the beginning.
func (r reader) Entries(ctx context.Context, after journal.Seq) iter.Seq2[journal.Entry, error] {
	return journal.Begun(func() (iter.Seq2[journal.Entry, error], error) {
		h, chain, err := r.begin(ctx, after)
		return h.reading().Scan(ctx, chain, func(from journal.Seq) iter.Seq2[journal.Entry, error] { return r.keptPage(ctx, h, from) }), err
	})
}

// keptPage copies records with their documents.
func (r reader) keptPage(ctx context.Context, h history, from journal.Seq) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		all, err := r.readKept(ctx, h, from)
		if err != nil {
			yield(journal.Entry{}, err)
			return
		}
		for _, k := range all {
			entry := journal.Entry{Documents: k.documents}
			if entry.Event, err = h.passed(k.stored); err == nil {
				entry.Record = k.value[eventExtra:]
			}
			if !yield(entry, err) {
				return
			}
		}
	}
}

// kept is a copy of one value in events and of the documents beside it.
type kept struct {
	stored
	documents []journal.Document
}

// readKept copies some records from a seq on with their documents, at least one, in
// one transaction.
func (r reader) readKept(ctx context.Context, h history, from journal.Seq) (all []kept, err error) {
	err = r.j.view(ctx, func(tx *bbolt.Tx) error {
		now, err := openHistory(tx, h.warehouse, h.incarnation)
		if err != nil {
			return err
		}
		size, c, beside := 0, now.events.Cursor(), now.documents.Cursor()
		for key, value := c.Seek(seqKey(from)); key != nil && len(all) < batchEvents && size < batchBytes; key, value = c.Next() {
			k := kept{stored: stored{seqOf(key), bytes.Clone(value)}}
			if k.seq > h.head.Seq {
				break
			}
			if k.documents, err = now.documentsOf(beside, k.seq); err != nil {
				return err
			}
			all, size = append(all, k), size+k.size()
		}
		if len(all) == 0 {
			return h.reading().Missing(from)
		}
		return nil
	})
	return all, err
}

func (k kept) size() int {
	return journal.Entry{Record: k.value, Documents: k.documents}.Size()
}

// documentsOf copies all documents of an event.
func (h history) documentsOf(c *bbolt.Cursor, seq journal.Seq) (all []journal.Document, err error) {
	prefix := seqKey(seq)
	chunk := 0
	for key, value := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if len(key) != len(prefix)+8 {
			return nil, h.damage(seq, fmt.Errorf("a document has the key %x", key))
		}
		move := int(binary.BigEndian.Uint32(key[len(prefix):]))
		if len(all) == 0 || all[len(all)-1].Move != move {
			chunk = 0
		}
		if !bytes.Equal(key, chunkKey(seq, move, chunk)) || len(value) == 0 {
			return nil, h.damage(seq, fmt.Errorf("chunk %d of the document of move %d is missing", chunk, move))
		}
		if chunk == 0 {
			all = append(all, journal.Document{Move: move, Codec: journal.Codec(value[0]), Data: bytes.Clone(value[1:])})
		} else {
			last := &all[len(all)-1]
			last.Data = append(last.Data, value...)
		}
		chunk++
	}
	return all, nil
}
