package rest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/access"
	"puddle/rest/access/vended"
)

const tablesPath = v1 + "/namespaces/n/tables"

// staging is a CreateTableRequest for a staged table, with a location unless it is empty.
func staging(t testing.TB, name, location string) string {
	t.Helper()
	body := strings.Replace(tableBody(name), "{", `{"stage-create":true,`, 1)
	if location == "" {
		return body
	}
	return asking(t, body, "location", location)
}

// creating is the commit that makes a staged table.
func creating(id, location string) string {
	return fmt.Sprintf(`{"requirements":[{"type":"assert-create"}],"updates":[{"action":"assign-uuid","uuid":%q},
		{"action":"upgrade-format-version","format-version":2},{"action":"add-schema","schema":%s},{"action":"set-current-schema","schema-id":-1},
		{"action":"add-spec","spec":{"fields":[]}},{"action":"set-default-spec","spec-id":-1},
		{"action":"add-sort-order","sort-order":{"order-id":0,"fields":[]}},{"action":"set-default-sort-order","sort-order-id":-1},
		{"action":"set-location","location":%q}]}`, id, schema, location)
}

// Case 142: whatever location a client chooses, credentials follow the checks: none for
// another's place, the root, above it, outside, or the reserved folder.
func TestCase142_NothingIsVendedBeforeTheChecks(t *testing.T) {
	f, issuer := serveVending(t, nil)
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("t"), "location", "s3://lake/default/t")))
	for location, status := range map[string]int{
		"s3://lake/default/t": 409, "s3a://lake/default/t/": 409, "s3://lake/default/t/deeper": 409, "s3://lake/default/t#x": 409,
		"s3://lake/default": 400, "s3://lake": 400, "s3://lake/": 400, "s3://lake/other": 400, "s3://elsewhere/t": 400, "file:///tmp/t": 400,
		"s3://lake/default/_puddle": 400, "s3://lake/default/_PUDDLE/x": 400, "s3://lake/default/_puddle/catalog": 400,
		"s3://lake/default/a/../t": 400, "s3://lake/default//t": 400, "s3://lake/default/%5fpuddle": 400,
	} {
		if a := f.do("POST", tablesPath, staging(t, "s", location), vend); a.StatusCode != status {
			t.Errorf("%s: %d %s", location, a.StatusCode, a.body)
		}
		for _, role := range []string{"write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path"} {
			if a := f.do("POST", tablesPath, asking(t, staging(t, "s", ""), role, location), vend); a.StatusCode != status {
				t.Errorf("%s %s: %d %s", role, location, a.StatusCode, a.body)
			}
		}
	}
	f.fails(f.do("POST", tablesPath, staging(t, "t", ""), vend), 409, "AlreadyExistsException")
	equal(t, "calls", issuer.asked(), 0)
}

// Case 142: while credentials reach the place of a staged table, nothing else gets it,
// on any route. The table itself does.
func TestCase142_StagedPlacesAreBooked(t *testing.T) {
	f, issuer := serveVending(t, nil)
	staged := f.delegated(f.do("POST", tablesPath, staging(t, "s", "s3://lake/default/s"), vend))
	want, _ := vended.WritePolicy().For("aws", vended.Place{Bucket: "lake", Prefix: "default/s/"})
	equal(t, "policy", issuer.policy(), want)
	dropped := f.droppedAt("s3://lake/default/old")
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("mover"), "location", "s3://lake/default/m")))
	for _, location := range []string{"s3://lake/default/s", "s3n://lake/default/s/", "s3://lake/default/s/x", "s3://lake/default/s?x"} {
		for what, a := range map[string]answer{
			"create": f.do("POST", tablesPath, asking(t, tableBody("x"), "location", location)),
			"stage":  f.do("POST", tablesPath, staging(t, "x", location)),
			"vended": f.do("POST", tablesPath, staging(t, "x", location), vend),
			"view":   f.do("POST", v1+"/namespaces/n/views", asking(t, viewBody("x"), "location", location)),
			"move":   f.do("POST", tablesPath+"/mover", `{"updates":[{"action":"set-location","location":"`+location+`"}]}`),
			"commit": f.do("POST", tablesPath+"/x", creating(uuid.NewString(), location)),
		} {
			if message := f.fails(a, 409, "AlreadyExistsException"); !strings.Contains(message, "booked until") || strings.Contains(message, staged.Metadata.UUID) {
				t.Errorf("%s: %s", what, message)
			}
		}
	}
	f.must(200, f.do("POST", tablesPath, asking(t, tableBody("ss"), "location", "s3://lake/default/ss")))
	f.must(200, f.do("POST", registerPath, registerBody("old", dropped)))
	f.must(200, f.do("POST", tablesPath+"/s", creating(staged.Metadata.UUID, "s3://lake/default/s"), vend))
	f.delegated(f.do("GET", tablesPath+"/s", "", vend))
	equal(t, "calls", issuer.asked(), 1) // and the same credentials go on
}

// droppedAt makes and drops a table at a location, and answers its file.
func (f *fixture) droppedAt(location string) string {
	f.t.Helper()
	var l loadedTable
	f.must(200, f.do("POST", tablesPath, asking(f.t, tableBody("dropped"), "location", location))).into(f.t, &l)
	f.must(204, f.do("DELETE", tablesPath+"/dropped", ""))
	return *l.Location
}

// What is booked ends with the credentials, and is not booked when there are none.
func TestStagedPlacesAreFreeAgain(t *testing.T) {
	f, issuer := serveVending(t, nil)
	const at = "s3://lake/default/s"
	issuer.fail(errors.New("down"))
	f.must(503, f.do("POST", tablesPath, staging(t, "s", at), vend))
	f.must(200, f.do("POST", tablesPath, staging(t, "x", at)))
	issuer.fail(nil)
	f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend))
	f.must(409, f.do("POST", tablesPath, staging(t, "x", at)))
	f.clock.forward(time.Hour)
	f.delegated(f.do("POST", tablesPath, staging(t, "x", at), vend))
	f.must(409, f.do("POST", tablesPath, staging(t, "s", at), vend))
}

// Who stages the same table again, as after a write that failed, is not in their own
// way. Others are kept out, also under that name, and the last one staged can be made.
func TestStagedAgain(t *testing.T) {
	f, _ := serveVending(t, nil)
	guard, err := access.NewGuard(access.Token{Name: "a", SHA256: journal.Sum([]byte("a"))}, access.Token{Name: "b", SHA256: journal.Sum([]byte("b"))})
	if err != nil {
		t.Fatal(err)
	}
	f.handler.(*server).Access = guard
	const at, mine, theirs = "s3://lake/default/s", "Authorization: Bearer a", "Authorization: Bearer b"
	first := f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend, mine))
	f.must(409, f.do("POST", tablesPath, staging(t, "s", at), vend, theirs))
	second := f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend, mine))
	f.must(409, f.do("POST", tablesPath+"/s", creating(first.Metadata.UUID, at), mine))
	f.must(200, f.do("POST", tablesPath+"/s", creating(second.Metadata.UUID, at), mine))
}

// A write that takes longer than its credentials live gets new ones, and its place stays
// booked. Nobody else does.
func TestStagedTableIsWrittenForLong(t *testing.T) {
	f, issuer := serveVending(t, nil)
	const at = "s3://lake/default/s"
	f.delegated(f.do("POST", tablesPath, staging(t, "s", at), vend))
	policy := issuer.policy()
	for range 3 {
		f.clock.forward(50 * time.Minute)
		var answer struct {
			Credentials []credential `json:"storage-credentials"`
		}
		f.must(200, f.do("GET", tablesPath+"/s/credentials", "")).into(t, &answer)
		equal(t, "prefix", answer.Credentials[0].Prefix, at+"/")
		equal(t, "policy", issuer.policy(), policy)
		f.must(409, f.do("POST", tablesPath, staging(t, "x", at), vend))
	}
	f.fails(f.do("GET", tablesPath+"/x/credentials", ""), 404, "NoSuchTableException")
	f.fails(f.do("GET", strings.Replace(tablesPath, "default", "default@2", 1)+"/s/credentials", ""), 404, "NoSuchTableException")
	guard, err := access.NewGuard(access.Token{Name: "b", SHA256: journal.Sum([]byte("b"))})
	if err != nil {
		t.Fatal(err)
	}
	f.handler.(*server).Access = guard
	f.fails(f.do("GET", tablesPath+"/s/credentials", "", "Authorization: Bearer b"), 404, "NoSuchTableException")
	f.clock.forward(time.Hour)
	f.must(200, f.do("POST", tablesPath, staging(t, "x", at), vend, "Authorization: Bearer b"))
}

// An answer to an Idempotency-Key is kept without its credentials; whoever repeats the
// request gets new ones.
func TestCredentialsAreNotKeptWithKeys(t *testing.T) {
	f, issuer := serveVending(t, nil)
	for _, body := range []string{staging(t, "s", ""), tableBody("t")} {
		key := "Idempotency-Key: " + uuid.Must(uuid.NewV7()).String()
		first := f.delegated(f.do("POST", tablesPath, body, vend, key))
		again := f.delegated(f.do("POST", tablesPath, body, vend, key))
		equal(t, "again", again, first)
		a := f.must(200, f.do("POST", tablesPath, body, key))
		if strings.Contains(string(a.body), "HUSH") {
			t.Errorf("%s", a.body)
		}
		issuer.fail(errors.New("down"))
		f.do("POST", tablesPath, strings.Replace(body, "{", `{"properties":{"a":"b"},`, 1), vend, "Idempotency-Key: "+uuid.Must(uuid.NewV7()).String())
		issuer.fail(nil)
	}
	for e, err := range f.journal.Warehouse(f.warehouses[0].id).Scan(t.Context(), 0) {
		if text := fmt.Sprintf("%+v", e); err != nil || strings.Contains(text, "HUSH") || strings.Contains(text, "TOKEN-") {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// Case 131: of those who create a table at a place and those who stage one there with
// credentials, at the same moment, exactly one has it. Who is told that the place is being
// given away at this moment comes again.
func TestCase131_StagedAndMadeAtOnce(t *testing.T) {
	f, _ := serveVending(t, nil)
	const clients, rounds = 8, 20
	for round := range rounds {
		at := fmt.Sprintf("s3://lake/default/%d", round)
		won := make(chan int, clients)
		for i := range clients {
			name := fmt.Sprintf("t%d_%d", round, i)
			body := asking(t, tableBody(name), "location", at)
			if i%2 == 0 {
				body = staging(t, name, at+"/deeper")
			}
			go func() {
				a := f.do("POST", tablesPath, body, vend)
				for a.StatusCode == 503 {
					a = f.do("POST", tablesPath, body, vend)
				}
				won <- a.StatusCode
			}()
		}
		winners := 0
		for range clients {
			switch status := <-won; status {
			case 200:
				winners++
			case 409:
			default:
				t.Errorf("round %d: %d", round, status)
			}
		}
		if winners != 1 {
			t.Errorf("round %d: %d have it", round, winners)
		}
	}
}
