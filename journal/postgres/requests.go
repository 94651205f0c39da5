package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// bindings are the requests that a transaction binds, column by column.
type bindings struct {
	warehouses, incarnations [][16]byte
	keys, answers            [][]byte
	untils, nows             []int64
}

func (b *bindings) add(warehouse, incarnation uuid.UUID, r journal.Request, answer []byte, now time.Time) {
	key := r.Digest()
	b.warehouses, b.incarnations = append(b.warehouses, warehouse), append(b.incarnations, incarnation)
	b.keys, b.answers = append(b.keys, key[:]), append(b.answers, journal.SealAnswer(key, answer))
	b.untils, b.nows = append(b.untils, r.Until.UnixMilli()), append(b.nows, now.UnixMilli())
}

const selectTaken = `SELECT count(*) FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bigint[]) AS new (warehouse, incarnation, key, now)
	JOIN requests USING (warehouse, incarnation, key) WHERE requests.until > new.now`

// check refuses keys that are bound. Nobody else binds keys of a warehouse whose
// head is held.
func (b *bindings) check(batch *pgx.Batch) {
	if len(b.keys) == 0 {
		return
	}
	batch.Queue(selectTaken, b.warehouses, b.incarnations, b.keys, b.nows).QueryRow(func(row pgx.Row) error {
		var taken int64
		if err := row.Scan(&taken); err != nil {
			return err
		}
		if taken > 0 {
			return fmt.Errorf("%w: %d of the group", journal.ErrKeyTaken, taken)
		}
		return nil
	})
}

const (
	// What has expired goes, the first first, and not what is bound anew.
	deleteExpired = `DELETE FROM requests WHERE warehouse = $1 AND incarnation = $2 AND key IN (
		SELECT key FROM requests WHERE warehouse = $1 AND incarnation = $2 AND until <= $3 AND NOT key = ANY($4)
		ORDER BY until, key LIMIT $5)`
	insertRequests = `INSERT INTO requests (warehouse, incarnation, key, until, answer)
		SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bigint[], $5::bytea[])
		ON CONFLICT (warehouse, incarnation, key) DO UPDATE SET until = excluded.until, answer = excluded.answer`
)

// put binds keys that are free, and forgets a few that have expired for each.
func (b *bindings) put(batch *pgx.Batch) {
	if len(b.keys) == 0 {
		return
	}
	type history struct{ warehouse, incarnation [16]byte }
	bound, now := map[history]int{}, map[history]int64{}
	for i := range b.keys {
		h := history{b.warehouses[i], b.incarnations[i]}
		bound[h]++
		now[h] = b.nows[i]
	}
	for h, n := range bound {
		batch.Queue(deleteExpired, h.warehouse, h.incarnation, now[h], b.keys, n*journal.MaxPruned)
	}
	batch.Queue(insertRequests, b.warehouses, b.incarnations, b.keys, b.untils, b.answers)
}

// Remember implements journal.Writer, for any number of goroutines.
func (db *DB) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.again(ctx, func() error {
		tx, err := db.Begin(ctx, warehouse)
		if err != nil {
			return err
		}
		defer tx.Rollback(ctx)
		if err := tx.Remember(ctx, warehouse, now, answers...); err != nil {
			return err
		}
		return tx.Commit(ctx)
	})
}

// Remember adds answers to the transaction, as journal.Writer says, in the
// incarnation that is current when its head was locked.
func (tx *Tx) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...journal.Answer) error {
	return tx.do(ctx, func() error {
		values, err := journal.EncodeAnswers(answers)
		if err != nil {
			return err
		}
		chain, born := tx.heads[warehouse]
		if !born {
			return fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
		}
		var b bindings
		for i, a := range answers {
			b.add(warehouse, chain.Head.Incarnation, a.Request, values[i], now)
		}
		var batch pgx.Batch
		b.check(&batch)
		b.put(&batch)
		tx.sought.bound = append(tx.sought.bound, b)
		return tx.send(ctx, &batch)
	})
}

const selectAnswer = `SELECT incarnation, answer, current_setting('synchronous_standby_names') <> '' FROM requests
	WHERE warehouse = $1 AND incarnation = ` + incarnationOrCurrent + ` AND key = $3`

// Answered implements journal.Reader. Where the server waits for synchronous standbys it
// answers when one of them has the answer as well; journal.ErrUnknownOutcome: none said so.
func (r reader) Answered(ctx context.Context, actor journal.Actor, key string, now time.Time) (journal.Answer, bool, error) {
	digest := journal.Request{Actor: actor, Key: key}.Digest()
	of := journal.Reading{Warehouse: r.warehouse}
	var value []byte
	var standbys bool
	err := r.read(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, selectAnswer, r.warehouse, r.named(), digest[:]).Scan((*[16]byte)(&of.Head.Incarnation), &value, &standbys)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return journal.Answer{}, false, nil
	}
	if err != nil {
		return journal.Answer{}, false, err
	}
	a, err := of.Answer(digest, value)
	if err != nil || a.Expired(now) {
		return journal.Answer{}, false, err
	}
	if standbys && r.session == nil && !r.db.options.ReadOnly {
		if err := r.db.certain(ctx, r.warehouse, of.Head.Incarnation, a); err != nil {
			return journal.Answer{}, false, err
		}
	}
	return a, true, nil
}
