package main

import (
	"regexp"
	"testing"

	"puddle/internal/postgrestest"
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
