package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"puddle/internal/s3test"
)

// TestS3CatalogComesBack: clients commit while requests to the object store fail, the server
// is killed and the data folder is lost; recovered over the same network, each table is where
// its last acknowledged commit has put it, or where one of unknown outcome did.
func TestS3CatalogComesBack(t *testing.T) {
	stores := map[string]func(*testing.T) *s3test.Server{
		"in process": func(t *testing.T) *s3test.Server { return s3test.Start(t) },
	}
	if os.Getenv("PUDDLE_TEST_REQUIRE") == "all" {
		stores["versitygw"] = func(t *testing.T) *s3test.Server {
			p := s3test.Versity(t)
			return s3test.Start(t, s3test.InFrontOf(p.Endpoint, p.AccessKeyID, p.SecretAccessKey))
		}
	}
	for name, start := range stores {
		for seed := range uint64(2) {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				t.Parallel()
				store := start(t)
				l := newLake(t, store, store.Bucket(t), "journal: {archive: sync}\n")
				l.weather(s3test.Seeded(seed, 0.05, s3test.Passing...))
				l.comesBack(4, 10)
			})
		}
	}
}

// comesBack is the story, of so many writers with so many commits each.
func (l *lake) comesBack(writers, commits int) {
	l.Helper()
	s := l.serve()
	if got := s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`); got.status != http.StatusOK && got.status != http.StatusConflict {
		l.Fatalf("%d %s", got.status, got.body)
	}
	tales := make([]tale, writers)
	var working sync.WaitGroup
	for i := range tales {
		tales[i].name = fmt.Sprint("t", i)
		working.Go(func() { tales[i].write(s, commits) })
	}
	working.Wait()
	l.judge(s, tales)
	s.kill()
	if err := os.RemoveAll(l.data()); err != nil {
		l.Fatal(err)
	}
	l.atMostWarns("recover")
	s = l.serve()
	l.judge(s, tales)
	l.atMostWarns("verify", "--level", "4")
	s.kill()
}

// atMostWarns runs the program, which may warn of what nobody was told the outcome of.
func (l *lake) atMostWarns(args ...string) {
	l.Helper()
	if code, said := l.run(args...); code != codeDone && code != codeWarnings {
		l.Fatalf("%v: exit code %d: %s", args, code, said)
	}
}

// tale is what one writer, who alone writes a table, was told.
type tale struct {
	name    string
	created answer
	acked   int // the last number that was acknowledged; 0: none
	pointer string
	tried   int // the last number that may be there
	refused []int
}

// write makes the table and counts in a property of it.
func (w *tale) write(s *remote, commits int) {
	w.created = s.ask(http.MethodPost, "namespaces/s/tables", `{"name":"`+w.name+`","schema":{"type":"struct","fields":[]}}`)
	for n := 1; n <= commits; n++ {
		got := s.ask(http.MethodPost, "namespaces/s/tables/"+w.name,
			fmt.Sprintf(`{"requirements":[],"updates":[{"action":"set-properties","updates":{"n":"%d"}}]}`, n))
		switch {
		case got.status == http.StatusOK:
			w.acked, w.tried, w.pointer = n, n, got.table(s.T).Pointer
		case got.status == http.StatusServiceUnavailable || got.status == http.StatusTooManyRequests || got.status < 500 && got.status != 0:
			w.refused = append(w.refused, n)
		default:
			w.tried = n
		}
	}
}

// judge compares what is there with what each writer was told.
func (l *lake) judge(s *remote, tales []tale) {
	l.Helper()
	for _, w := range tales {
		if w.created.status != http.StatusOK {
			l.Logf("%s was not made: %d %s", w.name, w.created.status, w.created.body)
			continue
		}
		got := s.ask(http.MethodGet, "namespaces/s/tables/"+w.name, "")
		if got.status != http.StatusOK {
			l.Errorf("%s: %d %s", w.name, got.status, got.body)
			continue
		}
		is := got.table(l.T)
		n, _ := strconv.Atoi(is.Metadata.Properties["n"])
		if n < w.acked || n > w.tried || n == w.acked && w.acked > 0 && is.Pointer != w.pointer {
			l.Errorf("%s is at %d (%s): acknowledged was %d (%s), tried %d, refused %v", w.name, n, is.Pointer, w.acked, w.pointer, w.tried, w.refused)
		}
	}
}
