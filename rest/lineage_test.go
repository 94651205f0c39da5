package rest

import (
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
