package postgres

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// place is what the rows of one event begin with, column by column.
type place struct {
	warehouses, incarnations [][16]byte
	seqs                     []int64
}

func (p *place) add(e journal.Event) {
	p.warehouses = append(p.warehouses, e.Warehouse)
	p.incarnations = append(p.incarnations, e.Incarnation)
	p.seqs = append(p.seqs, int64(e.Seq))
}

const insertEvents = `INSERT INTO events (warehouse, incarnation, seq, id, prev, hash, record)
	SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::bytea[], $6::bytea[], $7::bytea[])`

const insertIncarnations = `INSERT INTO incarnations (warehouse, incarnation, first)
	SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[])`

func queueEvents(batch *pgx.Batch, entries []journal.Entry) {
	var all, starts place
	var ids [][16]byte
	var prevs, hashes, records [][]byte
	for i := range entries {
		e := &entries[i].Event
		all.add(*e)
		ids = append(ids, e.ID)
		prevs, hashes = append(prevs, e.Prev[:]), append(hashes, e.Hash[:])
		records = append(records, entries[i].Record)
		if e.Kind() == journal.KindIncarnationStarted {
			starts.add(*e)
		}
	}
	if len(starts.seqs) > 0 {
		batch.Queue(insertIncarnations, starts.warehouses, starts.incarnations, starts.seqs)
	}
	batch.Queue(insertEvents, all.warehouses, all.incarnations, all.seqs, ids, prevs, hashes, records)
}

const insertDocuments = `INSERT INTO documents (warehouse, incarnation, seq, move, codec, data)
	SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[], $5::smallint[], $6::bytea[])`

func queueDocuments(batch *pgx.Batch, entries []journal.Entry) {
	var at place
	var moves []int32
	var codecs []int16
	var datas [][]byte
	for _, e := range entries {
		for _, d := range e.Documents {
			at.add(e.Event)
			moves, codecs, datas = append(moves, int32(d.Move)), append(codecs, int16(d.Codec)), append(datas, notNull(d.Data))
		}
	}
	if len(moves) > 0 {
		batch.Queue(insertDocuments, at.warehouses, at.incarnations, at.seqs, moves, codecs, datas)
	}
}

// notNull is data that SQL does not take for NULL.
func notNull(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

const (
	insertHeads = `INSERT INTO heads (warehouse, incarnation, seq, hash, at)
		SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::bigint[])`
	updateHeads = `UPDATE heads SET incarnation = new.incarnation, seq = new.seq, hash = new.hash, at = new.at
		FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::bigint[]) AS new (warehouse, incarnation, seq, hash, at)
		WHERE heads.warehouse = new.warehouse`
)

// queueHeads moves the heads that are there and makes those of births, in the order in which everybody
// does: of two births at once one waits for the other, and is then refused.
func queueHeads(batch *pgx.Batch, there, moved journal.Heads) {
	var births, moves []journal.Chain
	for id, chain := range moved {
		if _, born := there[id]; born {
			moves = append(moves, chain)
		} else {
			births = append(births, chain)
		}
	}
	slices.SortFunc(births, func(a, b journal.Chain) int { return bytes.Compare(a.Warehouse[:], b.Warehouse[:]) })
	queueChains(batch, insertHeads, births)
	queueChains(batch, updateHeads, moves)
}

func queueChains(batch *pgx.Batch, sql string, chains []journal.Chain) {
	if len(chains) == 0 {
		return
	}
	var at place
	var hashes [][]byte
	var ats []int64
	for _, c := range chains {
		at.add(journal.Event{Position: c.Head, Warehouse: c.Warehouse})
		hashes, ats = append(hashes, c.Head.Hash[:]), append(ats, c.At.UnixMilli())
	}
	batch.Queue(sql, at.warehouses, at.incarnations, at.seqs, hashes, ats)
}

// made is the document of a move of an event in an incarnation.
type made struct {
	warehouse, incarnation uuid.UUID
	seq                    journal.Seq
	move                   int
}

// bases are what the documents of a group are built on, as far as they are kept.
type bases map[made]journal.Document

// The first bytes of a document are enough to tell how many patches it is.
const selectBases = `SELECT d.warehouse, d.incarnation, d.seq, d.move, d.codec, substring(d.data FOR 64)
	FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::integer[]) AS base (warehouse, incarnation, seq, move)
	JOIN documents d USING (warehouse, incarnation, seq, move)`

// queueBases asks for the bases before the group is written: they are there when the
// batch has been read.
func queueBases(batch *pgx.Batch, entries []journal.Entry) bases {
	found := bases{}
	var at place
	var moves []int32
	for _, e := range entries {
		for _, d := range e.Documents {
			if on, ok := d.On(); ok {
				at.add(journal.Event{Position: journal.Position{Incarnation: e.Event.Incarnation, Seq: on.Seq}, Warehouse: e.Event.Warehouse})
				moves = append(moves, int32(on.Move))
			}
		}
	}
	if len(moves) == 0 {
		return found
	}
	batch.Queue(selectBases, at.warehouses, at.incarnations, at.seqs, moves).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var m made
			var seq int64
			var move int32
			var codec int16
			var d journal.Document
			if err := rows.Scan((*[16]byte)(&m.warehouse), (*[16]byte)(&m.incarnation), &seq, &move, &codec, &d.Data); err != nil {
				return err
			}
			m.seq, m.move = journal.Seq(seq), int(move)
			d.Move, d.Codec = m.move, journal.Codec(codec)
			found[m] = d
		}
		return rows.Err()
	})
	return found
}

// check checks that what the documents of a group are built on is kept.
func (b bases) check(entries []journal.Entry) error {
	for _, e := range entries {
		for _, d := range e.Documents {
			err := d.CheckBase(func(seq journal.Seq, move int) (journal.Document, bool) {
				base, kept := b[made{e.Event.Warehouse, e.Event.Incarnation, seq, move}]
				return base, kept
			})
			if err != nil {
				return fmt.Errorf("event %s: %w", e.Event.Position, err)
			}
		}
	}
	return nil
}
