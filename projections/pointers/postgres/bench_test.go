package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/postgrestest"
	"puddle/journal"
	"puddle/journal/journaltest"
	journalpg "puddle/journal/postgres"
)

// benchmarks are told with the same story: n tables in one namespace, on a server that
// syncs.
func tellTables(b *testing.B, n int) (replica, *journaltest.Story) {
	b.Helper()
	db, err := journalpg.Open(b.Context(), journalpg.Options{URL: postgrestest.New(b, "fsync=on").Open(b)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	r := replica{db, open(b, db)}
	story := journaltest.NewStory(uuid.New())
	r.bear(b, story)
	story.CreateNamespace(journal.Namespace{"ns"}, nil)
	for i := range n {
		story.CreateTable(tableName(i))
	}
	r.tell(b, story, 128)
	return r, story
}

func tableName(i int) journal.Identifier {
	return journal.Identifier{Namespace: journal.Namespace{"ns"}, Name: fmt.Sprintf("table-%07d", i)}
}

// tell records the drafts of the story in turns of so many, and takes them off it.
func (r replica) tell(b rapid.TB, story *journaltest.Story, group int) {
	b.Helper()
	for len(story.Drafts) > 0 {
		n := min(group, len(story.Drafts))
		r.turn(b, story.Warehouse, story.Drafts[:n], story.Drafts[:n])
		story.Drafts = story.Drafts[n:]
	}
}

const tables = 10_000

// BenchmarkTurn is what one warehouse of 10,000 tables takes: turns of so many commits of
// one replica. An operation is a commit; the CPU is this process's and the server's.
func BenchmarkTurn(b *testing.B) {
	r, story := tellTables(b, tables)
	for _, group := range []int{1, 16, 128} {
		b.Run(fmt.Sprint("group=", group), func(b *testing.B) {
			for i := range b.N {
				story.Commit(tableName(i * 7919 % tables))
			}
			b.ResetTimer()
			mine, theirs := cpu(b), r.serverCPU(b)
			r.tell(b, story, group)
			b.ReportMetric(float64((cpu(b)-mine).Microseconds())/float64(b.N), "cpu-µs/op")
			b.ReportMetric(float64((r.serverCPU(b)-theirs).Microseconds())/float64(b.N), "server-µs/op")
		})
	}
}

// BenchmarkObject is one load's question.
func BenchmarkObject(b *testing.B) {
	r, story := tellTables(b, tables)
	w := r.store.Warehouse(story.Warehouse)
	mine, theirs, i := cpu(b), r.serverCPU(b), 0
	for b.Loop() {
		i = (i + 7919) % tables
		if _, err := w.Object(context.Background(), tableName(i)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-mine).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64((r.serverCPU(b)-theirs).Microseconds())/float64(b.N), "server-µs/op")
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// serverCPU is the processor time that the replica's sessions have used, in steps of 10 ms.
func (r replica) serverCPU(b *testing.B) time.Duration {
	b.Helper()
	var ticks int64
	for _, conn := range r.journal.Pool().AcquireAllIdle(context.Background()) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", conn.Conn().PgConn().PID()))
		conn.Release()
		if err != nil {
			b.Skip(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		for _, field := range fields[11:13] { // utime, stime
			var n int64
			if _, err := fmt.Sscan(field, &n); err != nil {
				b.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
