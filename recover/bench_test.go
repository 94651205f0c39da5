package recover_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/bolt"
	"puddle/journal/journaltest"
	"puddle/projections/pointers/sqlite"
	"puddle/recover"
)

// The history of the benchmarks: every tenth event creates a table, the others
// commit on one.
var (
	events = flag.Int("events", 200_000, "events of a benchmark's journal")
	told   = flag.String("journal", "", "where a benchmark's journal is kept, and taken from when it is there")
)

// lake is the warehouse of the benchmarks.
var lake = uuid.MustParse("0b6c1d5e-7f3a-4c2b-9a8d-5e4f3c2b1a09")

// history is a journal's file and its warehouse.
func history(b *testing.B) (path string, id uuid.UUID) {
	b.Helper()
	if path = *told; path == "" {
		path = filepath.Join(b.TempDir(), "journal.db")
	}
	if _, err := os.Stat(path); err != nil {
		tell(b, path, lake)
	}
	return path, lake
}

// tell makes a journal of commits without documents and closes it.
func tell(b *testing.B, path string, id uuid.UUID) {
	b.Helper()
	j, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ns := journal.Namespace{"ns"}
	story := journaltest.NewStory(id)
	story.CreateNamespace(ns, nil)
	chain, group := journal.NewChain(id, journaltest.Incarnation(id), 0), []journal.Entry(nil)
	for i := 0; int(chain.Head.Seq) < *events; i++ {
		tables := i/10 + 1
		story.Commit(journal.Identifier{Namespace: ns, Name: fmt.Sprintf("t%07d", i*7919%tables)})
		for _, d := range story.Drafts {
			d.Documents = nil
			entry, next, err := chain.Next(d, journal.At(journaltest.Start.Add(time.Duration(i)*time.Millisecond)))
			if err != nil {
				b.Fatal(err)
			}
			chain, group = next, append(group, entry)
		}
		if story.Drafts = story.Drafts[:0]; len(group) >= 400 {
			journaltest.Append(b, j, group)
			group = group[:0]
		}
	}
	journaltest.Append(b, j, group)
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
}

// start opens both files and replays, as a start does.
func start(b *testing.B, journalPath, tablesPath string, id uuid.UUID, want recover.Outcome) {
	j, err := bolt.Open(journalPath, bolt.Options{})
	if err != nil {
		b.Fatal(err)
	}
	db, err := sqlite.Open(tablesPath, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	done, err := recover.Replay(b.Context(), "a", j.Warehouse(id), db.Warehouse(id), nil)
	if err != nil || done.Outcome != want {
		b.Fatal(done, err)
	}
	b.StopTimer()
	defer b.StartTimer()
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRebuild makes the pointer tables anew.
func BenchmarkRebuild(b *testing.B) {
	path, id := history(b)
	b.ResetTimer()
	before := cpu()
	for i := range b.N {
		start(b, path, filepath.Join(b.TempDir(), fmt.Sprint(i)), id, recover.Rebuilt)
	}
	n := float64(b.N * *events)
	b.ReportMetric(n/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64((cpu()-before).Microseconds())/n, "cpu-µs/event")
}

// BenchmarkStart finds the pointer tables current.
func BenchmarkStart(b *testing.B) {
	path, id := history(b)
	tables := filepath.Join(b.TempDir(), "puddle.db")
	start(b, path, tables, id, recover.Rebuilt)
	b.ResetTimer()
	for range b.N {
		start(b, path, tables, id, recover.Current)
	}
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
