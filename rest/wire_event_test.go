package rest

import (
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
