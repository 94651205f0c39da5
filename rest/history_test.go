package rest

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

const historyPath = "/api/puddle/v1/warehouses/default/history"

// told is what tests read of a history.
type told struct {
	Kind       string
	UUID       string
	Identifier struct{ Name string }
	Moves      []struct {
		Seq   int
		Event string
		UUID  string
		To    *struct{ Present *bool }
	}
	Next string
}

func (f *fixture) history(query string) (h told, moves []int) {
	f.t.Helper()
	f.must(200, f.do("GET", historyPath+"?"+query, "")).into(f.t, &h)
	for _, m := range h.Moves {
		moves = append(moves, m.Seq)
	}
	return h, moves
}

// A history follows the object through its renames, and a name through its
// holders.
func TestHistory(t *testing.T) {
	f := story(t)
	now, moves := f.history("identifier=m.u")
	equal(t, "moves", moves, []int{4, 5, 6, 9})
	equal(t, "head", []string{now.Kind, now.Identifier.Name}, []string{"table", "u"})
	gone, moves := f.history("identifier=n.t")
	equal(t, "moves of the last that had the name", moves, []int{7, 8})
	if gone.UUID == now.UUID || gone.Moves[1].To != nil || gone.Moves[1].Event != "table-dropped" {
		t.Errorf("%+v", gone)
	}
	_, moves = f.history("uuid=" + now.UUID)
	equal(t, "moves by uuid", moves, []int{4, 5, 6, 9})
	all, moves := f.history("identifier=n.t&all=true")
	equal(t, "moves of all that had the name", moves, []int{4, 5, 6, 7, 8, 9})
	equal(t, "head of all", all.UUID, gone.UUID)
	for _, query := range []string{"identifier=n.x", "uuid=0199b0a4-7f3c-7b64-8d7e-3c1f6a2b9e10"} {
		f.fails(f.do("GET", historyPath+"?"+query, ""), 404, "NoSuchTableException")
	}
	for _, query := range []string{"", "identifier=t", "identifier=m.u&all=maybe", "identifier=m.u&check=1", "identifier=m.u&x=y"} {
		f.fails(f.do("GET", historyPath+"?"+query, ""), 400, "BadRequestException")
	}
}

// A long history comes in parts, which together are the whole.
func TestHistoryIsPaged(t *testing.T) {
	f := story(t)
	_, whole := f.history("identifier=n.t&all=true")
	for limit := 1; limit <= len(whole)+1; limit++ {
		var paged []int
		for next := ""; ; {
			h, moves := f.history(fmt.Sprintf("identifier=n.t&all=true&limit=%d%s", limit, next))
			if paged = append(paged, moves...); h.Next == "" {
				break
			}
			next = "&next=" + h.Next
		}
		equal(t, fmt.Sprint("in parts of ", limit), paged, whole)
	}
	h, _ := f.history("identifier=n.t&limit=1")
	for _, query := range []string{"identifier=n.t&next=x", "identifier=m.u&next=" + h.Next, "identifier=m.u&limit=0"} {
		f.fails(f.do("GET", historyPath+"?"+query, ""), 400, "BadRequestException")
	}
}

// check=true looks; without it nobody looks and nothing is said.
func TestHistoryLooksAtFiles(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	first := f.fileOf("n", "t")
	f.must(200, f.do("POST", v1+"/namespaces/n/tables/t", `{"updates":[{"action":"set-properties","updates":{"a":"b"}}]}`))
	if err := f.stores["default"].Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	h, _ := f.history("identifier=n.t&check=true")
	equal(t, "present", []bool{*h.Moves[0].To.Present, *h.Moves[1].To.Present}, []bool{false, true})
	h, _ = f.history("identifier=n.t&check=false")
	if h.Moves[0].To.Present != nil {
		t.Error("present was told without being asked for")
	}
}

func TestHistoryThatCannotLook(t *testing.T) {
	f := serve(t, func(o *Options) {
		o.Warehouses[0].Present = func(context.Context, string) (bool, error) { return false, errors.New("network") }
	}, "default", "blind")
	f.options.Warehouses[1].Present = nil
	f.ns("n")
	f.table("n", "t")
	f.fails(f.do("GET", historyPath+"?identifier=n.t&check=true", ""), 503, "SlowDownException")
	f.fails(f.do("GET", "/api/puddle/v1/warehouses/blind/history?identifier=n.t&check=true", ""), 406, "UnsupportedOperationException")
}
