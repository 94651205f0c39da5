package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// about hands on the lines of a log that have a message.
type about struct {
	message string
	lines   chan line
}

func (a about) Write(p []byte) (int, error) {
	var l line
	if err := json.Unmarshal(bytes.TrimSpace(p), &l); err == nil && l.Message == a.message {
		select {
		case a.lines <- l:
		default:
		}
	}
	return len(p), nil
}

// asWritten is the one table's sidecar.
func asWritten(t *testing.T, dir string) (s struct {
	MetadataLocation string   `json:"metadata-location"`
	Unconfirmed      []string `json:"unconfirmed-metadata-locations"`
	Seq              uint64
}) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "w", "_puddle", "catalog", "*-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Sidecars that cannot be written keep nobody from anything: the log names the
// request, status warns, and when they can be written again they are.
func TestSidecarsThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	servedTable(t, dir, io.Discard).stopped()
	first := asWritten(t, dir)
	folder := filepath.Join(dir, "w", "_puddle", "catalog")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log := about{"failed to write catalog sidecar", make(chan line, 100)}
	r := startedWith(t, configured(t, dir, ""), zerolog.New(log))
	answer, err := http.Post(r.url(oneTable), "application/json", strings.NewReader(`{"updates":[{"action":"set-properties","updates":{"p":"x"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("commit: %s", answer.Status)
	}
	for l := range log.lines {
		if l.RequestID == answer.Header.Get("X-Request-Id") && l.Level == "warn" && l.Error != "" {
			break
		}
	}
	if code, out := ran(t, dir, "status"); code != codeWarnings || !strings.Contains(out, "catalog sidecars (_puddle/catalog) are late") {
		t.Errorf("status: %d\n%s", code, out)
	}
	r.stopped()
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	started(t, configured(t, dir, "")).stopped()
	if now := asWritten(t, dir); now.Seq != first.Seq+1 || now.MetadataLocation == first.MetadataLocation {
		t.Errorf("%+v after %+v", now, first)
	}
}

// Case 33: the file of a commit that was answered with CommitStateUnknownException
// is in the table's sidecar by then, beside the file that it was made from.
func TestCase33_SidecarListsWhatNobodyKnows(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "d", "journal.db")
	servedTable(t, dir, io.Discard).stopped()
	first := asWritten(t, dir)
	r := started(t, configured(t, dir, ""))
	if err := os.Mkdir(journal+".copy", 0o700); err != nil {
		t.Fatal(err)
	}
	spoil(t, journal)
	if status, _, kind := r.commit("unknown"); status != http.StatusInternalServerError || kind != "CommitStateUnknownException" {
		t.Errorf("nobody knows: %d %s", status, kind)
	}
	now := asWritten(t, dir)
	if now.MetadataLocation != first.MetadataLocation || len(now.Unconfirmed) != 1 {
		t.Fatalf("%+v after %+v", now, first)
	}
	if _, err := os.Stat(strings.TrimPrefix(now.Unconfirmed[0], "file://")); err != nil {
		t.Error(err)
	}
	r.stop()
	<-r.ended
}
