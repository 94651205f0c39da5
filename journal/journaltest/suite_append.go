package journaltest

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

func testBirth(t *testing.T, open Open) {
	j, _ := open(t)
	ctx := context.Background()
	_, err := j.Warehouse(lake).Head(ctx)
	wantError(t, "head before birth", err, journal.ErrNoWarehouse)
	if events := Events(t, j.Warehouse(lake), 0); len(events) > 0 {
		t.Errorf("scan before birth yields %d events", len(events))
	}
	for _, err := range j.Warehouse(lake).ScanBack(ctx, 0) {
		t.Errorf("scan back before birth yields %v", err)
	}
	if _, ok, err := j.Warehouse(lake).Find(ctx, lake); ok || err != nil {
		t.Errorf("find before birth = %v, %v", ok, err)
	}
	_, err = j.Warehouse(lake).Document(ctx, 1, 0)
	wantError(t, "document before birth", err, journal.ErrNoWarehouse)

	birth := Entries(t, NewStory(lake).Drafts, Start)
	Append(t, j, birth)
	wantEvents(t, j, lake, birth)
	if birth[0].Event.Seq != 1 || birth[0].Event.Prev != journal.Genesis(lake, Incarnation(lake)) {
		t.Errorf("birth is at %v", birth[0].Event.Position)
	}
}

func testBirthIsRefused(t *testing.T, open Open) {
	j, _ := open(t)
	ctx := context.Background()
	entries := Entries(t, sales(lake).Drafts, Start)
	wantError(t, "an event before birth", j.Append(ctx, entries[1]), journal.ErrNotNext)

	draft := NewStory(lake).Drafts[0]
	late, _, err := journal.NewChain(lake, Incarnation(lake), 1).Next(draft, journal.At(Start))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "a birth at seq 2", j.Append(ctx, late), journal.ErrNotNext)
	parent := journal.IncarnationStarted{
		Location: "s3://lake/wh", Name: "lake", Reason: "recovered", Parent: &journal.Position{Incarnation: pond, Seq: 7},
	}
	draft.Body = parent
	early, _, err := journal.NewChain(lake, Incarnation(lake), 6).Next(draft, journal.At(Start))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "an incarnation at its parent's seq", j.Append(ctx, early), journal.ErrNotNext)

	Append(t, j, entries[:1])
	other := NewStory(lake).Drafts[0]
	again, _, err := journal.NewChain(lake, uuid.New(), 0).Next(other, journal.At(Start))
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "a second birth", j.Append(ctx, again), journal.ErrNotNext)
	wantError(t, "the same birth", j.Append(ctx, entries[0]), journal.ErrNotNext)
	inside := following(t, entries[0], NewStory(pond).Drafts[0])
	wantError(t, "a birth amid an incarnation", j.Append(ctx, inside...), journal.ErrNotNext)
	wantEvents(t, j, lake, entries[:1])
}

func testSecondIncarnation(t *testing.T, open Open) {
	j, entries, reopen := filled(t, open, lake)
	head := entries[len(entries)-1].Event.Position
	again := func(id uuid.UUID, before journal.Seq) journal.Entry {
		draft := NewStory(lake).Drafts[0]
		draft.Body = journal.IncarnationStarted{Location: "s3://lake/wh", Name: "lake", Parent: &head, Reason: "recovered"}
		e, _, err := journal.NewChain(lake, id, before).Next(draft, journal.At(Start))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	second := again(pond, 1_000_000)
	Append(t, j, []journal.Entry{second})
	rest := following(t, second, sales(lake).Drafts[1:3]...)
	Append(t, j, rest)
	wantError(t, "an incarnation that was there", j.Append(context.Background(), again(Incarnation(lake), 2_000_000)), journal.ErrNotNext)
	wantError(t, "an old seq", j.Append(context.Background(), again(uuid.New(), 500_000)), journal.ErrNotNext)
	wantEvents(t, j, lake, append([]journal.Entry{second}, rest...))
	if reopen != nil {
		wantEvents(t, reopen(), lake, append([]journal.Entry{second}, rest...))
	}
}

func testAllOrNone(t *testing.T, open Open) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries[:3])
	for at := range 3 {
		group := slices.Clone(entries[3:6])
		group[at] = entries[8] // is not next here
		wantError(t, "a group with a bad entry", j.Append(context.Background(), group...), journal.ErrNotNext)
		wantEvents(t, j, lake, entries[:3])
	}
	if _, found, err := j.Warehouse(lake).Find(context.Background(), entries[3].Event.ID); found || err != nil {
		t.Errorf("find an event that was refused = %v, %v", found, err)
	}
	Append(t, j, entries[3:])
	wantEvents(t, j, lake, entries)
}

func testNotNext(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	last := entries[len(entries)-1]
	s := sales(lake)
	s.CreateNamespace(journal.Namespace{"next"}, nil)
	draft := s.Drafts[len(s.Drafts)-1]
	next := journal.ChainAt(last.Event)

	form := func(change func(*journal.Chain)) journal.Entry {
		chain := next
		change(&chain)
		e, _, err := chain.Next(draft, journal.At(chain.At))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for what, e := range map[string]journal.Entry{
		"a seq left out":      form(func(c *journal.Chain) { c.Head.Seq++ }),
		"a seq again":         form(func(c *journal.Chain) { c.Head.Seq-- }),
		"another prev":        form(func(c *journal.Chain) { c.Head.Hash[31] ^= 1 }),
		"another incarnation": form(func(c *journal.Chain) { c.Head.Incarnation = pond }),
		"another warehouse":   form(func(c *journal.Chain) { c.Warehouse = pond }),
		"an earlier time":     form(func(c *journal.Chain) { c.At = c.At.Add(-time.Millisecond) }),
	} {
		wantError(t, what, j.Append(context.Background(), e), journal.ErrNotNext)
	}
	wantEvents(t, j, lake, entries)
	Append(t, j, []journal.Entry{form(func(*journal.Chain) {})})
}

func testIDs(t *testing.T, open Open) {
	j, entries, _ := filled(t, open, lake)
	last := entries[len(entries)-1]
	s := sales(lake)
	again := following(t, last, s.Drafts[2])
	wantError(t, "an id that is taken", j.Append(context.Background(), again...), journal.ErrNotNext)
	s.CreateNamespace(journal.Namespace{"next"}, nil)
	next := s.Drafts[len(s.Drafts)-1]
	twice := following(t, last, next, next)
	wantError(t, "an id twice in a group", j.Append(context.Background(), twice...), journal.ErrNotNext)
	wantEvents(t, j, lake, entries)
	Append(t, j, twice[:1])
}

func testBadEntries(t *testing.T, open Open) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries[:4])
	created := entries[4]
	document, _ := journal.KeepDocument(0, []byte("{}"), journal.MaxDocumentBytes)
	elsewhere, unknown, raw := document, document, document
	elsewhere.Move, unknown.Codec, raw.Codec = 1, 200, journal.CodecRaw
	for what, change := range map[string]func(*journal.Entry){
		"other bytes":         func(e *journal.Entry) { e.Record = bytes.Replace(e.Record, []byte("orders"), []byte("0rders"), 1) },
		"a flipped bit":       func(e *journal.Entry) { e.Record = bytes.Clone(e.Record); e.Record[9] ^= 1 },
		"another prev":        func(e *journal.Entry) { e.Event.Prev[31] ^= 1 },
		"another hash":        func(e *journal.Entry) { e.Event.Hash[0] ^= 1 },
		"no body":             func(e *journal.Entry) { e.Event.Body = nil },
		"document of no move": func(e *journal.Entry) { e.Documents = []journal.Document{elsewhere} },
		"a document twice":    func(e *journal.Entry) { e.Documents = []journal.Document{document, document} },
		"an unknown codec":    func(e *journal.Entry) { e.Documents = []journal.Document{unknown} },
		"no gzip file":        func(e *journal.Entry) { e.Documents = []journal.Document{raw} },
	} {
		bad := created
		change(&bad)
		wantError(t, what, j.Append(context.Background(), bad), journal.ErrRecord)
	}
	wantEvents(t, j, lake, entries[:4])
	Append(t, j, entries[4:])
}

func testCallersKeepTheirBytes(t *testing.T, open Open) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	want := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries)
	for _, e := range entries {
		clear(e.Record)
		for _, d := range e.Documents {
			clear(d.Data)
		}
	}
	for _, e := range Events(t, j.Warehouse(lake), 0) {
		for i := range e.Moves() {
			e.Moves()[i].UUID = uuid.Nil
		}
	}
	wantEvents(t, j, lake, want)
	wantDocuments(t, j, lake, want)
}
