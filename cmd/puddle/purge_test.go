package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"puddle/journal"
	"puddle/rest/catalog/purge"
)

// line is one of the log.
type line struct {
	Message   string
	Level     string
	Name      string
	RequestID string `json:"request-id"`
	Removed   int64
	Kept      int64
	File      string
	Reason    string
	More      int
	Error     string
}

// told hands on the lines of a log that are about purges.
type told chan line

func (t told) Write(p []byte) (int, error) {
	var l line
	if err := json.Unmarshal(bytes.TrimSpace(p), &l); err == nil && strings.HasPrefix(l.Message, "purge ") {
		t <- l
	}
	return len(p), nil
}

// purging starts a server whose log is heard.
func purging(t *testing.T, dir, keys string) (*running, told) {
	t.Helper()
	text := fmt.Sprintf("data-dir: %s/d\nwarehouses: {default: {location: %s/w, purge: {%s}}}\n", dir, dir, keys)
	file := filepath.Join(dir, "puddle.yaml")
	c := loadConfig(t, file, text)
	log := make(told, 100)
	return startedWith(t, c, zerolog.New(log)), log
}

// filesIn lists the files of a folder that is no part of puddle's own.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(path, "/_puddle/") {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// made makes a table n.name in its own folder of the warehouse.
func (r *running) made(dir, name string) {
	r.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"location":%q,"schema":{"type":"struct","fields":[]}}`, name, dir+"/w/"+name)
	if status := r.post("/api/catalog/v1/namespaces/n/tables", body); status != http.StatusOK {
		r.t.Fatalf("create %s: status %d", name, status)
	}
}

// dropped drops n.name with a purge and answers the request's id.
func (r *running) dropped(name string) string {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodDelete, r.url("/api/catalog/v1/namespaces/n/tables/"+name+"?purgeRequested=true"), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		r.t.Fatalf("drop %s: %s", name, answer.Status)
	}
	return answer.Header.Get("X-Request-Id")
}

// After the grace the files of a dropped table go, without being asked for again
// and also when another process finds the drop; the log tells of it, and nothing
// else goes.
func TestPurge(t *testing.T) {
	dir := t.TempDir()
	r, log := purging(t, dir, "grace: 24h")
	r.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	for _, name := range []string{"a", "ab", "b"} {
		r.made(dir, name)
	}
	foreign := filepath.Join(dir, "w", "a", "data", "foreign.parquet")
	if err := errors.Join(os.MkdirAll(filepath.Dir(foreign), 0o700), os.WriteFile(foreign, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	had := filesIn(t, dir+"/w")
	asked := r.dropped("a")
	r.stopped()
	if got := filesIn(t, dir+"/w"); !slices.Equal(got, had) || len(log) > 0 {
		t.Errorf("within the grace: files %q, %d lines", got, len(log))
	}

	r, log = purging(t, dir, "grace: 0s")
	if l := <-log; l.Message != "purge begins" || l.Name != "n.a" || l.RequestID != asked {
		t.Errorf("first %+v", l)
	}
	if l := <-log; l.Message != "purge is closed" || l.Level != "info" || l.RequestID != asked || l.Removed != 1 || l.Kept != 0 {
		t.Errorf("then %+v", l)
	}
	r.dropped("b")
	for _, want := range []string{"purge begins", "purge is closed"} {
		if l := <-log; l.Message != want || l.Name != "n.b" {
			t.Errorf("%s: %+v", want, l)
		}
	}
	if got := filesIn(t, dir+"/w"); len(got) != 2 || got[0] != "a/data/foreign.parquet" || !strings.HasPrefix(got[1], "ab/metadata/00000-") {
		t.Errorf("left: %q", got)
	}
	if out := squeezed(report(t, dir+"/puddle.yaml", codeDone, "status", "--json")); !strings.Contains(out, `"pending":0,"due":0,"active":true,"closed":2,"files":{"removed":2,`) {
		t.Errorf("status: %s", out)
	}
	r.stopped()
	out := report(t, dir+"/puddle.yaml", codeDone, "log", "--kind", "table-purged", "--json")
	if strings.Count(out, `"removed": 1`) != 2 || !strings.Contains(out, `"actor": "system:purge"`) {
		t.Errorf("log: %s", out)
	}
}

// In the other modes nothing is removed, not even what was asked for before.
func TestNoPurgeInOtherModes(t *testing.T) {
	dir := t.TempDir()
	r, _ := purging(t, dir, "grace: 24h")
	r.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	r.made(dir, "a")
	r.made(dir, "b")
	r.dropped("a")
	r.stopped()
	had := filesIn(t, dir+"/w")
	r, log := purging(t, dir, "mode: ignore, grace: 0s")
	r.dropped("b")
	if out := squeezed(report(t, dir+"/puddle.yaml", codeDone, "status", "--json")); !strings.Contains(out, `"pending":1,"due":1,`) || !strings.Contains(out, `"active":false`) {
		t.Errorf("status: %s", out)
	}
	r.stopped()
	if got := filesIn(t, dir+"/w"); !slices.Equal(got, had) || len(log) > 0 {
		t.Errorf("files %q, %d lines", got, len(log))
	}
}

// What a purge leaves is told in the log, with the reason.
func TestPurgeLeavesLinks(t *testing.T) {
	dir := t.TempDir()
	r, log := purging(t, dir, "grace: 0s")
	r.post("/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	r.made(dir, "a")
	folder := dir + "/w/a/metadata"
	if err := errors.Join(os.Rename(folder, dir+"/aside"), os.Symlink(dir+"/aside", folder)); err != nil {
		t.Fatal(err)
	}
	r.dropped("a")
	<-log // it begins
	if l := <-log; l.Message != "purge is closed" || l.Level != "warn" || l.Removed != 0 || l.Kept != 1 {
		t.Errorf("%+v", l)
	}
	if l := <-log; l.Message != "purge left" || l.Level != "warn" || !strings.HasPrefix(l.File, folder) || l.Reason == "" {
		t.Errorf("%+v", l)
	}
	r.stopped()
	if left := filesIn(t, dir+"/aside"); len(left) != 1 {
		t.Errorf("behind the link: %q", left)
	}
}

// One that cannot go on is told with what stops it; of many findings the log has
// the first.
func TestPurgeLog(t *testing.T) {
	log := make(told, 100)
	tells := purgeLog{zerolog.New(log), journal.NewMemory().Warehouse(uuid.New())}
	tells.ended(purge.Outcome{Result: purge.Waiting, Err: errors.New("the disk is on fire")})
	if l := <-log; l.Message != "purge waits" || l.Level != "warn" || l.Error != "the disk is on fire" {
		t.Errorf("%+v", l)
	}
	many := purge.Outcome{Result: purge.Closed}
	many.Report.Failed = findingsTold + 3
	for range many.Report.Failed {
		many.Report.Findings = append(many.Report.Findings, journal.PurgeFinding{Location: "f", Reason: "r"})
	}
	tells.ended(many)
	if len(log) != 1+findingsTold+1 {
		t.Fatalf("%d lines", len(log))
	}
	for range findingsTold + 1 {
		<-log
	}
	if l := <-log; !strings.HasPrefix(l.Message, "purge left more") || l.More != 3 {
		t.Errorf("%+v", l)
	}
}

// squeezed is a report without what sets its words apart.
func squeezed(report string) string { return strings.Join(strings.Fields(report), "") }
