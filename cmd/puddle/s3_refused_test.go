package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"puddle/internal/s3test"
)

// A store that denies deletes holds a purge up and nothing else: it is told, what is
// written behind the journal goes on, and the purge is done when the store lets it.
func TestS3DeletesAreDenied(t *testing.T) {
	store := s3test.Start(t, s3test.Denying("s3:DeleteObject"))
	l := newLake(t, store, store.Bucket(t), "journal: {archive: sync}\n")
	s := l.serve()
	s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`)
	for _, name := range []string{"t", "u"} {
		s.ask(http.MethodPost, "namespaces/s/tables", `{"name":"`+name+`","schema":{"type":"struct","fields":[]}}`)
	}
	if got := s.ask(http.MethodDelete, "namespaces/s/tables/t?purgeRequested=true", ""); got.status != http.StatusNoContent {
		t.Fatalf("drop: %d %s", got.status, got.body)
	}
	if told := s.until("refuses access", "status", "--json"); !strings.Contains(told, "purge") {
		t.Errorf("the status is %s", told)
	}
	if got := s.ask(http.MethodPost, "namespaces/s/tables/u", `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`); got.status != http.StatusOK {
		t.Errorf("a commit meanwhile: %d %s", got.status, got.body)
	}
	s.kill()
	l.puddle(codeDone, "verify", "--level", "4")

	store.Deny()
	s = l.serve()
	s.until("1 removed, 0 kept, 0 failed", "log", "--kind", "table-purged")
	s.stop()
	l.puddle(codeDone, "verify", "--level", "4")

	store.Deny("s3:DeleteObject")
	if err := os.RemoveAll(l.data()); err != nil {
		t.Fatal(err)
	}
	l.puddle(codeDone, "recover")
	l.puddle(codeDone, "verify", "--level", "4")
}

// until asks again and again until the answer says something.
func (l *lake) until(says string, args ...string) (said string) {
	l.Helper()
	for !strings.Contains(said, says) {
		_, said = l.run(args...)
	}
	return said
}

// Whoever may not read the bucket, or names one that is not there, is told so, and nothing
// is begun.
func TestS3RecoveryIsRefused(t *testing.T) {
	store := s3test.Start(t)
	l := newLake(t, store, store.Bucket(t), "")
	s := l.serve()
	s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`)
	s.stop() // with all of it in the archive
	if err := os.RemoveAll(l.data()); err != nil {
		t.Fatal(err)
	}
	refused := func(reason string) {
		t.Helper()
		for _, args := range [][]string{{"recover"}, {"recover", "--dry-run"}, {"recover", "--from", "sidecars"}} {
			if said := l.puddle(codeNoLook, args...); !strings.Contains(said, "puddle: warehouse default at s3://"+l.bucket+"/wh: the bucket ") || !strings.Contains(said, reason) {
				t.Errorf("%v: %s", args, said)
			}
		}
		if _, err := os.Stat(filepath.Join(l.data(), "journal.db")); err == nil {
			t.Error("something was begun")
		}
	}
	l.configure("not the secret", "")
	refused("the storage refuses access")
	l.configure(store.SecretAccessKey, "")
	l.weather(s3test.Seeded(1, 1, s3test.Expired))
	refused("the storage refuses access")
	l.weather(nil)
	there := l.bucket
	l.bucket = "nowhere"
	l.configure(store.SecretAccessKey, "")
	refused("the bucket is not there")
	l.bucket = there
	l.configure(store.SecretAccessKey, "")
	l.puddle(codeDone, "recover")
}

// In sync nobody is answered before the archive has it.
func TestS3SyncWaitsForTheArchive(t *testing.T) {
	store := s3test.Start(t)
	l := newLake(t, store, store.Bucket(t), "journal: {archive: sync}\n")
	s := l.serve()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	l.weather(func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/_puddle/journal/") {
			once.Do(func() { close(held) }) // it is tried again when that takes long
			<-release
		}
		return s3test.None
	})
	done := make(chan answer, 1)
	go func() { done <- s.ask(http.MethodPost, "namespaces", `{"namespace":["s"]}`) }()
	<-held
	s.until("default", "status") // and whoever answers it had time to answer the other
	select {
	case got := <-done:
		t.Errorf("answered before the archive has it: %d %s", got.status, got.body)
	default:
	}
	l.weather(nil)
	close(release)
	if got := <-done; got.status != http.StatusOK {
		t.Errorf("afterwards: %d %s", got.status, got.body)
	}
	s.kill()
}
