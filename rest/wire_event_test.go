package rest

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
)

// What scripts read of the events that only operators and the purge make.
func TestEventBodies(t *testing.T) {
	table, drop := uuid.MustParse("a1b2c3d4-e5f6-4789-8abc-def012345678"), uuid.MustParse("019ca9a4-0c00-7000-a000-000000000011")
	to := &journal.To{Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: "t"}}
	step := [1]journal.Move{{UUID: table, From: &journal.From{Identifier: to.Identifier}, To: to}}
	purged := journal.TablePurged{Drop: drop, Table: table, Removed: 7, Failed: 1, Bytes: 1 << 60, Report: []journal.PurgeFinding{{Location: "l", Reason: "r"}}}
	for _, c := range []struct {
		body journal.Body
		want string
	}{
		{purged, `"purged":{"table":"` + table.String() + `","drop":"` + drop.String() +
			`","removed":7,"bytes":1152921504606846976,"kept":0,"failed":1,"report":[{"location":"l","reason":"r"}]},"moves":[]`},
		{journal.TablePurged{Drop: drop, Table: table}, `"failed":0,"report":[]}`},
		{journal.TableRepointed{Moves: step, Reason: "bad load"}, `"reason":"bad load","moves":[{`},
		{journal.ViewRepointed{Moves: step, Reason: "bad view"}, `"reason":"bad view","moves":[{`},
		{journal.TableUndropped{Moves: step}, `"kind":"table-undropped"`},
	} {
		e := journal.Event{Body: c.body}
		got, err := json.Marshal(eventOf("lake", e), json.Deterministic(true))
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("got %s, %v, want %s in it", got, err, c.want)
		}
		if !(eventQuery{object: table}).fits(e) || (eventQuery{object: drop}).fits(e) {
			t.Errorf("%s is not found by the table's uuid, or by another", e.Kind())
		}
		_, isPurge := c.body.(journal.TablePurged)
		if (eventQuery{identifier: &to.Identifier}).fits(e) == isPurge {
			t.Errorf("%s by name: only moves have names", e.Kind())
		}
	}
}

// What scripts read of the end of a recovery.
func TestEventBodyOfARecovery(t *testing.T) {
	e := journal.Event{Body: journal.RecoveryCompleted{From: "archive", Namespaces: 2, Objects: 7, Failed: 1}}
	got, err := json.Marshal(eventOf("lake", e), json.Deterministic(true))
	want := `"recovered":{"from":"archive","namespaces":2,"objects":7,"failed":1},"moves":[]`
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want %s in it", got, err, want)
	}
}

// What scripts read of history that was taken from pointer tables: the old moves with
// their own events, all or those that were asked for.
func TestEventBodyOfAnImport(t *testing.T) {
	one, two := uuid.New(), uuid.New()
	at := func(name string) *journal.To {
		return &journal.To{Identifier: journal.Identifier{Namespace: journal.Namespace{"a"}, Name: name}, Pointer: journal.Pointer{MetadataLocation: "s3://lake/" + name}}
	}
	e := journal.Event{Cause: journal.Cause{Origin: journal.OriginImport}, Body: journal.HistoryImported{Steps: []journal.ImportedStep{
		{Seq: 4, At: 1772366402000, Actor: "token:ana", Kind: journal.KindTableCreated, Move: journal.Move{Kind: journal.Table, UUID: one, To: at("t")}},
		{Seq: 5, At: 1772366403000, Actor: "anonymous", Kind: journal.KindViewCreated, Move: journal.Move{Kind: journal.View, UUID: two, To: at("v")}},
	}}}
	for _, c := range []struct {
		asked eventQuery
		want  []journal.Seq // nil: the event does not fit
	}{
		{eventQuery{}, []journal.Seq{4, 5}}, {eventQuery{object: two}, []journal.Seq{5}}, {eventQuery{identifier: &at("t").Identifier}, []journal.Seq{4}},
		{eventQuery{object: uuid.New()}, nil}, {eventQuery{kind: journal.KindTableCreated}, nil},
	} {
		if fits := c.asked.fits(e); fits != (c.want != nil) {
			t.Errorf("%+v fits: %t", c.asked, fits)
		}
		if c.want == nil {
			continue
		}
		body := c.asked.bodyOf("lake", e)
		var got []journal.Seq
		for _, s := range body.Imported {
			got = append(got, s.Seq)
		}
		if !slices.Equal(got, c.want) || body.Origin != journal.OriginImport {
			t.Errorf("%+v: %v, want %v", c.asked, got, c.want)
		}
	}
	got, err := json.Marshal(eventQuery{object: one}.bodyOf("lake", e), json.Deterministic(true))
	want := `"imported":[{"seq":4,"id":"00000000-0000-0000-0000-000000000000","at":"2026-03-01T12:00:02.000Z","event":"table-created","actor":"token:ana"`
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want %s in it", got, err, want)
	}
}
