package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"puddle/internal/s3test"
	"puddle/projections/anchor"
)

// looked has a server look at its warehouse now.
func (r *running) looked() {
	r.t.Helper()
	w := r.node.warehouses[0]
	r.node.heed(w, r.node.look(r.t.Context(), w))
}

// A warehouse that cannot be looked at is told, as long as it is so: in status, and in the
// log when it begins and when it ends. So it is where nothing is written.
func TestAWarehouseThatRefusesIsTold(t *testing.T) {
	server, log := s3test.Start(t), &logged{}
	c, file := overBucket(t, t.TempDir(), server, server.Bucket(t))
	r := startedWith(t, c, zerolog.New(log))
	server.Deny("s3:GetObject")
	r.looked()
	r.looked()
	out := report(t, file, codeWarnings, "status")
	for _, want := range []string{"warning: default: the warehouse cannot be looked at", "AccessDenied", "are access-key-id and secret-access-key right"} {
		if !strings.Contains(out, want) {
			t.Errorf("status does not say %q: %s", want, out)
		}
	}
	server.Deny()
	r.looked()
	for _, w := range r.node.troubles.all() {
		t.Errorf("it is told still: %+v", w)
	}
	if text := log.String(); strings.Count(text, "cannot be looked at") != 1 || strings.Count(text, "well again") != 1 {
		t.Errorf("log: %s", text)
	}
	r.stopped()
}

// An identity that is gone or damaged while a server runs is told before a restart is
// refused. Commits go on.
func TestAnIdentityThatGoesIsTold(t *testing.T) {
	dir := t.TempDir()
	c := configured(t, dir, "")
	r, file := started(t, c), filepath.Join(dir, "puddle.yaml")
	identity := filepath.Join(c.Warehouses[0].Root.Folder(), anchor.IdentityKey)
	text, err := os.ReadFile(identity)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"gone":    func() error { return os.Remove(identity) },
		"damaged": func() error { return os.WriteFile(identity, text[:len(text)/2], 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		r.looked()
		if out := report(t, file, codeWarnings, "status"); !strings.Contains(out, "_puddle/warehouse.json") || !strings.Contains(out, "put it back") {
			t.Errorf("%s: %s", name, out)
		}
		if status := r.post("/api/catalog/v1/namespaces", `{"namespace":["`+name+`"]}`); status != http.StatusOK {
			t.Errorf("%s: a change is answered %d", name, status)
		}
		if err := os.WriteFile(identity, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r.looked()
		report(t, file, codeDone, "status")
	}
	r.stopped()
}
