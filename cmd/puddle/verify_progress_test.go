package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/recover/verify"
)

// diskNode serves a catalog with some tables, kept on disk.
func diskNode(t *testing.T, tables int) *node {
	t.Helper()
	c := configured(t, t.TempDir(), "")
	n := served(t, c)
	n.answered(t, "POST", "/api/catalog/v1/namespaces", `{"namespace":["n"]}`)
	for i := range tables {
		n.answered(t, "POST", "/api/catalog/v1/namespaces/n/tables", fmt.Sprintf(`{"name":"t%d","location":"%s/t%d","schema":{"type":"struct","fields":[]}}`,
			i, c.Warehouses[0].Root.URL, i))
	}
	return n
}

// heard is what a verification says, but for how far it is.
func heard(ctx context.Context, n *node, asked verifyRequest, every func(verifyLine)) (summary verify.Summary, said []string, end verifyEnd) {
	v := n.verification(asked)
	v.say = func(line verifyLine) {
		every(line)
		switch {
		case line.Summary != nil:
			summary = *line.Summary
		case line.Finding != nil:
			said = append(said, line.Finding.String())
		case line.Unseen != nil:
			said = append(said, line.Unseen.Message)
		case line.End != nil:
			end = *line.End
		}
	}
	v.run(ctx)
	return summary, said, end
}

// TestVerifyResume stops a verify in the middle: with --resume the next one goes on, says
// so, and tells what one run would have told.
func TestVerifyResume(t *testing.T) {
	n := diskNode(t, 40)
	kept := progressPath(n.config.DataDir)
	gone, err := filepath.Glob(filepath.Join(n.config.Warehouses[0].Root.Folder(), "t*7", "metadata", "*.json"))
	if err != nil || len(gone) == 0 {
		t.Fatal(err, gone)
	}
	for _, at := range gone {
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
	asked := verifyRequest{Level: 4, Sample: 1, Seed: 1}
	want, found, _ := heard(t.Context(), n, asked, func(verifyLine) {})
	if len(found) != len(gone) || want.Objects != 40 {
		t.Fatalf("found %q, %+v", found, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, _, end := heard(ctx, n, asked, func(line verifyLine) {
		if p := line.Progress; p != nil && p.Level == 3 && p.Done == 25 {
			stop()
		}
	})
	if _, err := os.Stat(kept); err != nil || end.Error == "" {
		t.Fatalf("stopped: %v, %+v", err, end)
	}
	asked.Resume = true
	summary, again, end := heard(t.Context(), n, asked, func(line verifyLine) {
		if p := line.Progress; p != nil && p.Level == 3 && p.Done <= 20 {
			t.Errorf("it looks at object %d again", p.Done)
		}
	})
	if !slices.Equal(again, found) || end.Error != "" || !strings.Contains(summary.Resumed, "42 events, ") || end.Began.IsZero() {
		t.Errorf("found %q, want %q; %+v, %+v", again, found, summary, end)
	}
	if _, err := os.Stat(kept); !os.IsNotExist(err) {
		t.Errorf("what was kept is still there: %v", err)
	}
	summary, again, _ = heard(t.Context(), n, asked, func(verifyLine) {})
	if !slices.Equal(again, found) || summary.Resumed != "nothing: no run was stopped; it began anew" {
		t.Errorf("with nothing to go on with: %q, %+v", again, summary)
	}
}

// TestVerifyBesideCommits verifies with the tables and the fold in files while tables are
// committed to: nothing is found, and what is not looked at is said.
func TestVerifyBesideCommits(t *testing.T) {
	n := diskNode(t, 5)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			n.answered(t, "POST", "/api/catalog/v1/namespaces/n/tables/t0", fmt.Sprintf(`{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"%d"}}]}`, i))
		}
	}()
	for range 10 {
		pages := verifyPages{}
		summary, said, end := heard(t.Context(), n, verifyRequest{Level: 4, Sample: 1}, func(line verifyLine) {
			if line.Pages != nil {
				pages = *line.Pages
			}
		})
		if len(said) > 0 || end.Error != "" || !strings.HasPrefix(summary.Tables, "equal at") || pages.LookedAt == (pages.Reason != "") {
			t.Errorf("said %q, %+v, %+v, %+v", said, summary, end, pages)
		}
	}
	stop.Store(true)
	<-done
	if _, err := os.Stat(filepath.Join(n.config.DataDir, verifyFolder)); !os.IsNotExist(err) {
		t.Errorf("it leaves its folder: %v", err)
	}
}

// TestProgressFile: what was kept is gone on with only by a run of the same options, soon
// enough, and when it reads.
func TestProgressFile(t *testing.T) {
	now := time.Now()
	asked := verifyRequest{Level: 4, Sample: 0.5, Seed: 9}
	path := filepath.Join(t.TempDir(), "p.json")
	f := progressFile{path: path}
	f.begin(&asked, now)
	id := uuid.New()
	f.reached(verify.Progress{Warehouse: id, Damaged: true})
	if err := f.end(false); err != nil {
		t.Fatal(err)
	}
	with := func(change func(*verifyRequest)) verifyRequest {
		r := verifyRequest{Level: 4, Sample: 0.5, Seed: 1, Resume: true}
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		asked verifyRequest
		at    time.Time
		ok    bool
	}{
		"same":        {with(func(*verifyRequest) {}), now, true},
		"with repair": {with(func(r *verifyRequest) { r.Repair = true }), now, true},
		"not asked":   {with(func(r *verifyRequest) { r.Resume = false }), now, false},
		"level":       {with(func(r *verifyRequest) { r.Level = 3 }), now, false},
		"sample":      {with(func(r *verifyRequest) { r.Sample = 1 }), now, false},
		"warehouse":   {with(func(r *verifyRequest) { r.Warehouse = "w" }), now, false},
		"old":         {with(func(*verifyRequest) {}), now.Add(8 * 24 * time.Hour), false},
	} {
		f := progressFile{path: path}
		began := f.begin(&c.asked, c.at)
		p := f.of(id)
		if ok := p != nil; ok != c.ok || ok && (!p.Damaged || c.asked.Seed != 9 || !began.Equal(now)) || (f.unusable == "") != (c.ok || !c.asked.Resume) {
			t.Errorf("%s: %+v, %q", name, p, f.unusable)
		}
	}
	for _, text := range []string{"", "{", `{"format":9}`, "[]"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, r := progressFile{path: path}, with(func(*verifyRequest) {})
		if f.begin(&r, now); f.of(id) != nil || f.unusable == "" {
			t.Errorf("of %q: %q", text, f.unusable)
		}
	}
	if err := f.end(true); err != nil {
		t.Error(err)
	}
	if err := f.end(true); err != nil {
		t.Error(err)
	}
}
