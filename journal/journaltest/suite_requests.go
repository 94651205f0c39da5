package journaltest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// theKey is the key of the requests that the tests make beside those of stories.
const theKey = "0195f2c0-aaaa-7bbb-8ccc-0123456789ab"

// theRequest is one whose key is free an hour after Start.
func theRequest() journal.Request {
	return journal.Request{
		Actor: "anonymous", Key: theKey, Route: "POST /v1/lake/tables", Body: journal.Sum([]byte("{}")), Until: Start.Add(time.Hour),
	}
}

// answer is what became of theRequest without an event.
func answer(status int, body string) journal.Answer {
	return journal.Answer{Request: theRequest(), Status: status, Body: []byte(body)}
}

// keyed is an entry after one that binds the key of a request, at a moment.
func keyed(t *testing.T, last journal.Entry, r journal.Request, at time.Time) journal.Entry {
	t.Helper()
	id := uuid.NewSHA1(last.Event.ID, []byte(r.Key))
	e, _, err := journal.ChainAt(last.Event).Next(journal.Draft{
		Warehouse: last.Event.Warehouse, ID: id, Request: &r,
		Cause: journal.Cause{Actor: r.Actor, Key: r.Key, Origin: journal.OriginREST},
		Body:  journal.NamespaceCreated{ID: id, Namespace: journal.Namespace{id.String()}},
	}, journal.At(at))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantRequests checks that the keys of entries are bound to their events.
func wantRequests(t rapid.TB, j journal.Journal, entries []journal.Entry) {
	t.Helper()
	for _, e := range entries {
		if e.Request != nil {
			wantAnswer(t, j, e.Event.Warehouse, journal.Answer{Request: *e.Request, Seq: e.Event.Seq})
		}
	}
}

// wantAnswer checks what became of a request.
func wantAnswer(t rapid.TB, j journal.Journal, warehouse uuid.UUID, want journal.Answer) {
	t.Helper()
	last := want.Until.Add(-time.Millisecond)
	got, ok, err := j.Warehouse(warehouse).Answered(context.Background(), want.Actor, want.Key, last)
	same := bytes.Equal(want.Body, got.Body) // they may be large
	want.Body, got.Body = nil, nil
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" || !same {
		t.Fatalf("answer to %s: %v, %v, same body: %v (-want +got):\n%s", want.Key, ok, err, same, diff)
	}
}

// wantFree checks that a key is bound to nothing at a moment.
func wantFree(t *testing.T, j journal.Journal, warehouse uuid.UUID, r journal.Request, now time.Time) {
	t.Helper()
	if a, ok, err := j.Warehouse(warehouse).Answered(context.Background(), r.Actor, r.Key, now); ok || err != nil {
		t.Errorf("key %s of %s is bound: %+v, %v", r.Key, r.Actor, a, err)
	}
}

func testRequests(t *testing.T, open Open) {
	j, entries, reopen := filled(t, open, lake)
	r := theRequest()
	wantFree(t, j, lake, r, Start)
	wantFree(t, j, pond, r, Start) // unborn
	entries = append(entries, keyed(t, entries[len(entries)-1], r, Start))
	Append(t, j, entries[len(entries)-1:])
	theirs := Entries(t, NewStory(pond).Drafts, Start)
	Append(t, j, theirs)
	check := func() {
		t.Helper()
		wantRequests(t, j, entries)
		wantFree(t, j, pond, r, Start)
		for _, other := range []journal.Request{
			{Actor: journal.TokenActor("ana"), Key: r.Key}, {Actor: r.Actor, Key: r.Key + "x"}, {Actor: r.Actor, Key: r.Key[1:]},
			{Actor: r.Actor + "0", Key: r.Key[1:]}, {},
		} {
			wantFree(t, j, lake, other, Start)
		}
	}
	check()
	if reopen != nil {
		j = reopen()
		check()
	}
}

func testRequestsExpire(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	r, last := theRequest(), entries[len(entries)-1]
	first := keyed(t, last, r, Start)
	Append(t, j, []journal.Entry{first})
	wantFree(t, j, lake, r, r.Until)
	wantFree(t, j, lake, r, r.Until.Add(time.Hour))

	again := r
	again.Until = r.Until.Add(time.Hour)
	early := keyed(t, first, again, r.Until.Add(-time.Millisecond))
	wantError(t, "a key before it is free", j.Append(context.Background(), early), journal.ErrKeyTaken)
	second := keyed(t, first, again, r.Until)
	Append(t, j, []journal.Entry{second})
	wantAnswer(t, j, lake, journal.Answer{Request: again, Seq: second.Event.Seq})

	// That the first has expired does not make the second forgotten.
	other := again
	other.Key = strings.Repeat("k", journal.MinKeyBytes)
	third := keyed(t, second, other, r.Until.Add(time.Minute))
	Append(t, j, []journal.Entry{third})
	wantAnswer(t, j, lake, journal.Answer{Request: again, Seq: second.Event.Seq})

	final := journal.Answer{Request: again, Status: 204}
	final.Until = again.Until.Add(time.Hour)
	wantError(t, "remember early", j.Remember(context.Background(), lake, again.Until.Add(-1), final), journal.ErrKeyTaken)
	if err := j.Remember(context.Background(), lake, again.Until, final); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, j, lake, final)
}

// testRequestsArePruned: what has expired is forgotten by and by, first what
// expired first, and a few at a time.
func testRequestsArePruned(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	const n = 3 * journal.MaxPruned
	last := entries[len(entries)-1]
	var asked []journal.Request
	for i := range n {
		r := theRequest()
		r.Key = fmt.Sprintf("%s %d", theKey, i)
		r.Until = Start.Add(time.Minute + time.Duration((i*7)%n)*time.Second)
		last = keyed(t, last, r, Start)
		Append(t, j, []journal.Entry{last})
		asked = append(asked, r)
	}
	wantLeft := func(left int) {
		t.Helper()
		for i, r := range asked {
			_, ok, err := j.Warehouse(lake).Answered(context.Background(), r.Actor, r.Key, Start)
			if is := (i*7)%n >= n-left; ok != is || err != nil {
				t.Errorf("with %d left: request %d is there: %v, %v", left, i, ok, err)
			}
		}
	}
	wantLeft(n)
	late := Start.Add(30 * time.Minute) // the stories' own are bound for hours
	r := theRequest()
	last = keyed(t, last, r, late)
	Append(t, j, []journal.Entry{last})
	wantLeft(n - journal.MaxPruned)
	plain := manyEntries(t, last, 1)
	Append(t, j, plain)
	wantLeft(n - journal.MaxPruned) // it stored none
	a := answer(409, "conflict")
	a.Key += "another"
	if err := j.Remember(context.Background(), lake, late, a); err != nil {
		t.Fatal(err)
	}
	wantLeft(n - 2*journal.MaxPruned)
	r.Key += "a third"
	Append(t, j, []journal.Entry{keyed(t, plain[0], r, late)})
	wantLeft(0)
	wantAnswer(t, j, lake, a)
	wantRequests(t, j, entries)
}

func testRequestsOfIncarnations(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	last := keyed(t, entries[len(entries)-1], theRequest(), Start)
	Append(t, j, []journal.Entry{last})
	draft := NewStory(lake).Drafts[0]
	draft.Body = journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &last.Event.Position, Reason: "recovered"}
	second, _, err := journal.NewChain(lake, pond, 1_000_000).Next(draft, journal.At(Start))
	if err != nil {
		t.Fatal(err)
	}
	Append(t, j, []journal.Entry{second})
	wantFree(t, j, lake, theRequest(), Start)
	again := keyed(t, second, theRequest(), Start)
	Append(t, j, []journal.Entry{again})
	wantRequests(t, j, []journal.Entry{again})
}

func testBadRequests(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	last := entries[len(entries)-1]
	for what, change := range map[string]func(*journal.Request){
		"a short key":          func(r *journal.Request) { r.Key = r.Key[1:] },
		"a long key":           func(r *journal.Request) { r.Key = strings.Repeat("k", journal.MaxKeyBytes+1) },
		"an odd key":           func(r *journal.Request) { r.Key = strings.Repeat("\xff", journal.MinKeyBytes) },
		"no actor":             func(r *journal.Request) { r.Actor = "" },
		"an odd actor":         func(r *journal.Request) { r.Actor = "token:a\x00b" },
		"no route":             func(r *journal.Request) { r.Route = "" },
		"a long route":         func(r *journal.Request) { r.Route = strings.Repeat("r", journal.MaxRouteBytes+1) },
		"no end":               func(r *journal.Request) { r.Until = time.Time{} },
		"an end before clocks": func(r *journal.Request) { r.Until = time.UnixMilli(-1) },
	} {
		r := theRequest()
		change(&r)
		e := keyed(t, last, theRequest(), Start)
		e.Event.Cause.Actor, e.Event.Cause.Key, e.Request = r.Actor, r.Key, &r
		wantError(t, what, j.Append(context.Background(), e), journal.ErrRequest)
		wantError(t, what, j.Remember(context.Background(), lake, Start, journal.Answer{Request: r, Status: 409}), journal.ErrRequest)
	}
	for what, change := range map[string]func(*journal.Request){
		"another key":   func(r *journal.Request) { r.Key += "x" },
		"another actor": func(r *journal.Request) { r.Actor += "x" },
	} {
		e := keyed(t, last, theRequest(), Start)
		change(e.Request)
		wantError(t, what, j.Append(context.Background(), e), journal.ErrRequest)
	}
	wantEvents(t, j, lake, entries)
	for _, key := range []string{strings.Repeat("k", journal.MinKeyBytes), strings.Repeat("\u20ac", journal.MaxKeyBytes/3), strings.Repeat("\n", 40)} {
		r := theRequest()
		r.Key, r.Route = key, strings.Repeat("r", journal.MaxRouteBytes)
		last = keyed(t, last, r, Start)
		Append(t, j, []journal.Entry{last})
		wantRequests(t, j, []journal.Entry{last})
	}
}

// testKeyTaken: two requests never both bind a key, and the loser leaves nothing.
func testKeyTaken(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	ctx := context.Background()
	first := keyed(t, entries[len(entries)-1], theRequest(), Start)
	again := keyed(t, first, theRequest(), Start)
	wantError(t, "twice in a group", j.Append(ctx, first, again), journal.ErrKeyTaken)
	wantEvents(t, j, lake, entries)
	wantFree(t, j, lake, theRequest(), Start)
	Append(t, j, []journal.Entry{first})
	entries = append(entries, first)
	wantError(t, "again", j.Append(ctx, again), journal.ErrKeyTaken)
	before := manyEntries(t, first, 1)
	after := keyed(t, before[0], theRequest(), Start)
	wantError(t, "again, after another", j.Append(ctx, before[0], after), journal.ErrKeyTaken)
	wantError(t, "an answer", j.Remember(ctx, lake, Start, answer(409, "taken")), journal.ErrKeyTaken)
	wantEvents(t, j, lake, entries)
	wantRequests(t, j, entries)

	theirs := theRequest()
	theirs.Actor = journal.TokenActor("ana")
	next := keyed(t, first, theirs, Start)
	Append(t, j, []journal.Entry{next})
	wantRequests(t, j, append(entries, next))
}
