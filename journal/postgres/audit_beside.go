package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// documents reads what is kept beside a page of events, by seq and move. What lies
// between them, where no event is, is a flaw.
func (a *audit) documents(ctx context.Context, from journal.Seq, page []audited) (all map[journal.Seq]map[int]journal.Document, err error) {
	strays := map[journal.Seq]bool{}
	err = a.read(ctx, func(conn *pgx.Conn) error {
		all = map[journal.Seq]map[int]journal.Document{}
		for _, s := range page {
			all[s.seq] = map[int]journal.Document{}
		}
		rows, _ := conn.Query(ctx, selectDocuments, a.warehouse, a.incarnation, number(from), number(page[len(page)-1].seq))
		defer rows.Close()
		for rows.Next() {
			seq, d, err := scanDocument(rows)
			if err != nil {
				return err
			}
			if of, there := all[seq]; there {
				of[d.Move] = d
			} else {
				strays[seq] = true
			}
		}
		return rows.Err()
	})
	for seq := range strays {
		a.x.Flaw(seq, true, "a document of no event is kept")
	}
	return all, err
}

// The last event is looked up in the statement that reads an answer: it is there by then.
const selectRequests = `SELECT key, until, answer, (SELECT coalesce(max(seq), 0) FROM events WHERE warehouse = $1 AND incarnation = $2)
	FROM requests WHERE warehouse = $1 AND incarnation = $2 AND key >= $3 ORDER BY key LIMIT $4`

// asked is a row of requests.
type asked struct {
	key, answer []byte
	until, last int64
}

// requests checks every answer, and when it expires.
func (a *audit) requests(ctx context.Context) error {
	for from := []byte{}; ; {
		var page []asked
		err := a.read(ctx, func(conn *pgx.Conn) (err error) {
			rows, _ := conn.Query(ctx, selectRequests, a.warehouse, a.incarnation, from, pageEvents)
			page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r asked, err error) {
				err = row.Scan(&r.key, &r.until, &r.answer, &r.last)
				return r, err
			})
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			if err := a.request(r); err != nil {
				return err
			}
		}
		from = append(append(from[:0], page[len(page)-1].key...), 0) // the next one that there can be
	}
}

func (a *audit) request(r asked) error {
	a.x.Seen.Requests++
	key, err := digest(r.key)
	if err != nil {
		a.x.Flaw(0, true, "the key of a request has an odd length")
		return nil
	}
	answer, err := a.x.Answer(key, r.answer)
	if damage, ok := errors.AsType[*journal.Damage](err); ok {
		a.x.Found(journal.Flaw{Damage: *damage, Beside: true})
		return nil
	}
	if err != nil {
		return err
	}
	if answer.Until.UnixMilli() != r.until {
		a.x.Flaw(0, true, "request %s expires at %s, it is listed with another moment", key, answer.Until)
	}
	if number(answer.Seq) > r.last {
		a.x.Flaw(answer.Seq, true, "request %s names an event that is not there", key)
	}
	return nil
}
