package rest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// What is booked for a table ends when it is made: who staged it gets its place no more
// than anybody else does, and whoever loads it is not in the way of what was booked.
func TestStagedAgainAfterARename(t *testing.T) {
	f, issuer := serveVending(t, nil)
	const at = "s3://lake/default/s"
	staged := f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend))
	f.must(200, f.do("POST", tablesPath+"/s", creating(staged.Metadata.UUID, at)))
	f.must(204, f.do("POST", v1+"/tables/rename", `{"source":{"namespace":["n"],"name":"s"},"destination":{"namespace":["n"],"name":"s2"}}`))
	calls := issuer.asked()
	f.fails(f.do("POST", tablesPath, staging(t, "s", at), vend), 409, "AlreadyExistsException")
	f.fails(f.do("POST", tablesPath, staging(t, "s", at+"/deeper"), vend), 409, "AlreadyExistsException")
	f.fails(f.do("POST", tablesPath, staging(t, "s", at)), 409, "AlreadyExistsException")
	f.fails(f.do("GET", tablesPath+"/s/credentials", ""), 404, "NoSuchTableException")
	equal(t, "calls", issuer.asked(), calls)
	f.delegated(f.do("GET", tablesPath+"/s2", "", vend))
}

// A table that was dropped leaves nothing booked and no credentials to be had, also where
// clients take its location for another.
func TestRenewAfterADrop(t *testing.T) {
	f, issuer := serveVending(t, nil)
	const at = "s3://lake/default/a#b?c"
	first := f.do("POST", tablesPath, staging(t, "s", "s3://lake/default/a#b"), vend)
	staged := f.delegated(first)
	f.must(200, f.do("POST", tablesPath+"/s", creating(staged.Metadata.UUID, "s3://lake/default/a#b")))
	f.must(204, f.do("DELETE", tablesPath+"/s", ""))
	calls := issuer.asked()
	f.fails(f.do("GET", tablesPath+"/s/credentials", ""), 404, "NoSuchTableException")
	equal(t, "calls", issuer.asked(), calls)
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("next"), "location", at)))
	f.fails(f.do("GET", tablesPath+"/s/credentials", ""), 404, "NoSuchTableException")
}

// An answer that an idempotency key keeps is no way to the place of a table that was made.
func TestStagedByKeyAfterTheCommit(t *testing.T) {
	f, issuer := serveVending(t, nil)
	key := "Idempotency-Key: " + uuid.Must(uuid.NewV7()).String()
	const at = "s3://lake/default/s"
	body := staging(t, "s", at)
	staged := f.delegated(f.do("POST", tablesPath, body, vend, key))
	f.must(200, f.do("POST", tablesPath+"/s", creating(staged.Metadata.UUID, at)))
	f.must(204, f.do("DELETE", tablesPath+"/s", ""))
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)))
	calls := issuer.asked()
	f.fails(f.do("POST", tablesPath, body, vend, key), 409, "AlreadyExistsException")
	f.must(204, f.do("DELETE", tablesPath+"/x", ""))
	f.fails(f.do("POST", tablesPath, body, vend, key), 409, "AlreadyExistsException")
	equal(t, "calls", issuer.asked(), calls)
}

// A place stays booked while credentials live, also where the clock of STS is behind, by which
// they are over as soon as they are made.
func TestBookedByAnotherClock(t *testing.T) {
	f, issuer := serveVending(t, nil)
	issuer.behind = 3 * time.Hour
	const at = "s3://lake/default/s"
	f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend))
	f.fails(f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)), 409, "AlreadyExistsException")
	f.clock.forward(59 * time.Minute)
	f.fails(f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)), 409, "AlreadyExistsException")
	f.clock.forward(2 * time.Minute)
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)))
}

// Whoever stages and fails for ever, or asks for new credentials for ever, gives the place
// back after a day.
func TestPlacesAreNotBookedForEver(t *testing.T) {
	f, _ := serveVending(t, nil)
	const at = "s3://lake/default/s"
	for again := range 2 {
		status := 200
		for passed := time.Duration(0); status == 200; passed += 30 * time.Minute {
			a := f.do("POST", tablesPath, staging(t, "s", at), vend)
			if again == 1 && passed > 0 {
				a = f.do("GET", tablesPath+"/s/credentials", "")
			}
			if status = a.StatusCode; status == 200 && passed > 25*time.Hour {
				t.Fatal("it is booked for ever")
			}
			f.clock.forward(30 * time.Minute)
		}
		f.clock.forward(time.Hour)
	}
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)))
}

// Credentials that nobody could make leave nothing booked, however many asked.
func TestNothingIsBookedWithoutCredentials(t *testing.T) {
	f, issuer := serveVending(t, nil)
	issuer.fail(errors.New("down"))
	const at, clients = "s3://lake/default/s", 8
	done := make(chan int, clients)
	for range clients {
		go func() { done <- f.do("POST", tablesPath, staging(t, "s", at), vend).StatusCode }()
	}
	for range clients {
		equal(t, "status", <-done, 503)
	}
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("x"), "location", at)))
}

// Two actors whose names begin alike have sessions of their own.
func TestActorsOfLongNames(t *testing.T) {
	f, issuer := serveVending(t, nil)
	const long = "the-team-that-loads-the-orders-of-"
	guard, err := access.NewGuard(access.Token{Name: long + "a", SHA256: journal.Sum([]byte("a"))}, access.Token{Name: long + "b", SHA256: journal.Sum([]byte("b"))})
	if err != nil {
		t.Fatal(err)
	}
	f.must(200, f.do("POST", tablesPath, tableBody("t")))
	f.handler.(*server).Access = guard
	keys := map[string]bool{}
	for i := range 4 {
		d := f.delegated(f.do("GET", tablePath, "", vend, fmt.Sprintf("Authorization: Bearer %c", "ab"[i%2])))
		keys[d.Config["s3.access-key-id"]] = true
	}
	equal(t, "credentials", len(keys), 2)
	if len(issuer.sessions) != 2 || issuer.sessions[0] == issuer.sessions[1] {
		t.Error(issuer.sessions)
	}
}

// What another replica has recorded counts more than what is booked here.
func TestBookingsAndReplicas(t *testing.T) {
	f, issuer := serveVending(t, nil)
	options := f.options
	options.Warehouses = slices.Clone(options.Warehouses)
	options.Warehouses[0].Catalog = catalog.New(options.Warehouses[0].Catalog.Options)
	here, there := f.handler, New(options)
	staged := f.delegated(f.do("POST", tablesPath, staging(t, "s", "s3://lake/default/s"), vend))
	f.delegated(f.do("POST", tablesPath, staging(t, "u", "s3://lake/default/u"), vend))
	f.handler = there
	f.must(200, f.do("POST", tablesPath+"/s", creating(staged.Metadata.UUID, "s3://lake/default/s")))
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("other"), "location", "s3://lake/default/u")))
	f.handler = here
	f.delegated(f.do("GET", tablesPath+"/other", "", vend))
	f.fails(f.do("GET", tablesPath+"/u/credentials", ""), 404, "NoSuchTableException")
	f.delegated(f.do("GET", tablesPath+"/s", "", vend))
	f.handler = there
	f.must(204, f.do("DELETE", tablesPath+"/s", ""))
	f.handler = here
	calls := issuer.asked()
	f.fails(f.do("GET", tablesPath+"/s/credentials", ""), 404, "NoSuchTableException")
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("next"), "location", "s3://lake/default/s/x")))
	equal(t, "calls", issuer.asked(), calls)
}
