package postgres

import (
	"context"
	"errors"
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
func pageOf(size, direction string) string {
	return strings.NewReplacer("SIZE", size, "DIRECTION", direction).Replace(`
		SELECT ` + eventColumns + ` FROM (
			SELECT *, (sum(size) OVER (ORDER BY seq DIRECTION) - size)::bigint AS before FROM (
				SELECT seq, prev, hash, record, SIZE AS size FROM events
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
	selectForward  = pageOf(recordSize, "ASC")
	selectBackward = pageOf(recordSize, "DESC")
	selectEntries  = pageOf(entrySize, "ASC")
)

// page reads some events between two seqs, at least one.
func (r reader) page(ctx context.Context, sql string, h history, from, to journal.Seq) ([]stored, error) {
	rows, err := r.db.pool.Query(ctx, sql, h.Warehouse, h.Head.Incarnation, number(from), number(to), pageEvents, pageBytes)
	if err != nil {
		return nil, r.db.said(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (stored, error) { return scanEvent(row) })
	return all, r.db.said(err)
}

const selectDocuments = `SELECT seq, move, codec, data FROM documents
	WHERE warehouse = $1 AND incarnation = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq, move`

// keep reads the documents of a page's events.
func (r reader) keep(ctx context.Context, h history, page []stored) error {
	if len(page) == 0 {
		return nil
	}
	first := page[0].seq
	rows, err := r.db.pool.Query(ctx, selectDocuments, h.Warehouse, h.Head.Incarnation, int64(first), int64(page[len(page)-1].seq))
	if err != nil {
		return r.db.said(err)
	}
	defer rows.Close()
	for at := 0; rows.Next(); {
		var seq int64
		var move int32
		var codec int16
		var d journal.Document
		if err := rows.Scan(&seq, &move, &codec, &d.Data); err != nil {
			return err
		}
		for at < len(page) && page[at].seq < journal.Seq(seq) {
			at++
		}
		if at == len(page) || page[at].seq != journal.Seq(seq) {
			return h.Missing(journal.Seq(seq))
		}
		d.Move, d.Codec = int(move), journal.Codec(codec)
		page[at].documents = append(page[at].documents, d)
	}
	return r.db.said(rows.Err())
}

// Scan implements journal.Reader. It ends at the head as it was in the beginning.
func (r reader) Scan(ctx context.Context, after journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for e, err := range r.forward(ctx, after, selectForward) {
			if !yield(e.Event, err) {
				return
			}
		}
	}
}

// Entries implements journal.Entries. It ends at the head as it was in the beginning.
func (r reader) Entries(ctx context.Context, after journal.Seq) iter.Seq2[journal.Entry, error] {
	return r.forward(ctx, after, selectEntries)
}

// forward yields the events after a seq, page by page: no connection waits for the
// consumer.
func (r reader) forward(ctx context.Context, after journal.Seq, sql string) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		h, chain, err := r.begin(ctx, after)
		if errors.Is(err, journal.ErrNoWarehouse) {
			return
		}
		for err == nil && chain.Head.Seq < h.Head.Seq {
			var page []stored
			if page, err = r.pageAfter(ctx, sql, h, chain.Head.Seq); err != nil {
				break
			}
			for _, s := range page {
				var e journal.Event
				if e, chain, err = h.next(ctx, chain, s); err != nil {
					break
				}
				if !yield(journal.Entry{Event: e, Record: s.record, Documents: s.documents}, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(journal.Entry{}, err)
		}
	}
}

func (r reader) pageAfter(ctx context.Context, sql string, h history, after journal.Seq) ([]stored, error) {
	page, err := r.page(ctx, sql, h, after+1, h.Head.Seq)
	if err == nil && len(page) == 0 {
		err = h.Missing(after + 1)
	}
	if err == nil && sql == selectEntries {
		err = r.keep(ctx, h, page)
	}
	return page, err
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

// next makes the event of a row and checks that it is the chain's next.
func (h history) next(ctx context.Context, chain journal.Chain, s stored) (journal.Event, journal.Chain, error) {
	if err := ctx.Err(); err != nil {
		return journal.Event{}, chain, err
	}
	if want := chain.Head.Seq + 1; s.seq != want {
		return journal.Event{}, chain, h.Missing(want)
	}
	e, err := s.event(h.Reading)
	if err != nil {
		return e, chain, err
	}
	chain, err = h.Next(chain, e)
	return e, chain, err
}

// ScanBack implements journal.Reader.
func (r reader) ScanBack(ctx context.Context, before journal.Seq) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		h, at, want, err := r.beginBack(ctx, before)
		if errors.Is(err, journal.ErrNoWarehouse) {
			return
		}
		for err == nil && at >= h.first {
			var page []stored
			if page, err = r.page(ctx, selectBackward, h, h.first, at); err != nil {
				break
			}
			if len(page) == 0 {
				err = h.Missing(at)
			}
			for _, s := range page {
				var e journal.Event
				if e, err = h.previous(ctx, at, want, s); err != nil {
					break
				}
				if !yield(e, nil) {
					return
				}
				at, want = e.Seq-1, e.Prev
			}
		}
		if err != nil {
			yield(journal.Event{}, err)
		}
	}
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
		return h, h.first - 1, want, nil
	}
	e, err := r.at(ctx, h, before)
	return h, before - 1, e.Prev, err
}

// previous makes the event of a row and checks that it is the one that the event after
// it links to.
func (h history) previous(ctx context.Context, at journal.Seq, want journal.Digest, s stored) (journal.Event, error) {
	if err := ctx.Err(); err != nil {
		return journal.Event{}, err
	}
	if s.seq != at {
		return journal.Event{}, h.Missing(at)
	}
	e, err := s.event(h.Reading)
	if err == nil {
		err = h.Previous(e, want)
	}
	if err == nil && at == h.first && e.Prev != journal.Genesis(h.Warehouse, h.Head.Incarnation) {
		err = h.Damage(at, errors.New("the first event does not link to the beginning"))
	}
	return e, err
}
