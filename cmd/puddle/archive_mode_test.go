package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/journal/journaltest"
	"puddle/projections/archive"
	"puddle/rest/catalog"
)

// archivedAt is the head of the archive in a folder; 0 where there is none.
func archivedAt(t *testing.T, folder string) journal.Seq {
	t.Helper()
	store, err := dir.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	head, _, err := archive.Head(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return head.Seq
}

// In sync an answer says that the archive has it; in async it has it after a stop; off
// is off, and says so.
func TestArchiveModes(t *testing.T) {
	const namespaces = "/api/catalog/v1/namespaces"
	for mode, want := range map[string][2]journal.Seq{"sync": {2, 3}, "async": {0, 3}, "off": {0, 0}} {
		folder := t.TempDir()
		var log bytes.Buffer
		r := startedWith(t, configured(t, folder, "journal: {archive: "+mode+"}"), zerolog.New(zerolog.SyncWriter(&log)))
		status := r.post(namespaces, `{"namespace":["a"]}`)
		if at := archivedAt(t, folder+"/w"); status != http.StatusOK || mode != "async" && at != want[0] {
			t.Errorf("%s: answered %d, archived to %d", mode, status, at)
		}
		r.post(namespaces, `{"namespace":["b"]}`)
		page := r.page("/api/puddle/v1/status")
		if !strings.Contains(page, `"archive":{"mode":"`+mode+`"`) {
			t.Errorf("%s: status is %s", mode, page)
		}
		r.stopped()
		if at := archivedAt(t, folder+"/w"); at != want[1] {
			t.Errorf("%s: after the stop it is archived to %d", mode, at)
		}
		if strings.Contains(log.String(), notArchived) != (mode == "off") {
			t.Errorf("%s: log is %s", mode, log.String())
		}
	}
}

// What cannot be archived is refused in sync before it is recorded, as come again; in
// async it is done.
func TestFailingArchive(t *testing.T) {
	for mode, want := range map[string]int{"sync": http.StatusServiceUnavailable, "async": http.StatusOK} {
		folder := t.TempDir()
		started(t, configured(t, folder, "journal: {archive: off}")).stopped()
		if err := os.WriteFile(filepath.Join(folder, "w", "_puddle", "journal"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		failed := make(chan struct{}, 100)
		log := zerolog.New(writerFunc(func(line []byte) {
			if bytes.Contains(line, []byte("archive is late")) {
				failed <- struct{}{}
			}
		}))
		r := startedWith(t, configured(t, folder, "journal: {archive: "+mode+"}"), log)
		<-failed
		if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["a"]}`); status != want {
			t.Errorf("%s: %d, want %d", mode, status, want)
		}
		if page := r.page("/api/puddle/v1/status"); !strings.Contains(page, "the archive is late") {
			t.Errorf("%s: status is %s", mode, page)
		}
		r.stop()
		<-r.ended
	}
}

// page answers what is at a path.
func (r *running) page(path string) string {
	r.t.Helper()
	_, body := r.read(path)
	return body
}

type writerFunc func([]byte)

func (f writerFunc) Write(line []byte) (int, error) {
	f(line)
	return len(line), nil
}

// recording appends drafts to a journal.
type recording struct {
	j       journal.Journal
	chain   journal.Chain
	follows *archive.Follower
}

func (r *recording) Record(ctx context.Context, d journal.Draft) (journal.Event, error) {
	e, next, err := r.chain.Next(d, journal.At(journaltest.Start))
	if err == nil {
		err = r.j.Append(ctx, e)
	}
	if err != nil {
		return journal.Event{}, err
	}
	r.chain = next
	r.follows.Wake()
	return e.Event, nil
}

// A change that is recorded and not archived in time has an unknown outcome, so that
// its file stays; the next one is refused, until the archive has caught up.
func TestSyncOutcomes(t *testing.T) {
	sealedOnce(t)
	synctest.Test(t, func(t *testing.T) {
		id, ctx, broken := uuid.New(), context.Background(), errors.New("the store hangs")
		story := journaltest.NewStory(id)
		for _, name := range []string{"a", "b", "c", "d"} {
			story.CreateNamespace(journal.Namespace{name}, nil)
		}
		var fails atomic.Bool
		j := journal.NewMemory()
		follower := archive.Follow(archive.Options{
			ID: id, From: j, Mode: archive.Sync, Failed: func(error) {},
			Store: faulty.New(memory.New(), func(faulty.Op, string) faulty.Fault {
				if fails.Load() {
					return faulty.Before(broken)
				}
				return faulty.Fault{}
			}),
		})
		under := &recording{j, journal.NewChain(id, uuid.New(), 0), follower}
		records := archiving{under, follower}
		record := func(n int) error {
			short, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
			defer cancel()
			_, err := records.Record(short, story.Drafts[n])
			return err
		}
		if err := record(0); err != nil {
			t.Fatal(err)
		}
		fails.Store(true)
		var told *catalog.Error
		if err := record(1); !errors.Is(err, journal.ErrUnknownOutcome) || !errors.As(err, &told) || told.Code != catalog.OutcomeUnknown {
			t.Errorf("not archived in time: %v", err)
		}
		answers := repeats{j.Warehouse(id), follower}
		if err := record(2); !errors.As(err, &told) || told.Code != catalog.Unavailable || !errors.Is(err, broken) || under.chain.Head.Seq != 2 {
			t.Errorf("while it fails: %v, head %s", err, under.chain.Head)
		}
		for _, d := range story.Drafts[:2] {
			if d.Request == nil {
				continue
			}
			if _, known, err := answers.Answered(ctx, d.Request.Actor, d.Request.Key, journaltest.Start); known || !errors.Is(err, journal.ErrUnknownOutcome) {
				t.Errorf("a repeat while it fails: %t, %v", known, err)
			}
		}
		fails.Store(false)
		time.Sleep(time.Minute)
		if err := record(2); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		if err := follower.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
}
