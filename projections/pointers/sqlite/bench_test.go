package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections"
	"puddle/projections/pointers/sqlite"
)

// benchmarks are told with the same story: n tables in one namespace.
func tellTables(b *testing.B, db *sqlite.DB, n int) (*journaltest.Story, *journal.Chain) {
	b.Helper()
	id := uuid.New()
	story := journaltest.NewStory(id)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range n {
		story.CreateTable(tableName(i))
	}
	chain := journal.NewChain(id, journaltest.Incarnation(id), 0)
	tell(b, db, story, &chain, 512)
	b.ResetTimer()
	return story, &chain
}

func tableName(i int) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{"ns"}, Name: fmt.Sprintf("table-%07d", i)}
}

// tell applies the drafts of the story, and takes them off it.
func tell(b testing.TB, db *sqlite.DB, story *journaltest.Story, chain *journal.Chain, group int) {
	b.Helper()
	ctx := context.Background()
	for len(story.Drafts) > 0 {
		n := min(group, len(story.Drafts))
		tx, err := db.Begin(ctx)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range story.Drafts[:n] {
			entry, next, err := chain.Next(d, journal.At(journaltest.Start))
			if err != nil {
				b.Fatal(err)
			}
			if err := tx.Apply(ctx, entry.Event); err != nil {
				b.Fatal(err)
			}
			*chain = next
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
		story.Drafts = story.Drafts[n:]
	}
}

var sizes = []int{1_000, 100_000}

func BenchmarkObject(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "puddle.db"))
			story, _ := tellTables(b, db, n)
			w := db.Warehouse(story.Warehouse)
			i := 0
			for b.Loop() {
				i = (i + 7919) % n
				if _, err := w.Object(context.Background(), tableName(i)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkApplyCommits applies groups of 22 commits, as the recorder does. Making
// the events is not in the metric.
func BenchmarkApplyCommits(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "puddle.db"))
			story, chain := tellTables(b, db, n)
			var used time.Duration
			for done := 0; done < b.N; done += 22 {
				b.StopTimer()
				for i := range min(22, b.N-done) {
					story.Commit(tableName((done + i) * 7919 % n))
				}
				events := chained(b, story, chain)
				b.StartTimer()
				before := cpu(b)
				applyAll(b, db, events)
				used += cpu(b) - before
			}
			b.ReportMetric(float64(used.Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
		})
	}
}

// chained makes events of the drafts of the story, and takes them off it.
func chained(b *testing.B, story *journaltest.Story, chain *journal.Chain) (events []journal.Event) {
	for _, d := range story.Drafts {
		entry, next, err := chain.Next(d, journal.At(journaltest.Start))
		if err != nil {
			b.Fatal(err)
		}
		events, *chain = append(events, entry.Event), next
	}
	story.Drafts = story.Drafts[:0]
	return events
}

func applyAll(b *testing.B, db *sqlite.DB, events []journal.Event) {
	tx, err := db.Begin(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range events {
		if err := tx.Apply(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkApplyCreates(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "puddle.db"))
			story, chain := tellTables(b, db, n)
			b.StopTimer()
			for i := range b.N {
				story.CreateTable(tableName(n + i))
			}
			b.StartTimer()
			tell(b, db, story, chain, 64)
		})
	}
}

func BenchmarkPage(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "puddle.db"))
			story, _ := tellTables(b, db, n)
			w := db.Warehouse(story.Warehouse)
			page := projections.Page{After: tableName(n / 2).Name, Limit: 100}
			for b.Loop() {
				names, err := w.Objects(context.Background(), journal.Namespace{"ns"}, journal.Table, page)
				if err != nil || len(names) != 100 {
					b.Fatal(len(names), err)
				}
			}
		})
	}
}

// BenchmarkCreated asks a table of 100,000 commits for a file that a commit made
// a hundred steps ago, and for one that none made.
func BenchmarkCreated(b *testing.B) {
	db := open(b, filepath.Join(b.TempDir(), "puddle.db"))
	story, chain := tellTables(b, db, 1)
	var locations []string
	for range 100_000 {
		story.Commit(tableName(0))
		locations = append(locations, story.Objects[tableName(0).Key()].To.Pointer.MetadataLocation)
	}
	tell(b, db, story, chain, 512)
	w, table := db.Warehouse(story.Warehouse), story.Objects[tableName(0).Key()].UUID
	for name, location := range map[string]string{
		"near": locations[len(locations)-100], "first": locations[0], "none": "s3://lake/wh/elsewhere.metadata.json",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				made, err := w.Created(context.Background(), table, location)
				if err != nil || made != (name != "none") {
					b.Fatal(made, err)
				}
			}
		})
	}
}
