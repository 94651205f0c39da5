package rest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	statePath = "/api/puddle/v1/warehouses/default/state"
	diffPath  = "/api/puddle/v1/warehouses/default/diff"
)

// stated is what tests read of a state.
type stated struct {
	Incarnation string
	Seq         int
	At          string
	Namespaces  []struct {
		Namespace  []string
		Properties map[string]string
	}
	Objects []struct {
		Kind             string
		Identifier       struct{ Namespace, Name any }
		MetadataLocation string `json:"metadata-location"`
		Present          *bool
	}
	Next string
}

func (f *fixture) state(query string) stated {
	f.t.Helper()
	var s stated
	f.must(200, f.do("GET", statePath+"?"+query, "")).into(f.t, &s)
	return s
}

func (s stated) names() (names []string) {
	for _, n := range s.Namespaces {
		names = append(names, fmt.Sprint(n.Namespace, len(n.Properties)))
	}
	for _, o := range s.Objects {
		names = append(names, fmt.Sprint(o.Kind, o.Identifier.Namespace, o.Identifier.Name))
	}
	return names
}

// What there was is told as of every event, as of now where none is named, in one
// order and on pages of any size.
func TestState(t *testing.T) {
	f := story(t)
	for at, want := range map[string][]string{
		"seq:1":  nil,
		"seq:4":  {"[m] 0", "[n] 0", "table[n]t"},
		"seq:6":  {"[m] 0", "[n] 0", "table[m]u"},
		"seq:7":  {"[m] 0", "[n] 0", "table[m]u", "table[n]t"},
		"seq:10": {"[m] 1", "[n] 0", "table[m]u"},
	} {
		got := f.state("at=" + at)
		if diff := cmp.Diff(want, got.names()); diff != "" || "seq:"+fmt.Sprint(got.Seq) != at {
			t.Errorf("%s: seq %d (-want +got):\n%s", at, got.Seq, diff)
		}
		for limit := 1; limit <= 5; limit++ {
			var paged []string
			for query := fmt.Sprintf("at=%s&limit=%d", at, limit); query != ""; {
				page := f.state(query)
				if paged = append(paged, page.names()...); len(page.names()) > limit {
					t.Errorf("%d entries of %d", len(page.names()), limit)
				}
				query = ""
				if page.Next != "" {
					query = fmt.Sprintf("at=%s&limit=%d&next=%s", at, limit, page.Next)
				}
			}
			if diff := cmp.Diff(want, paged); diff != "" {
				t.Errorf("%s in pages of %d (-want +got):\n%s", at, limit, diff)
			}
		}
	}
	equal(t, "now", f.state("").Seq, 10)
	pointer := f.state("at=seq:9").Objects[0].MetadataLocation
	history, _ := f.history("identifier=m.u")
	if pointer == "" || len(history.Moves) != 4 {
		t.Errorf("pointer %q, history %v", pointer, history)
	}
}

// Case 159: a pointer of the past may have lost its file, which is told to who asks.
func TestCase159_MissingFilesAreTold(t *testing.T) {
	f := story(t)
	if got := f.state("at=seq:4").Objects[0].Present; got != nil {
		t.Errorf("present without asking: %v", *got)
	}
	object := f.state("at=seq:4&check=true").Objects[0]
	if object.Present == nil || !*object.Present {
		t.Error("a file that is there is missing")
	}
	_, key, _ := strings.Cut(object.MetadataLocation, root("default")+"/")
	if err := f.stores["default"].Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if got := f.state("at=seq:4&check=true").Objects[0].Present; got == nil || *got {
		t.Error("a file that is gone is there")
	}
	f.options.Warehouses[0].Present = func(context.Context, string) (bool, error) { return false, errors.New("away") }
	f.handler = New(f.options)
	f.fails(f.do("GET", statePath+"?at=seq:4&check=true", ""), 503, "SlowDownException")
	f.options.Warehouses[0].Present = nil
	f.handler = New(f.options)
	f.fails(f.do("GET", statePath+"?check=true", ""), 406, "UnsupportedOperationException")
}

// Case 159: as of any event a transaction is there or not.
func TestCase159_TransactionsAreWhole(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "a")
	f.table("n", "b")
	change := `{"identifier":{"namespace":["n"],"name":"%s"},"updates":[{"action":"set-properties","updates":{"k":"v"}}]}`
	f.must(204, f.do("POST", v1+"/transactions/commit", fmt.Sprintf(`{"table-changes":[`+change+`,`+change+`]}`, "a", "b")))
	if _, got := f.diff("from=seq:4&to=seq:5"); len(got) != 2 {
		t.Errorf("the transaction: %q", got)
	}
	f.fails(f.do("GET", "/api/catalog/v1/config?warehouse=default@6", ""), 400, "BadRequestException")
}

func TestBadStates(t *testing.T) {
	f := story(t)
	next := f.state("at=seq:9&limit=1").Next
	for _, query := range []string{"at=", "at=seq:0", "at=seq:11", "at=2099-01-01T00:00:00Z", "at=x", "limit=0", "x=y", "next=x", "next=", "at=seq:8&next=" + next} {
		f.fails(f.do("GET", statePath+"?"+query, ""), 400, "BadRequestException")
	}
	for _, query := range []string{"", "from=seq:1", "to=seq:1", "from=seq:1&to=seq:99", "from=seq:1&to=seq:2&at=seq:1", "from=seq:1&to=seq:9&next=" + next} {
		f.fails(f.do("GET", diffPath+"?"+query, ""), 400, "BadRequestException")
	}
	f.fails(f.do("GET", "/api/puddle/v1/warehouses/nope/state", ""), 404, "NoSuchWarehouseException")
}

// differs is what tests read of a difference.
type differs struct {
	From, To   struct{ Seq int }
	Namespaces []struct {
		Namespace  []string
		Change     string
		Properties map[string]string
		Removed    []string
	}
	Objects []struct {
		Kind          string
		UUID          string
		Changes       []string
		From, To      *struct{ Identifier struct{ Name string } }
		Ahead, Behind int
	}
	Next string
}

func (f *fixture) diff(query string) (d differs, all []string) {
	f.t.Helper()
	f.must(200, f.do("GET", diffPath+"?"+query, "")).into(f.t, &d)
	for _, n := range d.Namespaces {
		all = append(all, fmt.Sprint(n.Namespace, n.Change, n.Properties, n.Removed))
	}
	for _, o := range d.Objects {
		text := fmt.Sprint(o.Kind, o.Changes)
		if o.From != nil {
			text += " from " + o.From.Identifier.Name
		}
		if o.To != nil {
			text += " to " + o.To.Identifier.Name
		}
		all = append(all, fmt.Sprint(text, " ", o.Ahead, "-", o.Behind))
	}
	return d, all
}

func TestDiff(t *testing.T) {
	f := story(t)
	f.must(200, f.do("POST", v1+"/namespaces/m/properties", `{"updates":{"l":"w"},"removals":["k"]}`)) // 11
	f.must(204, f.do("DELETE", v1+"/namespaces/n", ""))
	f.ns("n") // 13
	for query, want := range map[string][]string{
		"from=seq:4&to=seq:4":   nil,
		"from=seq:4&to=seq:9":   {"table[renamed moved] from t to u 2-0"},
		"from=seq:9&to=seq:4":   {"table[renamed moved] from u to t 0-2"},
		"from=seq:4&to=seq:5":   {"table[moved] from t to t 1-0"},
		"from=seq:5&to=seq:6":   {"table[renamed] from t to u 0-0"},
		"from=seq:7&to=seq:8":   {"table[dropped] from t 0-0"},
		"from=seq:8&to=seq:7":   {"table[created] to t 0-0"},
		"from=seq:6&to=seq:8":   nil, // what came and went
		"from=seq:1&to=seq:3":   {"[m]createdmap[] []", "[n]createdmap[] []"},
		"from=seq:10&to=seq:11": {"[m]updatedmap[l:w] [k]"},
		"from=seq:11&to=seq:12": {"[n]droppedmap[] []"},
		"from=seq:11&to=seq:13": {"[n]replacedmap[] []"},
	} {
		if _, got := f.diff(query); cmp.Diff(want, got) != "" {
			t.Errorf("%s: %s", query, cmp.Diff(want, got))
		}
	}
	_, whole := f.diff("from=seq:1&to=seq:7")
	equal(t, "entries", len(whole), 4)
	for limit := 1; limit <= 5; limit++ {
		var paged []string
		next := ""
		for {
			d, page := f.diff(fmt.Sprintf("from=seq:1&to=seq:7&limit=%d%s", limit, next))
			if paged = append(paged, page...); d.Next == "" {
				break
			}
			next = "&next=" + url.QueryEscape(d.Next)
		}
		if diff := cmp.Diff(whole, paged); diff != "" {
			t.Errorf("in pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}
