package postgres

import (
	"context"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// Limits of what one statement reads: its rows are in memory together.
const (
	pageEvents = 1_000
	pageBytes  = 4 << 20
)

// pageOf selects some events in a row, as many as are within the limits and at least
// one. How large a value is, the server knows without reading it.
func pageOf(columns, size, direction string) string {
	return strings.NewReplacer("SIZE", size, "DIRECTION", direction).Replace(`
		SELECT ` + columns + ` FROM (
			SELECT *, (sum(size) OVER (ORDER BY seq DIRECTION) - size)::bigint AS before FROM (
				SELECT seq, id, prev, hash, record, SIZE AS size FROM events
				WHERE warehouse = $1 AND incarnation = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq DIRECTION LIMIT $5
			) AS few
		) AS e WHERE before < $6 ORDER BY seq DIRECTION`)
}

const (
	recordSize = `octet_length(record)`
	entrySize  = recordSize + ` + (SELECT coalesce(sum(octet_length(data)), 0) FROM documents d
		WHERE d.warehouse = events.warehouse AND d.incarnation = events.incarnation AND d.seq = events.seq)`
)

var (
	selectForward  = pageOf(eventColumns, recordSize, "ASC")
	selectBackward = pageOf(eventColumns, recordSize, "DESC")
	selectEntries  = pageOf(eventColumns, entrySize, "ASC")
	selectAudited  = pageOf(eventColumns+`, e.id`, entrySize, "ASC")
)

// page reads some events between two seqs.
func (r reader) page(ctx context.Context, sql string, h history, from, to journal.Seq) ([]stored, error) {
	var all []stored
	err := r.read(ctx, func(conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, sql, h.Warehouse, h.Head.Incarnation, number(from), number(to), pageEvents, pageBytes)
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (stored, error) { return scanEvent(row) })
		return err
	})
	return all, err
}

const selectDocuments = `SELECT seq, move, codec, data FROM documents
	WHERE warehouse = $1 AND incarnation = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq, move`

// keep reads the documents of a page's events.
func (r reader) keep(ctx context.Context, h history, page []stored) error {
	if len(page) == 0 {
		return nil
	}
	return r.read(ctx, func(conn *pgx.Conn) error {
		for i := range page {
			page[i].documents = nil
		}
		rows, _ := conn.Query(ctx, selectDocuments, h.Warehouse, h.Head.Incarnation, int64(page[0].seq), int64(page[len(page)-1].seq))
		return h.share(rows, page)
	})
}

// share gives the documents that come to their events.
func (h history) share(rows pgx.Rows, page []stored) error {
	defer rows.Close()
	for at := 0; rows.Next(); {
		seq, d, err := scanDocument(rows)
		if err != nil {
			return err
		}
		for at < len(page) && page[at].seq < seq {
			at++
		}
		if at == len(page) || page[at].seq != seq {
			return h.Missing(seq)
		}
		page[at].documents = append(page[at].documents, d)
	}
	return rows.Err()
}

// scanDocument scans the columns of selectDocuments and what follows them.
func scanDocument(row pgx.Row, more ...any) (seq journal.Seq, d journal.Document, err error) {
	var at int64
	var move int32
	var codec int16
	err = row.Scan(append([]any{&at, &move, &codec, &d.Data}, more...)...)
	d.Move, d.Codec = int(move), journal.Codec(codec)
	return journal.Seq(at), d, err
}

// Scan implements journal.Reader. It ends at the head as it was in the beginning.
func (r reader) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return journal.Events(r.forward(ctx, after, selectForward))
}

// Entries implements journal.Entries. It ends at the head as it was in the beginning.
func (r reader) Entries(ctx context.Context, after journal.Seq) iter.Seq2[journal.Entry, error] {
	return r.forward(ctx, after, selectEntries)
}

// forward yields what is after a seq.
func (r reader) forward(ctx context.Context, after journal.Seq, sql string) iter.Seq2[journal.Entry, error] {
	return journal.Begun(func() (iter.Seq2[journal.Entry, error], error) {
		h, chain, err := r.begin(ctx, after)
		return h.Scan(ctx, chain, func(from journal.Seq) iter.Seq2[journal.Entry, error] {
			page, err := r.page(ctx, sql, h, from, h.Head.Seq)
			if err == nil && sql == selectEntries {
				err = r.keep(ctx, h, page)
			}
			return h.decoded(page, err)
		}), err
	})
}

// decoded makes the events of a page one by one, or ends with an error.
func (h history) decoded(page []stored, err error) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if err != nil {
			yield(journal.Entry{}, err)
			return
		}
		for _, s := range page {
			e, err := s.event(h.Reading)
			if !yield(journal.Entry{Event: e, Record: s.record, Documents: s.documents}, err) {
				return
			}
		}
	}
}

// begin finds the chain that a scan after a seq starts with.
func (r reader) begin(ctx context.Context, after journal.Seq) (h history, chain journal.Chain, err error) {
	if h, err = r.history(ctx); err != nil {
		return h, chain, err
	}
	if after < h.first {
		return h, journal.NewChain(h.Warehouse, h.Head.Incarnation, h.first-1), nil
	}
	e, err := r.at(ctx, h, min(after, h.Head.Seq))
	return h, journal.ChainAt(e), err
}

// at reads an event that must be there.
func (r reader) at(ctx context.Context, h history, seq journal.Seq) (journal.Event, error) {
	page, err := r.page(ctx, selectForward, h, seq, seq)
	switch {
	case err != nil:
		return journal.Event{}, err
	case len(page) == 0:
		return journal.Event{}, h.Missing(seq)
	}
	return page[0].event(h.Reading)
}

// ScanBack implements journal.Reader.
func (r reader) ScanBack(ctx context.Context, before journal.Seq) iter.Seq2[journal.Event, error] {
	return journal.Begun(func() (iter.Seq2[journal.Event, error], error) {
		h, at, want, err := r.beginBack(ctx, before)
		return h.ScanBack(ctx, at, want, func(from journal.Seq) iter.Seq2[journal.Entry, error] {
			return h.decoded(r.page(ctx, selectBackward, h, h.first, from))
		}), err
	})
}

// beginBack finds the seq that a scan back starts with and the hash that the
// event there must have.
func (r reader) beginBack(ctx context.Context, before journal.Seq) (h history, at journal.Seq, want journal.Digest, err error) {
	if h, err = r.history(ctx); err != nil {
		return h, 0, want, err
	}
	switch {
	case before == 0 || before > h.Head.Seq:
		return h, h.Head.Seq, h.Head.Hash, nil
	case before <= h.first:
		return h, h.first - 1, journal.Genesis(h.Warehouse, h.Head.Incarnation), nil
	}
	e, err := r.at(ctx, h, before)
	return h, before - 1, e.Prev, err
}
