package postgres

import (
	"math/bits"

	"github.com/jackc/pgx/v5"

	"puddle/journal"
)

// grew has the server look at the tables anew when a history has become about four times
// as long. Sessions keep the plans of their statements, and those of a table that was
// empty may use any index; the server itself looks once a minute.
func (s *Store) grew(from, to journal.Position) {
	const few = 16
	if to.Seq < few || bits.Len64(uint64(from.Seq))/2 == bits.Len64(uint64(to.Seq))/2 || !s.analyzing.CompareAndSwap(false, true) {
		return
	}
	s.behind.Go(func() {
		defer s.analyzing.Store(false)
		_ = s.analyze() // what it is for is speed
	})
}

// A small sample tells how many rows there are. Who may not does nothing, and whoever
// does so already is not waited for.
const analyze = `SET LOCAL default_statistics_target = 10;
	ANALYZE (SKIP_LOCKED) heads, events, documents, requests, cursor, namespaces, objects, places, purges, history, names`

func (s *Store) analyze() error {
	conn, err := s.db.Acquire(s.life)
	if err != nil {
		return err
	}
	defer conn.Release()
	return pgx.BeginFunc(s.life, conn, func(tx pgx.Tx) error {
		_, err := tx.Conn().PgConn().Exec(s.life, analyze).ReadAll()
		return err
	})
}
