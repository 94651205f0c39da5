package recorder_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
)

// BenchmarkRecord commits to tables, each goroutine to its own, over bbolt and
// SQLite files; BenchmarkAppend gives the journal groups of that size and
// nothing else. Run them together: the difference is the price of the pointer
// tables and of the hand-over.
func BenchmarkRecord(b *testing.B) {
	for _, goroutines := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			j, store := pair{"journal.db", "puddle.db"}.in(b.TempDir()).open(b)
			defer closeIt(b, j)
			defer closeIt(b, store)
			groups := 0
			s := newStageOver(b, j, store, nil, recorder.Options{Observe: func(recorder.Group) { groups++ }})
			tables := createTables(b, s, goroutines)
			groups = 0
			b.ResetTimer()
			var writers sync.WaitGroup
			for i := range goroutines {
				writers.Go(func() { commitOften(b, s, tables[i], share(b.N, goroutines, i)) })
			}
			writers.Wait()
			b.StopTimer()
			closeIt(b, s)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(b.N)/float64(groups), "records/group")
		})
	}
}

// share is how many of n things the i-th of several does.
func share(n, of, i int) int { return n*(i+1)/of - n*i/of }

func createTables(b *testing.B, s *stage, n int) []projections.Object {
	b.Helper()
	if _, err := s.Record(ctx, namespace(lake, "bench")); err != nil {
		b.Fatal(err)
	}
	var tables []projections.Object
	for i := range n {
		e, err := s.Record(ctx, create(lake, "bench", fmt.Sprint("t", i)))
		if err != nil {
			b.Fatal(err)
		}
		tables = append(tables, object(e.Moves()[0]))
	}
	return tables
}

// object is what a move left.
func object(m journal.Move) projections.Object {
	return projections.Object{Kind: m.Kind, UUID: m.UUID, Identifier: m.To.Identifier, Pointer: m.To.Pointer, Location: m.To.Location}
}

func commitOften(b *testing.B, s *stage, o projections.Object, times int) {
	for range times {
		e, err := s.Record(ctx, commit(lake, o))
		if err != nil {
			b.Error(err)
			return
		}
		o = object(e.Moves()[0])
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("group=%d", size), func(b *testing.B) {
			j := pair{"journal.db", ""}.in(b.TempDir()).openJournal(b)
			defer closeIt(b, j)
			bear(b, j)
			var chain journal.Chain
			for e, err := range j.Warehouse(lake).ScanBack(ctx, 0) {
				if err != nil {
					b.Fatal(err)
				}
				chain = journal.ChainAt(e)
			}
			o := object(create(lake, "bench", "t").Body.(journal.TableCreated).Moves[0])
			b.ResetTimer()
			for n := 0; n < b.N; n += size {
				chain = appendGroup(b, j, chain, o, min(size, b.N-n))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func appendGroup(b *testing.B, j journal.Journal, chain journal.Chain, o projections.Object, size int) journal.Chain {
	var group []journal.Entry
	for range size {
		o.UUID = uuid.New()
		entry, next, err := chain.Next(commit(lake, o), journal.NewClock().Read())
		if err != nil {
			b.Fatal(err)
		}
		group, chain = append(group, entry), next
	}
	if err := j.Append(ctx, group...); err != nil {
		b.Fatal(err)
	}
	return chain
}

// BenchmarkCreateBesideMany creates tables beside 1,000 others and beside 100,000,
// in turns of a hundred, each with places of its own that no other's may overlap,
// over bbolt and SQLite files. The metric ratio is what the many make of the cost:
// it stays near 1.
func BenchmarkCreateBesideMany(b *testing.B) {
	sizes := []int{1_000, 100_000}
	var stages []*stage
	for _, tables := range sizes {
		j, store := pair{"journal.db", "puddle.db"}.in(b.TempDir()).open(b)
		defer closeIt(b, j)
		defer closeIt(b, store)
		story := journaltest.NewStory(lake)
		story.CreateNamespace(journal.Namespace{"bench"}, nil)
		for i := range tables {
			story.CreateTable(journal.Identifier{Namespace: journal.Namespace{"bench"}, Name: fmt.Sprint("before ", i)})
		}
		journaltest.Append(b, j, journaltest.Entries(b, story.Drafts, journaltest.Start))
		s := newStageOver(b, j, store, nil, recorder.Options{})
		defer closeIt(b, s)
		stages = append(stages, s)
	}
	took := make([]time.Duration, len(sizes))
	b.ResetTimer()
	for from := 0; from < b.N; from += 100 {
		for i, s := range stages {
			start := time.Now()
			createTogether(b, s, fmt.Sprint("new ", from), min(100, b.N-from))
			took[i] += time.Since(start)
		}
	}
	for i, tables := range sizes {
		b.ReportMetric(float64(took[i])/float64(b.N), fmt.Sprintf("ns/create-beside-%d", tables))
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
}

// createTogether creates tables from 16 goroutines.
func createTogether(b *testing.B, s *stage, name string, tables int) {
	const goroutines = 16
	var writers sync.WaitGroup
	for i := range goroutines {
		writers.Go(func() {
			for n := range share(tables, goroutines, i) {
				if _, err := s.Record(ctx, create(lake, "bench", fmt.Sprint(name, " ", i, " ", n))); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
}

// BenchmarkObject asks a reader of the recorder for a table: from memory, and
// from SQLite, where the map has room for nothing.
func BenchmarkObject(b *testing.B) {
	for name, bytes := range map[string]int{"hit": 16 << 20, "miss": 0} {
		b.Run(name, func(b *testing.B) {
			j, store := pair{"journal.db", "puddle.db"}.in(b.TempDir()).open(b)
			defer closeIt(b, j)
			defer closeIt(b, store)
			s := newStageOver(b, j, store, nil, recorder.Options{})
			defer closeIt(b, s)
			s.SetHot(bytes, 64)
			id, r := createTables(b, s, 1)[0].Identifier, s.Reader(lake)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := r.Object(ctx, id); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
