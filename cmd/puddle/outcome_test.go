//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
)

// spoil makes the descriptors that this process has of a file those of another:
// /dev/null takes every byte and no sync.
func spoil(t *testing.T, path string) {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	spoilt := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err != nil || to != path {
			continue
		}
		var fd int
		if _, err := fmt.Sscan(filepath.Base(link), &fd); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(null.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		spoilt++
	}
	if spoilt == 0 {
		t.Fatalf("%s is not open", path)
	}
}

const oneTable = "/api/catalog/v1/namespaces/a/tables/t"

// commit sets a property and answers what became of it.
func (r *running) commit(value string) (status int, retry, kind string) {
	r.t.Helper()
	body := fmt.Sprintf(`{"requirements":[],"updates":[{"action":"set-properties","updates":{"p":%q}}]}`, value)
	answer, err := http.Post(r.url(oneTable), "application/json", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	var failed struct{ Error struct{ Type string } }
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &failed)
	return answer.StatusCode, answer.Header.Get("Retry-After"), failed.Error.Type
}

// property is what a load says.
func (r *running) property() string {
	r.t.Helper()
	answer, err := http.Get(r.url(oneTable))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	var loaded struct {
		Metadata struct{ Properties map[string]string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&loaded); err != nil || answer.StatusCode != http.StatusOK {
		r.t.Fatalf("load: %d, %v", answer.StatusCode, err)
	}
	return loaded.Metadata.Properties["p"]
}

func (r *running) get(path string) int {
	r.t.Helper()
	answer, err := http.Get(r.url(path))
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func metadataFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "w"), func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".metadata.json") {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func servedTable(t *testing.T, dir string, log io.Writer) *running {
	t.Helper()
	r := startedWith(t, configured(t, dir, ""), zerolog.New(log))
	if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["a"]}`); status != http.StatusOK {
		t.Fatal(status)
	}
	if status := r.post("/api/catalog/v1/namespaces/a/tables", `{"name":"t","schema":{"type":"struct","fields":[]}}`); status != http.StatusOK {
		t.Fatal(status)
	}
	return r
}

// A sync that fails costs a running server one refused commit, where a copy of
// the journal tells that it was not made.
func TestCase156_ServerGoesOnAfterAFailedSync(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	r := servedTable(t, dir, zerolog.SyncWriter(&log))
	for round, value := range []string{"one", "two"} {
		spoil(t, filepath.Join(dir, "d", "journal.db"))
		if status, retry, kind := r.commit("lost"); status != http.StatusTooManyRequests || retry == "" || kind != "SlowDownException" {
			t.Fatalf("without a sync: %d %s, Retry-After %q", status, kind, retry)
		}
		if n := metadataFiles(t, dir); n != round+1 {
			t.Errorf("%d metadata files are there", n)
		}
		if status, _, kind := r.commit(value); status != http.StatusOK {
			t.Fatalf("after it: %d %s", status, kind)
		}
		if got := r.property(); got != value {
			t.Errorf("the property is %q", got)
		}
	}
	if status := r.get("/readyz"); status != http.StatusOK {
		t.Errorf("readyz: %d", status)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "d", "journal.db.broken-*"))
	r.stopped()
	if len(kept) != 2 || !strings.Contains(log.String(), kept[0]) {
		t.Errorf("kept %q, logged %s", kept, log.String())
	}
	again := started(t, configured(t, dir, ""))
	defer again.stopped()
	if got := again.property(); got != "two" {
		t.Errorf("after a restart the property is %q", got)
	}
}

// Where no copy can be made nobody knows: that commit alone is told so, the file
// stays, reads go on, and a restart that can copy the journal goes on writing.
func TestCase156_ServerReadsOnlyWhenNobodyKnows(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "d", "journal.db")
	r := servedTable(t, dir, io.Discard)
	if err := os.Mkdir(journal+".copy", 0o700); err != nil {
		t.Fatal(err)
	}
	spoil(t, journal)
	if status, _, kind := r.commit("unknown"); status != http.StatusInternalServerError || kind != "CommitStateUnknownException" {
		t.Errorf("nobody knows: %d %s", status, kind)
	}
	if n := metadataFiles(t, dir); n != 2 {
		t.Errorf("%d metadata files are there", n)
	}
	if status, retry, kind := r.commit("later"); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("a later commit: %d %s, Retry-After %q", status, kind, retry)
	}
	if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["b"]}`); status != http.StatusServiceUnavailable {
		t.Errorf("another change: %d", status)
	}
	if got := r.property(); got != "" {
		t.Errorf("what nobody knows is shown: %q", got)
	}
	if status := r.get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("readyz: %d", status)
	}
	r.stop()
	<-r.ended
	if _, err := startServer(t.Context(), configured(t, dir, ""), zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "no copy of it could be proven") {
		t.Errorf("start while there is no copy: %v", err)
	}
	if err := os.Remove(journal + ".copy"); err != nil {
		t.Fatal(err)
	}
	again := started(t, configured(t, dir, ""))
	defer again.stopped()
	if status, _, kind := again.commit("again"); status != http.StatusOK {
		t.Errorf("after a restart: %d %s", status, kind)
	}
}
