package postgres_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/journal/postgres"
)

// BenchmarkAppend is what one warehouse takes: groups of so many events, from so
// many replicas at once, on a server that syncs. An operation is an event.
func BenchmarkAppend(b *testing.B) {
	url := postgrestest.New(b, "fsync=on").Open(b)
	first := openWith(b, postgres.Options{URL: url})
	journaltest.Append(b, first, births(b, lake))
	for _, replicas := range []int{1, 4} {
		for _, group := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("replicas=%d/group=%d", replicas, group), func(b *testing.B) {
				var left atomic.Int64
				left.Store(int64(b.N))
				ends := make(chan error, replicas)
				for range replicas {
					db := openWith(b, postgres.Options{URL: url})
					go func() {
						for left.Add(-int64(group)) > -int64(group) {
							if err := appendGroup(db, group); err != nil {
								ends <- err
								return
							}
						}
						ends <- nil
					}()
				}
				for range replicas {
					if err := <-ends; err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// appendGroup appends so many events when their turn has come.
func appendGroup(db *postgres.DB, n int) error {
	ctx := context.Background()
	tx, err := db.Begin(ctx, lake)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx)
	chain := tx.Heads()[lake]
	group := make([]journal.Entry, n)
	for i := range group {
		if group[i], chain, err = chain.Next(draft(lake), tx.Now()); err != nil {
			return err
		}
	}
	if err := tx.Append(ctx, group...); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
