package main

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"puddle/internal/postgrestest"
	"puddle/projections/anchor"
)

// While nobody follows, as when a copy of the database has brought a lease along from a
// server whose clock was ahead, every replica says for how long the warehouse has been
// behind.
func TestNobodyFollows(t *testing.T) {
	url, dir := postgrestest.Open(t), t.TempDir()
	started(t, replica(t, dir, url, 1, "")).stopped()
	execute(t, url, `DELETE FROM puddle.leases`, `INSERT INTO puddle.leases
		SELECT warehouse, 'followers', gen_random_uuid(), (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 3600000 FROM puddle.heads`)
	r := started(t, replica(t, dir, url, 2, ""))
	r.make("", `{"namespace":["a"]}`)
	late := regexp.MustCompile(`"sidecars":\{"seq":1,"behind":1,"age":[1-9].*"archive":\{[^}]*"behind":1,"lag-seconds":[0-9.e-]*[1-9]`)
	for page := ""; !late.MatchString(page); {
		if page = r.page("/api/puddle/v1/status"); regexp.MustCompile(`"behind":0,"(age|lag-seconds)`).MatchString(page) {
			t.Fatalf("somebody follows: %s", page)
		}
	}
}

// What lies in the warehouse of another history is not how far another replica has come,
// however high its seq is.
func TestWhatIsSeenElsewhereIsOfTheJournal(t *testing.T) {
	url, dir := postgrestest.Open(t), t.TempDir()
	started(t, replica(t, dir, url, 1, "")).stopped()
	execute(t, url, `DELETE FROM puddle.leases`, `INSERT INTO puddle.leases
		SELECT warehouse, 'followers', gen_random_uuid(), (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 3600000 FROM puddle.heads`)
	r := started(t, replica(t, dir, url, 2, ""))
	own := r.node.warehouses[0].roots[0].Store
	head, _, err := anchor.ReadHead(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	head.Incarnation, head.Seq = uuid.New(), 1<<20
	if err := anchor.Raise(t.Context(), own, head); err != nil {
		t.Fatal(err)
	}
	page := r.page("/api/puddle/v1/status")
	if !regexp.MustCompile(`"anchor":\{"seq":0,"behind":1,"failed":0,"lag-seconds":[0-9]+,"error":"[^"]*another history[^"]*","elsewhere":true`).MatchString(page) {
		t.Errorf("the anchor is of another history: %s", page)
	}
	if status := r.ready(); status != http.StatusServiceUnavailable {
		t.Errorf("it has seen a second writer: ready is %d", status)
	}
	r.stopped()
}
