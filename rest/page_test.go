package rest

import (
	"fmt"
	"net/url"
	"testing"

	"pgregory.net/rapid"
)

// pageOf fetches one page of tables and the token of the next.
func (f *fixture) pageOf(query string) (names []string, next string) {
	f.t.Helper()
	var list struct {
		Identifiers []struct{ Name string }
		Next        *string `json:"next-page-token"`
	}
	f.must(200, f.do("GET", v1+"/namespaces/n/tables"+query, "")).into(f.t, &list)
	for _, id := range list.Identifiers {
		names = append(names, id.Name)
	}
	if list.Next != nil {
		if next = *list.Next; next == "" {
			f.t.Error("an empty token would begin again")
		}
	}
	return names, next
}

// Case 87: without a token everything comes; with one, pages end, and tokens are
// bound to their listing.
func TestCase87_Paging(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.ns("m")
	for i := range 25 {
		f.table("n", fmt.Sprintf("t%02d", i))
	}
	for _, query := range []string{"", "?pageSize=10", "?pageToken="} {
		if names, next := f.pageOf(query); len(names) != 25 || next != "" {
			t.Errorf("%q: %d names, next %q", query, len(names), next)
		}
	}
	for size, pages := range map[int]int{1: 25, 5: 5, 10: 3, 24: 2, 25: 1, 1_000_000_000: 1} {
		got, token := 0, ""
		for page := 1; ; page++ {
			names, next := f.pageOf(fmt.Sprintf("?pageSize=%d&pageToken=%s", size, url.QueryEscape(token)))
			if got += len(names); len(names) == 0 {
				t.Errorf("size %d: page %d is empty", size, page)
			}
			if token = next; token == "" {
				if page != pages || got != 25 {
					t.Errorf("size %d: %d names on %d pages", size, got, page)
				}
				break
			}
		}
	}
}

// Case 87: a token names the last entry, so that a drop between pages moves
// nothing.
func TestCase87_DropBetweenPages(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	for _, name := range []string{"a", "b", "c", "d"} {
		f.table("n", name)
	}
	first, token := f.pageOf("?pageToken=&pageSize=2")
	equal(t, "first page", first, []string{"a", "b"})
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/a", ""))
	f.must(204, f.do("DELETE", v1+"/namespaces/n/tables/b", ""))
	second, end := f.pageOf("?pageSize=2&pageToken=" + token)
	equal(t, "second page", second, []string{"c", "d"})
	equal(t, "end", end, "")
}

func TestCase87_BadPages(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.ns("m")
	f.table("n", "a")
	f.table("n", "b")
	_, token := f.pageOf("?pageToken=&pageSize=1")
	for _, query := range []string{"pageSize=0", "pageSize=-1", "pageSize=abc", "pageSize=1e9", "pageSize=", "pageSize=1&pageSize=2",
		"pageToken=garbage", "pageToken=" + token[:len(token)-2], "pageToken=" + token + "&pageToken=" + token} {
		f.fails(f.do("GET", v1+"/namespaces/n/tables?"+query, ""), 400, "BadRequestException")
	}
	f.fails(f.do("GET", v1+"/namespaces/m/tables?pageToken="+token, ""), 400, "BadRequestException")
	f.fails(f.do("GET", v1+"/namespaces?pageToken="+token, ""), 400, "BadRequestException")
	f.fails(f.do("GET", v1+"/namespaces?parent=n&pageToken="+token, ""), 400, "BadRequestException")
	var list struct {
		Next string `json:"next-page-token"`
	}
	f.must(200, f.do("GET", v1+"/namespaces?pageToken=&pageSize=1", "")).into(t, &list)
	equal(t, "namespaces page", string(f.must(200, f.do("GET", v1+"/namespaces?pageToken="+list.Next, "")).body), `{"namespaces":[["n"]]}`)
}

// Case 87: tokens are of one warehouse and of one parent.
func TestCase87_TokensOfOthers(t *testing.T) {
	f := serve(t, nil, "default", "lake")
	const lake = catalogBase + "/lake"
	for _, base := range []string{v1, lake} {
		for _, levels := range []string{`"a"`, `"b"`, `"a","x"`, `"a","y"`, `"b","x"`, `"b","y"`} {
			f.must(200, f.do("POST", base+"/namespaces", `{"namespace":[`+levels+`]}`))
		}
		for _, name := range []string{"t", "u"} {
			f.must(200, f.do("POST", base+"/namespaces/a/tables", `{"name":"`+name+`","schema":`+schema+`}`))
		}
	}
	for path, others := range map[string][]string{
		v1 + "/namespaces/a/tables?":   {lake + "/namespaces/a/tables?", v1 + "/namespaces/a/views?"},
		v1 + "/namespaces?parent=a&":   {lake + "/namespaces?parent=a&", v1 + "/namespaces?parent=b&", v1 + "/namespaces?"},
		v1 + "/namespaces?":            {lake + "/namespaces?", v1 + "/namespaces?parent=a&"},
		lake + "/namespaces?parent=b&": {lake + "/namespaces?parent=a&"},
	} {
		var list struct {
			Next string `json:"next-page-token"`
		}
		f.must(200, f.do("GET", path+"pageSize=1&pageToken=", "")).into(t, &list)
		f.must(200, f.do("GET", path+"pageToken="+list.Next, ""))
		for _, other := range others {
			f.fails(f.do("GET", other+"pageToken="+list.Next, ""), 400, "BadRequestException")
		}
	}
}

// A token gives back the name it was made of, in its own listing and no other.
func TestTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, last := listing(rapid.String().Draw(t, "listing")), anyLevel.Draw(t, "last")
		token := of.token(last)
		if got, ok := of.open(token); !ok || got != last {
			t.Fatalf("%q became %q, %v", last, got, ok)
		}
		if _, ok := (of + "x").open(token); ok {
			t.Fatal("another listing took the token")
		}
		if cut := rapid.IntRange(1, len(token)-1).Draw(t, "cut"); len(last) > 0 {
			if got, ok := of.open(token[:cut]); ok && got == last {
				t.Fatal("a cut token was taken for the whole")
			}
		}
	})
}
