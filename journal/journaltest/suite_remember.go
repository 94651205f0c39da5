package journaltest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

func testRemember(t *testing.T, open Open) {
	j, entries, reopen := filled(t, open, lake)
	ctx := context.Background()
	wantError(t, "of an unborn warehouse", j.Remember(ctx, pond, Start, answer(409, "")), journal.ErrNoWarehouse)
	if err := j.Remember(ctx, lake, Start); err != nil {
		t.Errorf("remember nothing: %v", err)
	}
	body := []byte("{\"error\":\n\"\x00\xff\"}\n")
	conflict := answer(409, string(body))
	conflict.Body = body
	if err := j.Remember(ctx, lake, Start, conflict); err != nil {
		t.Fatal(err)
	}
	clear(body) // it is the caller's
	conflict.Body = []byte("{\"error\":\n\"\x00\xff\"}\n")
	wantAnswer(t, j, lake, conflict)
	got, _, err := j.Warehouse(lake).Answered(ctx, conflict.Actor, conflict.Key, Start)
	if err != nil {
		t.Fatal(err)
	}
	clear(got.Body)

	wantError(t, "again", j.Remember(ctx, lake, Start, answer(204, "")), journal.ErrKeyTaken)
	next := keyed(t, entries[len(entries)-1], theRequest(), Start)
	wantError(t, "an event with its key", j.Append(ctx, next), journal.ErrKeyTaken)
	check := func() {
		t.Helper()
		wantAnswer(t, j, lake, conflict)
		wantEvents(t, j, lake, entries)
		wantRequests(t, j, entries)
	}
	check()
	if reopen != nil {
		j = reopen()
		check()
	}
	Append(t, j, manyEntries(t, entries[len(entries)-1], 1)) // the head is where it was
}

func testRememberIsAllOrNone(t *testing.T, open Open) {
	j, _, _ := filled(t, open, lake)
	ctx := context.Background()
	three := []journal.Answer{answer(409, "1"), answer(404, "2"), answer(204, "")}
	for i := range three {
		three[i].Key += strings.Repeat("x", i)
	}
	twice := []journal.Answer{three[0], three[1], three[0]}
	wantError(t, "a key twice", j.Remember(ctx, lake, Start, twice...), journal.ErrKeyTaken)
	if err := j.Remember(ctx, lake, Start, three[2]); err != nil {
		t.Fatal(err)
	}
	wantError(t, "one that is bound", j.Remember(ctx, lake, Start, three...), journal.ErrKeyTaken)
	for _, a := range three[:2] {
		wantFree(t, j, lake, a.Request, Start)
	}
	if err := j.Remember(ctx, lake, Start, three[:2]...); err != nil {
		t.Fatal(err)
	}
	for _, a := range three {
		wantAnswer(t, j, lake, a)
	}
}

func testRememberLimits(t *testing.T, open Open) {
	j, _, _ := filled(t, open, lake)
	ctx := context.Background()
	large := answer(400, string(noise(journal.MaxAnswerBytes)))
	if err := j.Remember(ctx, lake, Start, large); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, j, lake, large)
	var many []journal.Answer
	for range journal.MaxGroupEntries + 1 {
		a := answer(404, "")
		a.Key = uuid.NewString()
		many = append(many, a)
	}
	wantError(t, "too many", j.Remember(ctx, lake, Start, many...), journal.ErrTooLarge)
	over := many[0]
	over.Body = make([]byte, journal.MaxAnswerBytes+1)
	wantError(t, "too large", j.Remember(ctx, lake, Start, over), journal.ErrTooLarge)
	for i := range many[:9] {
		many[i].Body = large.Body
	}
	wantError(t, "too large together", j.Remember(ctx, lake, Start, many[:9]...), journal.ErrTooLarge)
	for what, bad := range map[string]func(*journal.Answer){
		"with an event":        func(a *journal.Answer) { a.Seq, a.Status = 3, 0 },
		"an event with a body": func(a *journal.Answer) { a.Seq = 3 },
		"no status":            func(a *journal.Answer) { a.Status = 0 },
		"no such status":       func(a *journal.Answer) { a.Status = 600 },
	} {
		a := answer(409, "x")
		a.Key = uuid.NewString()
		bad(&a)
		wantError(t, what, j.Remember(ctx, lake, Start, a), journal.ErrRequest)
		wantFree(t, j, lake, a.Request, Start)
	}
	for _, a := range many {
		wantFree(t, j, lake, a.Request, Start)
	}
	if err := j.Remember(ctx, lake, Start, many[9:]...); err != nil {
		t.Fatal(err)
	}
	for _, a := range many[9:] {
		wantAnswer(t, j, lake, a)
	}
}
