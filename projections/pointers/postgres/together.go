package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	journalpg "puddle/journal/postgres"
	"puddle/projections"
)

const (
	// queriesAtOnce is how many queries for objects a process has under way.
	queriesAtOnce = 2
	// mostTogether is how many questions are in one of them.
	mostTogether = 256
	// answerLimit is how long one of them may take, also that of who asks by itself: two
	// that a network swallowed would keep all others waiting.
	answerLimit = 5 * time.Second
)

// together asks for all who want an object by its name. As long as few do, each asks by
// itself. Who comes while enough queries are under way is in the next one, which is sent
// after they have all asked: an answer is as fresh as that of a query of one's own, and a
// crowd costs what a few do. Safe for concurrent use.
type together struct {
	limit time.Duration

	mu      sync.Mutex
	waiting []*question
	queries int // under way
}

// question is for a live object. What is said to it may be read when it is answered.
type question struct {
	warehouse, parent uuid.UUID
	name              string
	answered          chan struct{}

	at     standing
	object projections.HeldObject
	there  bool
	err    error
}

// enter is true for who may ask by itself, and then calls leave; else the question is
// answered with those of others.
func (t *together) enter(q *question) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queries < queriesAtOnce {
		t.queries++
		return true
	}
	q.answered = make(chan struct{})
	t.waiting = append(t.waiting, q)
	return false
}

// wait is for the answer, for a time that bounds what a database that hangs costs.
func (q *question) wait(ctx context.Context, limit time.Duration) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-q.answered:
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return noAnswer(limit)
	}
}

func noAnswer(limit time.Duration) error {
	return fmt.Errorf("%w: no answer within %s", journalpg.ErrAway, limit)
}

// within bounds a query. Whose own time is over is told so.
func (t *together) within(ctx context.Context, ask func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	err := ask(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return noAnswer(t.limit)
	}
	return err
}

// leave lets those ask that came meanwhile.
func (s *Store) leave() {
	if all := s.objects.take(); len(all) > 0 {
		go s.answerAll(all)
	}
}

// answerAll sends one query after the other until nobody waits.
func (s *Store) answerAll(all []*question) {
	for ; len(all) > 0; all = s.objects.take() {
		err := s.askObjects(all)
		for _, q := range all {
			if q.err == nil {
				q.err = err
			}
			close(q.answered)
		}
	}
}

// take is what the next query is for; none: there is one query less.
func (t *together) take() []*question {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), mostTogether)
	all := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	if n == 0 {
		t.waiting = nil
		t.queries--
	}
	return all
}

// askNamed answers with the number of each question, from 1 on.
const askNamed = `SELECT q.n, ` + standingColumns + `, r.* FROM unnest($1::uuid[], $2::uuid[], $3::bytea[]) WITH ORDINALITY AS q (warehouse, parent, name, n)
	CROSS JOIN pointers v LEFT JOIN cursor c ON c.warehouse = q.warehouse
	LEFT JOIN LATERAL (SELECT ` + objectColumns + ` FROM objects o
		WHERE o.warehouse = q.warehouse AND o.parent = q.parent AND o.name = q.name AND o.state = 1 LIMIT 1) AS r ON true`

// askObjects answers questions with one query. What is wrong with one answer is its own.
func (s *Store) askObjects(all []*question) error {
	warehouses, parents, names := make([][16]byte, len(all)), make([][16]byte, len(all)), make([][]byte, len(all))
	for i, q := range all {
		warehouses[i], parents[i], names[i] = q.warehouse, q.parent, []byte(q.name)
	}
	return s.objects.within(context.Background(), func(ctx context.Context) error {
		return s.read(ctx, func(conn *pgx.Conn) error {
			rows, _ := conn.Query(ctx, askNamed, warehouses, parents, names)
			defer rows.Close()
			for rows.Next() {
				if err := scanAnswer(rows, all); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	})
}

// numbered is a row behind the number of its question.
type numbered struct {
	pgx.Rows
	n int64
}

// Scan takes the number first.
func (r *numbered) Scan(into ...any) error { return r.Rows.Scan(append([]any{&r.n}, into...)...) }

// scanAnswer hands a row to its question.
func scanAnswer(rows pgx.Rows, all []*question) error {
	row := numbered{Rows: rows}
	var q question
	q.object, q.there, q.err = scanObject(&row, &q.at)
	if row.n < 1 || int(row.n) > len(all) {
		return errors.Join(q.err, fmt.Errorf("an answer to question %d of %d", row.n, len(all)))
	}
	to := all[row.n-1]
	to.at, to.object, to.there, to.err = q.at, q.object, q.there, q.err
	return nil
}
