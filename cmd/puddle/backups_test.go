package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
)

// busy are clients that commit to a table each, one version after the other.
type busy struct {
	*running
	told [4]atomic.Int64 // the versions that were acknowledged
	stop chan struct{}
	wait sync.WaitGroup
}

func newBusy(r *running) *busy {
	b := &busy{running: r, stop: make(chan struct{})}
	for i := range b.told {
		r.makeTable(i)
		b.wait.Go(func() { b.commit(i) })
	}
	return b
}

func (r *running) makeTable(i int) {
	r.t.Helper()
	r.make("/n/tables", fmt.Sprintf(`{"name":"t%d","schema":{"type":"struct","fields":[]}}`, i))
}

func (b *busy) commit(i int) {
	path := fmt.Sprintf("/api/catalog/v1/namespaces/n/tables/t%d", i)
	for n := int64(1); ; n++ {
		select {
		case <-b.stop:
			return
		default:
		}
		if status := b.post(path, fmt.Sprintf(`{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"%d"}}]}`, n)); status != http.StatusOK {
			b.t.Errorf("a commit is answered with %d", status)
			return
		}
		b.told[i].Store(n)
	}
}

// until waits until each has had so many more commits.
func (b *busy) until(more int64) (told [4]int64) {
	for i := range b.told {
		for begun := b.told[i].Load(); b.told[i].Load() < begun+more && !b.t.Failed(); {
			b.read("/healthz")
		}
	}
	for i := range b.told {
		told[i] = b.told[i].Load()
	}
	return told
}

// TestBackupsWhileServing: SQLite's online backup, while clients commit, has everything that
// was acknowledged before it began, and each of its pointers has its file in a copy of the
// warehouse that is made after it: what is restored of both halves is whole.
func TestBackupsWhileServing(t *testing.T) {
	dir := t.TempDir()
	r := started(t, configured(t, dir, "journal: {archive: off}"))
	r.make("", `{"namespace":["n"],"properties":{"owner":"ana"}}`)
	b := newBusy(r)
	var floors [][4]int64
	for n := range 4 {
		floors = append(floors, b.until(5))
		at := filepath.Join(dir, strconv.Itoa(n))
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := backUp(filepath.Join(dir, "d/puddle.db"), filepath.Join(at, "puddle.db")); err != nil {
			t.Fatal(err)
		}
	}
	b.until(5)
	close(b.stop)
	b.wait.Wait()
	r.stopped()
	for n, floor := range floors {
		remove(t, dir, "d")
		if err := os.Rename(filepath.Join(dir, strconv.Itoa(n)), filepath.Join(dir, "d")); err != nil {
			t.Fatal(err)
		}
		restoredHas(t, dir, floor)
	}
}

// restoredHas recovers from pointer tables that were restored, and compares.
func restoredHas(t *testing.T, dir string, floor [4]int64) {
	t.Helper()
	file := filepath.Join(dir, "puddle.yaml")
	report(t, file, codeWarnings, "recover", "--from", "metastore") // the warehouse went on
	report(t, file, codeDone, "verify")
	r := started(t, configured(t, dir, "journal: {archive: off}"))
	defer r.stopped()
	for i, least := range floor {
		_, body := r.read(fmt.Sprintf("/api/catalog/v1/namespaces/n/tables/t%d", i))
		var table struct {
			Metadata struct{ Properties map[string]string }
		}
		if err := json.Unmarshal([]byte(body), &table); err != nil {
			t.Fatal(err)
		}
		if had, err := strconv.ParseInt(table.Metadata.Properties["k"], 10, 64); err != nil || had < least {
			t.Errorf("t%d is restored as of version %d, %d was acknowledged before (%v)", i, had, least, err)
		}
	}
}

// TestRestoredTablesAreNotCaughtUpInSilence: pointer tables that are put back beside their
// journal follow it, however little they lack, with a warning that names the way back.
func TestRestoredTablesAreNotCaughtUpInSilence(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	tables, copied := c.Metastore.SQLitePath, filepath.Join(dir, "backup.db")
	r := started(t, c)
	r.makeNamespaces("before", 1)
	if err := backUp(tables, copied); err != nil {
		t.Fatal(err)
	}
	r.makeNamespaces("after", 1)
	r.stopped()
	if err := os.Rename(copied, tables); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	r = startedWith(t, c, zerolog.New(writerFunc(func(line []byte) {
		if bytes.Contains(line, []byte(`"message":"pointer tables"`)) {
			lines <- string(line)
		}
	})))
	r.wantNamespaces([]string{"before0", "after0"})
	if line := <-lines; !strings.Contains(line, `"level":"warn"`) || !strings.Contains(line, "puddle recover --at") || !strings.Contains(line, `"events":1`) {
		t.Error(line)
	}
	r.stopped()
}
