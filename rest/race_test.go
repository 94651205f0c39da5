package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// told sorts out what may be told to who acts on a name that moves.
func (f *fixture) told(a answer, may ...string) (done bool) {
	if a.StatusCode < 300 {
		return true
	}
	var body errorBody
	_ = json.Unmarshal(a.body, &body)
	for _, kind := range may {
		if body.Error.Type == kind {
			return false
		}
	}
	f.t.Errorf("%d %s", a.StatusCode, a.body)
	return false
}

// Case 125: commits to a table that is renamed to and fro and dropped in the end,
// all at once. What was acknowledged is one unbroken line of versions that ends
// with the drop; who came too late was told that there is no table.
func TestCase125_RenameAndDropUnderCommits(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	const commits = 40
	paths := []string{tablePath, v1 + "/namespaces/n/tables/u"}
	acknowledged := make([]int, 6)
	moved, dropped := make(chan struct{}), 0
	var all sync.WaitGroup
	for w := range acknowledged {
		all.Go(func() {
			for i := range commits {
				if f.told(f.do("POST", paths[(w+i)%2], setProperty(fmt.Sprintf("w%d-%d", w, i), "v")), "NoSuchTableException") {
					acknowledged[w]++
				}
			}
		})
	}
	all.Go(func() {
		defer close(moved)
		for i := range 15 {
			names := [][2]string{{"t", "u"}, {"u", "t"}}[i%2]
			f.must(204, f.do("POST", v1+"/tables/rename", fmt.Sprintf(
				`{"source":{"namespace":["n"],"name":%q},"destination":{"namespace":["n"],"name":%q}}`, names[0], names[1])))
		}
	})
	all.Go(func() {
		<-moved
		for range 2 {
			if f.told(f.do("DELETE", paths[1], ""), "NoSuchTableException") {
				dropped++
			}
		}
	})
	all.Wait()
	total := 0
	for _, n := range acknowledged {
		total += n
	}
	equal(t, "drops", dropped, 1)
	f.line(total)
	equal(t, "tables", f.tableNames("n"), nil)
}

// line checks that the events of the table n.t begin where each one before ended,
// and that so many are commits.
func (f *fixture) line(commits int) {
	f.t.Helper()
	var history struct {
		Moves []struct {
			Event    string
			From, To *struct {
				Location string `json:"metadata-location"`
			}
		}
	}
	f.must(200, f.do("GET", puddleBase+"/warehouses/default/history?identifier=n.t", "")).into(f.t, &history)
	at, counted := "", 0
	for i, m := range history.Moves {
		if i > 0 && (m.From == nil || m.From.Location != at) {
			f.t.Errorf("move %d of %s begins elsewhere than %s", i, m.Event, at)
		}
		if m.To != nil {
			at = m.To.Location
		}
		if m.Event == "tables-committed" {
			counted++
		}
	}
	if last := history.Moves[len(history.Moves)-1]; last.To != nil || last.Event != "table-dropped" {
		f.t.Errorf("the last event is %s", last.Event)
	}
	if counted != commits {
		f.t.Errorf("%d commits in the history, %d were acknowledged", counted, commits)
	}
}

// Case 97: a transaction that creates loses its name to a view, or wins it, as a
// whole.
func TestCase97_TransactionAgainstAView(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	f.table("n", "t")
	for round := range 20 {
		name := fmt.Sprint("x", round)
		created := strings.Replace(createCommit(t, f, "n", name), "{", fmt.Sprintf(`{"identifier":{"namespace":["n"],"name":%q},`, name), 1)
		var both sync.WaitGroup
		var table, view bool
		both.Go(func() {
			a := f.do("POST", transactions, transaction(changeOf("t", name, "v"), created))
			table = f.told(a, "CommitFailedException", "AlreadyExistsException")
		})
		both.Go(func() {
			view = f.told(f.do("POST", v1+"/namespaces/n/views", viewBody(name)), "AlreadyExistsException")
		})
		both.Wait()
		if table == view || (f.property("t", name) == "v") != table {
			t.Errorf("round %d: table %t, view %t, the other table has %q", round, table, view, f.property("t", name))
		}
	}
}
