package recorder_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
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
	if _, err := s.Record(ctx, recordertest.Namespace(lake, "bench")); err != nil {
		b.Fatal(err)
	}
	var tables []projections.Object
	for i := range n {
		e, err := s.Record(ctx, recordertest.Create(lake, "bench", fmt.Sprint("t", i)))
		if err != nil {
			b.Fatal(err)
		}
		tables = append(tables, recordertest.Object(e.Moves()[0]))
	}
	return tables
}

func commitOften(b *testing.B, s *stage, o projections.Object, times int) {
	for range times {
		e, err := s.Record(ctx, recordertest.Commit(lake, o))
		if err != nil {
			b.Error(err)
			return
		}
		o = recordertest.Object(e.Moves()[0])
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("group=%d", size), func(b *testing.B) {
			j := pair{"journal.db", ""}.in(b.TempDir()).openJournal(b)
			defer closeIt(b, j)
			recordertest.Bear(b, j)
			var chain journal.Chain
			for e, err := range j.Warehouse(lake).ScanBack(ctx, 0) {
				if err != nil {
					b.Fatal(err)
				}
				chain = journal.ChainAt(e)
			}
			o := recordertest.Object(recordertest.Create(lake, "bench", "t").Body.(journal.TableCreated).Moves[0])
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
		entry, next, err := chain.Next(recordertest.Commit(lake, o), journal.NewClock().Read())
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

// besides are how many tables there are before a benchmark begins.
var besides = []int{1_000, 100_000}

// BenchmarkCreateBesideMany creates tables beside 1,000 others and beside 100,000,
// in turns of a hundred, each with places of its own that no other's may overlap,
// over bbolt and SQLite files. The metric ratio is what the many make of the cost:
// it stays near 1.
func BenchmarkCreateBesideMany(b *testing.B) {
	var stages []*stage
	for _, tables := range besides {
		s, _ := crowded(b, tables)
		stages = append(stages, s)
	}
	inTurns(b, 100, func(i, from, n int) { createTogether(b, stages[i], fmt.Sprint("new ", from), n) })
}

// BenchmarkCommitBesideMany commits to 22 tables together, all over the others.
// Tables stay at their places, as they do in a commit.
func BenchmarkCommitBesideMany(b *testing.B) {
	const together = 22
	var stages []*stage
	var objects [][]projections.Object
	for _, tables := range besides {
		s, all := crowded(b, tables)
		stages, objects = append(stages, s), append(objects, all)
	}
	inTurns(b, 10*together, func(i, from, n int) {
		var writers sync.WaitGroup
		for w := range together {
			writers.Go(func() {
				for k := range share(n, together, w) {
					all := objects[i]
					o := &all[(from+together*k+w)*7919%len(all)]
					e, err := stages[i].Record(ctx, recordertest.Commit(lake, *o))
					if err != nil {
						b.Error(err)
						return
					}
					*o = recordertest.Object(e.Moves()[0])
				}
			})
		}
		writers.Wait()
	})
}

// crowded is a stage with so many tables, each at the place to which the drafts of
// these tests keep it: one that moves costs twice the pages.
func crowded(b *testing.B, tables int) (*stage, []projections.Object) {
	j, store := pair{"journal.db", "puddle.db"}.in(b.TempDir()).open(b)
	b.Cleanup(func() {
		closeIt(b, store)
		closeIt(b, j)
	})
	story := journaltest.NewStory(lake)
	story.CreateNamespace(journal.Namespace{"bench"}, nil)
	drafts := story.Drafts
	for i := range tables {
		drafts = append(drafts, recordertest.Create(lake, "bench", fmt.Sprint("before ", i)))
	}
	entries := journaltest.Entries(b, drafts, journaltest.Start)
	journaltest.Append(b, j, entries)
	var objects []projections.Object
	for _, e := range entries {
		for _, m := range e.Event.Moves() {
			objects = append(objects, recordertest.Object(m))
		}
	}
	s := newStageOver(b, j, store, nil, recorder.Options{})
	b.Cleanup(func() { closeIt(b, s) })
	return s, objects
}

// inTurns does b.N things in both stages, in turns of so many, and reports what one
// costs in each.
func inTurns(b *testing.B, turn int, do func(stage, from, n int)) {
	took, used := make([]time.Duration, len(besides)), make([]time.Duration, len(besides))
	b.ResetTimer()
	for from := 0; from < b.N; from += turn {
		for i := range besides {
			start, before := time.Now(), cpu(b)
			do(i, from, min(turn, b.N-from))
			took[i] += time.Since(start)
			used[i] += cpu(b) - before
		}
	}
	for i, tables := range besides {
		b.ReportMetric(float64(took[i])/float64(b.N), fmt.Sprintf("ns/op-beside-%d", tables))
		b.ReportMetric(float64(used[i].Nanoseconds())/1e3/float64(b.N), fmt.Sprintf("cpu-µs/op-beside-%d", tables))
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
	b.ReportMetric(float64(used[1])/float64(used[0]), "cpu-ratio")
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// createTogether creates tables from 16 goroutines.
func createTogether(b *testing.B, s *stage, name string, tables int) {
	const goroutines = 16
	var writers sync.WaitGroup
	for i := range goroutines {
		writers.Go(func() {
			for n := range share(tables, goroutines, i) {
				if _, err := s.Record(ctx, recordertest.Create(lake, "bench", fmt.Sprint(name, " ", i, " ", n))); err != nil {
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
