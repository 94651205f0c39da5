package rest

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"puddle/journal"
)

// listed is what tests read of an event.
type listed struct {
	Seq       int
	ID        string
	Kind      string
	Actor     string
	Origin    string
	Hash      string
	Prev      string
	RequestID string `json:"request-id"`
	At        string
	Moves     []struct{ UUID string }
}

const eventsPath = "/api/puddle/v1/warehouses/default/events"

// events lists the newest first.
func (f *fixture) events(query string) []listed {
	f.t.Helper()
	events, _ := f.eventPage("order=desc&" + query)
	return events
}

func (f *fixture) eventPage(query string) (events []listed, next string) {
	f.t.Helper()
	var list struct {
		Events []listed
		Next   string
	}
	f.must(200, f.do("GET", eventsPath+"?"+query, "")).into(f.t, &list)
	return list.Events, list.Next
}

// story makes ten events: a birth, two namespaces, and what becomes of two
// tables that have one name after each other.
func story(t *testing.T) *fixture {
	f := serve(t, nil)
	f.ns("n") // 2
	f.ns("m")
	f.table("n", "t") // 4
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`))
	f.must(204, f.do("POST", v1+"/tables/rename", `{"source":{"namespace":["n"],"name":"t"},"destination":{"namespace":["m"],"name":"u"}}`))
	f.table("n", "t") // 7
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/t", ""))
	f.must(200, f.do("POST", v1+"/namespaces/m/tables/u", `{"updates":[{"action":"set-properties","updates":{"a":"c"}}]}`))
	f.must(200, f.do("POST", v1+"/namespaces/m/properties", `{"updates":{"k":"v"},"removals":["r"]}`)) // 10
	return f
}

func seqs(events []listed) (numbers []int) {
	for _, e := range events {
		numbers = append(numbers, e.Seq)
	}
	return numbers
}

func TestEventsAreSelected(t *testing.T) {
	f := story(t)
	all := f.events("")
	first, second := all[6].Moves[0].UUID, all[3].Moves[0].UUID
	at := func(seq int) string { return url.QueryEscape(all[10-seq].At) }
	for query, want := range map[string][]int{
		"":                                     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		"order=asc&limit=2000":                 {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		"order=desc&limit=3":                   {10, 9, 8},
		"after=seq:8":                          {9, 10},
		"after=seq:10":                         {},
		"after=seq:99":                         {},
		"until=seq:2":                          {1, 2},
		"until=seq:0":                          {},
		"until=seq:0&order=desc":               {},
		"until=seq:99":                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		"after=seq:3&until=seq:5":              {4, 5},
		"after=seq:3&until=seq:5&order=desc":   {5, 4},
		"after=seq:5&until=seq:3":              {},
		"after=" + at(8):                       {9, 10},
		"until=" + at(2) + "&order=desc":       {2, 1},
		"after=" + all[2].ID:                   {9, 10},
		"kind=tables-committed":                {5, 9},
		"kind=table-dropped&actor=anonymous":   {8},
		"actor=token:nobody":                   {},
		"actor=system:start":                   {1},
		"identifier=n.t":                       {4, 5, 6, 7, 8},
		"identifier=m.u":                       {6, 9},
		"identifier=n.t&kind=tables-committed": {5},
		"uuid=" + first:                        {4, 5, 6, 9},
		"uuid=" + second:                       {7, 8},
	} {
		events, next := f.eventPage(query)
		equal(t, query, seqs(events), want)
		if more := query == "order=desc&limit=3"; (next != "") != more {
			t.Errorf("%q: next %q", query, next)
		}
	}
}

// Pages follow each other without gap or repetition, whatever is selected, and
// an end that a page hits exactly is an end.
func TestEventPages(t *testing.T) {
	f := story(t)
	for _, query := range []string{"order=asc", "order=desc", "order=desc&after=seq:2&until=seq:9", "identifier=n.t&order=desc", "identifier=n.t"} {
		whole, _ := f.eventPage(query)
		for limit := 1; limit <= len(whole); limit++ {
			var got []listed
			for next := ""; ; {
				page, more := f.eventPage(fmt.Sprintf("%s&limit=%d%s", query, limit, next))
				if got = append(got, page...); more == "" {
					break
				}
				next = "&next=" + more
			}
			equal(t, query, seqs(got), seqs(whole))
		}
	}
}

// A page ends early when it is large or when little fits, and the next one goes
// on there.
func TestEventPagesEndEarly(t *testing.T) {
	from := story(t).options.Warehouses[0].Journal
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for name, c := range map[string]struct {
		query eventQuery
		want  []int
		pages int
	}{
		"large": {eventQuery{limit: 100, bytes: 1, asked: 100}, all, 10},
		"rare":  {eventQuery{limit: 100, bytes: 1 << 20, asked: 3, kind: journal.KindTablesCommitted}, []int{5, 9}, 4},
		"whole": {eventQuery{limit: 100, bytes: 1 << 20, asked: 10}, all, 1},
	} {
		q, got, pages := c.query, []int{}, 0
		for more := true; more; pages++ {
			list, err := q.page("default", from.Scan(t.Context(), q.after))
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range list.Events {
				var e listed
				if err := json.Unmarshal(raw, &e, json.MatchCaseInsensitiveNames(true)); err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Seq)
			}
			if more = list.Next != ""; more {
				next, err := journal.ParsePoint(list.Next)
				if err != nil {
					t.Fatal(err)
				}
				after, err := next.Bound(t.Context(), from)
				if err != nil || after <= q.after {
					t.Fatalf("%s: next %q after %d: %v", name, list.Next, q.after, err)
				}
				q.after = after
			}
		}
		if !slices.Equal(got, c.want) || pages != c.pages {
			t.Errorf("%s: %v on %d pages, want %v on %d", name, got, pages, c.want, c.pages)
		}
	}
}

// Hashes link the events of an answer, so that whoever keeps them can check them.
func TestEventsLink(t *testing.T) {
	events, _ := story(t).eventPage("")
	for i := 1; i < len(events); i++ {
		equal(t, fmt.Sprint("prev of ", events[i].Seq), events[i].Prev, events[i-1].Hash)
	}
}

func TestBadEventQueries(t *testing.T) {
	f := story(t)
	for _, query := range []string{"limit=0", "limit=x", "order=up", "after=yesterday", "until=", "next=x", "identifier=t", "identifier=%60n.t",
		"kind=", "kind=table-creatd", "uuid=x", "uuid=", "identifier=n.t&uuid=0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10", "color=red", "after=seq:1&after=seq:2",
		"after=0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10", "after=0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10:1"} {
		f.fails(f.do("GET", eventsPath+"?"+query, ""), 400, "BadRequestException")
	}
	f.fails(f.do("GET", "/api/puddle/v1/warehouses/nope/events", ""), 404, "NoSuchWarehouseException")
	f.fails(f.do("GET", "/api/puddle/v1/warehouses?x=1", ""), 400, "BadRequestException")
}
