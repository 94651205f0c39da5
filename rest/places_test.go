package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
)

// files are the keys in a warehouse.
func (f *fixture) files(name string) map[string]bool {
	f.t.Helper()
	keys := map[string]bool{}
	for entry, err := range f.stores[name].List(f.t.Context(), "") {
		if err != nil {
			f.t.Fatal(err)
		}
		keys[entry.Key] = true
	}
	return keys
}

// asking is a body with a location; role is "location" or a property.
func asking(t testing.TB, body, role, location string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(location)
	if role == "location" {
		members[role] = quoted
	} else {
		members["properties"] = fmt.Appendf(nil, `{%q:%s}`, role, quoted)
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func tableBody(name string) string { return fmt.Sprintf(`{"name":%q,"schema":%s}`, name, schema) }

// Case 131: of 32 requests at once for one place, its parent and its child, by
// tables and views, made and registered, exactly one wins, over and over.
func TestCase131_PlacesAtOnce(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	const clients, rounds = 32, 40
	for round := range rounds {
		parent := fmt.Sprintf("%s/%d", root("default"), round)
		places := []string{parent, parent + "/place", parent + "/place/child", parent + "#x"}
		dropped := make([]string, clients)
		for i := 3; i < clients; i += 4 {
			name := fmt.Sprintf("dropped-%d-%d", round, i)
			var l loadedTable
			f.must(200, f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody(name), "location", places[i/4%len(places)]))).into(t, &l)
			f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/"+name, ""))
			dropped[i] = *l.Location
		}
		had := f.files("default")
		answers := make([]answer, clients)
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range clients {
			name, at := fmt.Sprintf("t-%d-%d", round, i), places[i/4%len(places)]
			send := map[int]func() answer{
				0: func() answer {
					return f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody(name), "location", at))
				},
				1: func() answer {
					return f.do("POST", v1+"/namespaces/n/views", asking(t, viewBody(name), "location", at))
				},
				2: func() answer {
					return f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody(name), "write.data.path", at))
				},
				3: func() answer { return f.do("POST", registerPath, registerBody(name, dropped[i])) },
			}[i%4]
			all.Go(func() {
				<-start
				answers[i] = send()
			})
		}
		close(start)
		all.Wait()
		f.oneWon(answers, had)
	}
}

// oneWon checks that of answers one is a success and made at most one file, and
// that the others are refusals of a place.
func (f *fixture) oneWon(answers []answer, had map[string]bool) {
	f.t.Helper()
	won := 0
	for _, a := range answers {
		if a.StatusCode == 200 {
			won++
			continue
		}
		if message := f.fails(a, 409, "AlreadyExistsException"); !strings.Contains(message, "overlaps") {
			f.t.Errorf("lost with %s", message)
		}
	}
	left := f.files("default")
	maps.DeleteFunc(left, func(key string, _ bool) bool { return had[key] })
	if won != 1 || len(left) > 1 {
		f.t.Errorf("%d won and left %v", won, left)
	}
}

// Cases 133, 138, 139 and 141: whatever the route, a location outside of the
// warehouse, of another warehouse, of the root, reserved or with dots is 400, one
// of another table is 409, and nothing is written.
func TestCase133_LocationsOverTheWire(t *testing.T) {
	f := serve(t, nil, "default", "other")
	f.ns("n")
	f.view("n", "v")
	f.table("n", "t")
	f.must(200, f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody("taken"), "location", root("default")+"/taken")))
	had := f.files("default")
	bad := map[string]string{
		root("other") + "/x": "outside", root("default"): "root", root("default") + "/_PUDDLE/x": "reserved", root("default") + "/a/../b": "dot segment",
		root("default") + "/a/%2e%2e/b": "dot segment", "s3://foreign/x": "outside", "FILE:" + strings.TrimPrefix(root("default"), "file://") + "/_puddle": "reserved",
	}
	for location, rule := range bad {
		f.everyRoute(func(role string, a answer) {
			if message := f.fails(a, 400, "BadRequestException"); !strings.Contains(message, role+` "`+location+`"`) || !strings.Contains(message, rule) {
				t.Errorf("%s: %s", location, message)
			}
		}, location)
		space := fmt.Sprintf(`{"namespace":["x"],"properties":{"location":%q}}`, location)
		f.fails(f.do("POST", v1+"/namespaces", space), 400, "BadRequestException")
		f.fails(f.do("POST", v1+"/namespaces/n/properties", fmt.Sprintf(`{"updates":{"location":%q}}`, location)), 400, "BadRequestException")
		if rule != "root" {
			f.fails(f.do("POST", registerPath, registerBody("x", location+"/metadata/v1.metadata.json")), 400, "BadRequestException")
		}
	}
	for _, location := range []string{"/taken", "/taken/x", "/taken#x"} {
		f.everyRoute(func(_ string, a answer) { f.fails(a, 409, "AlreadyExistsException") }, root("default")+location)
	}
	if left := f.files("default"); !maps.Equal(had, left) || len(f.files("other")) != 0 {
		t.Errorf("files: %v", left)
	}
}

// everyRoute asks for a location by each role on each route of tables and views.
// Case 142: no answer of a staged create has anything in its config.
func (f *fixture) everyRoute(check func(role string, a answer), location string) {
	f.t.Helper()
	const delegated = "X-Iceberg-Access-Delegation: vended-credentials"
	for _, role := range []string{"location", "write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path"} {
		update := fmt.Sprintf(`{"action":"set-properties","updates":{%q:%q}}`, role, location)
		if role == "location" {
			update = fmt.Sprintf(`{"action":"set-location","location":%q}`, location)
		}
		updates := fmt.Sprintf(`"requirements":[],"updates":[%s]`, update)
		create := asking(f.t, tableBody("x"), role, location)
		staged := strings.TrimSuffix(create, "}") + `,"stage-create":true}`
		for _, a := range []answer{
			f.do("POST", v1+"/namespaces/n/tables", create),
			f.do("POST", v1+"/namespaces/n/tables", staged, delegated),
			f.do("POST", v1+"/namespaces/n/tables/t", "{"+updates+"}"),
			f.do("POST", v1+"/transactions/commit", fmt.Sprintf(`{"table-changes":[{"identifier":{"namespace":["n"],"name":"t"},%s}]}`, updates)),
			f.do("POST", v1+"/namespaces/n/views", asking(f.t, viewBody("x"), role, location)),
			f.do("POST", v1+"/namespaces/n/views/v", "{"+updates+"}"),
		} {
			check(role, a)
		}
	}
}

// A location with "?" and "#" is the same in every answer, and so are the files
// below it (ADR 8).
func TestLocationsAreNoURLs(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	at := root("default") + "/a#b?c%20d"
	made := f.must(200, f.do("POST", v1+"/namespaces/n/tables", asking(t, tableBody("t"), "location", at)))
	f.must(200, f.do("POST", tablePath, setProperty("k", "v")))
	var l loadedTable
	f.must(200, f.do("GET", tablePath, "")).into(t, &l)
	if !strings.HasPrefix(*l.Location, at+"/metadata/00001-") || !strings.Contains(string(made.body), `"location":"`+at+`"`) {
		t.Errorf("%s: %s", *l.Location, made.body)
	}
	for key := range f.files("default") {
		if !strings.HasPrefix(key, "a#b?c%20d/metadata/0000") {
			t.Errorf("written: %s", key)
		}
	}
}
