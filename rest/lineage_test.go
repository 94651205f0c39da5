package rest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
)

// recovered is the story of ten events after a recovery that went back to the ninth: a
// new incarnation has the namespace m and the table m.u again.
func recovered(t *testing.T) *fixture {
	t.Helper()
	f := story(t)
	w := f.warehouses[0]
	var ninth journal.Event
	for e, err := range f.journal.Warehouse(w.id).Scan(t.Context(), 8) {
		if err != nil {
			t.Fatal(err)
		}
		ninth = e
		break
	}
	if err := f.stop(); err != nil {
		t.Fatal(err)
	}
	moved := ninth.Moves()[0]
	moved.From = nil
	chain := journal.NewChain(w.id, uuid.New(), 1_000_000)
	for _, body := range []journal.Body{
		journal.IncarnationStarted{Build: "test", Location: root(w.name), Name: w.name, Parent: &ninth.Position, Reason: "recovery"},
		journal.NamespaceCreated{ID: uuid.New(), Namespace: journal.Namespace{"m"}, Properties: map[string]string{}},
		journal.TableRegistered{Moves: [1]journal.Move{moved}},
	} {
		entry, next, err := chain.Next(journal.Draft{
			Warehouse: w.id, ID: uuid.Must(uuid.NewV7()), Body: body,
			Cause: journal.Cause{Actor: journal.SystemActor("recover"), Origin: journal.OriginCLI},
		}, f.clock.Read())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.journal.Append(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
		chain = next
	}
	f.start()
	return f
}

// Events, states, differences and the catalog as it was go through incarnations; what
// the recovery left behind is no part of the past.
func TestPastThroughIncarnations(t *testing.T) {
	f := recovered(t)
	whole := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000_001, 1_000_002, 1_000_003}
	events, _ := f.eventPage("")
	equal(t, "events", seqs(events), whole)
	var paged []int
	for next := ""; ; {
		events, more := f.eventPage("limit=5" + next)
		if paged = append(paged, seqs(events)...); more == "" {
			break
		}
		next = "&next=" + more
	}
	equal(t, "events in pages", paged, whole)
	for at, want := range map[string][]string{
		"seq:9":       {"[m] 0", "[n] 0", "table[m]u"},
		events[8].At:  {"[m] 0", "[n] 0", "table[m]u"},
		"seq:1000001": nil,
		"seq:1000003": {"[m] 0", "table[m]u"},
		"":            {"[m] 0", "table[m]u"},
	} {
		query := "at=" + at
		if at == "" {
			query = ""
		}
		if diff := cmp.Diff(want, f.state(query).names()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", at, diff)
		}
	}
	if _, got := f.diff("from=seq:9&to=seq:1000003"); len(got) != 2 {
		t.Errorf("difference: %q", got)
	}
	message := f.fails(f.do("GET", "/api/catalog/v1/config?warehouse=default@10", ""), 400, "BadRequestException")
	if want := `Query parameter "warehouse" after its @: seq:10 is no event: after seq:9 comes seq:1000001, with incarnation `; message[:len(want)] != want {
		t.Error(message)
	}
	f.fails(f.do("GET", then(10)+"/namespaces", ""), 404, "NoSuchWarehouseException")
	before := f.must(200, f.do("GET", then(9)+"/namespaces/m/tables/u", ""))
	store := f.stores["default"]
	for e, err := range store.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), e.Key); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.stop(); err != nil {
		t.Fatal(err)
	}
	f.start()
	for _, seq := range []int{9, 1_000_003} { // its own event has no document: the one before has
		equal(t, "document", string(f.must(200, f.do("GET", then(seq)+"/namespaces/m/tables/u", "")).body), string(before.body))
	}
	_, moves := f.history("identifier=m.u")
	equal(t, "history", moves, []int{4, 5, 6, 9, 1_000_003})
}

// What a recovery has left is read by the name of its incarnation: states, differences,
// events and the catalog as it was. No other incarnation is there to be read.
func TestPastThatWasLeft(t *testing.T) {
	f := recovered(t)
	old := f.state("at=seq:9").Incarnation
	left := fmt.Sprintf("%s:10", old)
	before, after := f.state("at=seq:9"), f.state("at="+left)
	if after.Incarnation != old || after.Seq != 10 || cmp.Equal(before.names(), after.names()) {
		t.Errorf("as of %s: %s:%d %q; before it %q", left, after.Incarnation, after.Seq, after.names(), before.names())
	}
	if _, got := f.diff("from=" + left + "&to=seq:1000003"); len(got) == 0 {
		t.Error("nothing differs")
	}
	for query, want := range map[string][]int{
		"after=" + old + ":8&until=" + left: {9, 10},
		"until=" + left + "&after=seq:7":    {8, 9, 10},
		"after=" + old + ":8":               {9, 1_000_001, 1_000_002, 1_000_003}, // of the lineage, too
		"after=" + left:                     nil,
	} {
		got, _ := f.eventPage(query)
		equal(t, query, seqs(got), want)
	}
	page, next := f.eventPage("order=desc&limit=2&until=" + left)
	rest, _ := f.eventPage("order=desc&limit=2&until=" + left + "&next=" + next)
	equal(t, "events in pages", append(seqs(page), seqs(rest)...), []int{10, 9, 8, 7})

	body := f.must(200, f.do("GET", "/api/catalog/v1/config?warehouse=default@"+left, "")).body
	if !strings.Contains(string(body), `"prefix":"default@`+left+`"`) {
		t.Errorf("configuration: %s", body)
	}
	then := "/api/catalog/v1/default@"
	for _, prefix := range []string{left, strings.Replace(left, ":", "%3A", 1)} {
		f.must(200, f.do("GET", then+prefix+"/namespaces", ""))
		f.fails(f.do("DELETE", then+prefix+"/namespaces/m", ""), 403, "ForbiddenException")
	}
	for _, prefix := range []string{old + ":11", uuid.NewString() + ":10", "x:10", ":10"} {
		f.fails(f.do("GET", then+prefix+"/namespaces", ""), 404, "NoSuchWarehouseException")
	}
	f.fails(f.do("GET", "/api/catalog/v1/config?warehouse=default@"+uuid.NewString()+":10", ""), 400, "BadRequestException")
}
