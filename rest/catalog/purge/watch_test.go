package purge_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"puddle/internal/warehouse/faulty"
	"puddle/journal"
	"puddle/rest/catalog/purge"
)

// watched is what was deleted from a world's store, but for marks.
type watched struct {
	url string
	mu  sync.Mutex
	all []string
}

// watch begins to see what is deleted.
func (w *world) watch(tb rapid.TB) *watched {
	tb.Helper()
	log := &watched{url: w.url}
	w.files = faulty.New(w.files, func(op faulty.Op, key string) faulty.Fault {
		if op == faulty.Delete && !isMark(key) {
			log.mu.Lock()
			defer log.mu.Unlock()
			log.all = append(log.all, w.url+"/"+key)
		}
		return faulty.Fault{}
	})
	return log
}

func (l *watched) deleted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// nothingHappens runs a job, in a synctest bubble, until it waits without having
// made a pass, and answers when it would look again.
func (w *world) nothingHappens(tb rapid.TB) time.Time {
	tb.Helper()
	options := w.options(tb)
	options.Observe = func(o purge.Outcome) { tb.Errorf("a pass ended %s", o.Result) }
	job := purge.New(options)
	stop := run(job)
	synctest.Wait()
	defer stop()
	return job.Progress().Next
}

// run runs a job until it is stopped.
func run(job *purge.Job) (stop func()) {
	running, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		job.Run(running)
	}()
	return func() {
		cancel()
		<-done
	}
}

// warm makes what the journal makes at its first use for the whole process.
var warm = sync.OnceFunc(func() {
	kept, _ := journal.KeepDocument(0, []byte("{}"), 1024)
	pointer := journal.Pointer{DocumentSHA256: journal.Sum([]byte("{}"))}
	made := journal.Event{Body: journal.TableCreated{Moves: [1]journal.Move{{To: &journal.To{Pointer: pointer}}}}}
	_, _ = journal.Shelf(func(journal.Seq, int) (journal.Event, journal.Document, error) { return made, kept, nil }).Open(0, 0)
})

// bubble runs a test in time that passes at once.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	warm()
	synctest.Test(t, test)
}
