package recover_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// classes are the differences between a recovery from late sidecars and the truth that
// nobody can avoid, and how often each occurs.
type classes map[string]int

// TestRecoverEngineMade recovers what real engines made, from the sidecars of every
// moment of its past: all is as it was last, or differs in a way that is known.
func TestRecoverEngineMade(t *testing.T) {
	for _, folder := range []string{"pyiceberg-history", "pyiceberg-faults", "spark-replace", "trino-views"} {
		t.Run(folder, func(t *testing.T) {
			made := openEngineMade(t, folder)
			found, proven := classes{}, classes{}
			for n := range len(made.events) + 1 {
				made.recoverFrom(t, n, false, found)
				made.recoverFrom(t, n, true, proven)
			}
			t.Log(found, "with an archive:", proven)
			if found["right"] < 10*len(made.events)/3 {
				t.Errorf("too few were right: %v", found)
			}
		})
	}
}

// recoverFrom recovers from the sidecars after n events, with an archive of all events or
// without, and compares with the end.
func (m *engineMade) recoverFrom(t *testing.T, n int, archived bool, found classes) {
	t.Helper()
	said := map[uuid.UUID]*pointed{}
	for _, o := range m.after(t, n) {
		said[o.id] = o // of two names of one uuid the last one written stays
		m.write(t, o)
	}
	evidences := recover.Evidences{Roots: warehouse.Roots{{URL: m.url, Location: location(t, m.url), Store: m.store}}, Name: "a"}
	if archived {
		evidences.Proven, evidences.ProvenUntil = m.proven(t), m.events[len(m.events)-1].At.Add(time.Hour) // it went on elsewhere
	}
	plan, err := recover.PlanSidecars(t.Context(), evidences)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Objects) != len(said) {
		t.Errorf("after %d events: %d objects of %d", n, len(plan.Objects), len(said))
	}
	truth := map[uuid.UUID][]*pointed{}
	for _, o := range m.after(t, len(m.events)) {
		truth[o.id] = append(truth[o.id], o)
	}
	for _, p := range plan.Objects {
		class := m.classify(t, p, said[p.UUID], truth[p.UUID])
		if class == "" {
			t.Errorf("after %d events: planned %+v, the truth is %+v", n, p, *truth[p.UUID][0])
		}
		m.checkProven(t, n, archived, p, class)
		if n == len(m.events) && class != "right" && class != "dropped" && class != "two names of one uuid" && class != "orphan of a crash" {
			t.Errorf("at the end: %s is of class %q", p.Identifier, class)
		}
		found[class]++
	}
}

// proven are the files that the events made current.
func (m *engineMade) proven(t *testing.T) func(context.Context, uuid.UUID) (func(warehouse.Location) bool, bool, error) {
	t.Helper()
	files := map[uuid.UUID]map[warehouse.Location]bool{}
	for _, e := range m.events {
		if e.Op == "drop" {
			continue
		}
		at := location(t, e.Location)
		if id, there := m.uuids[at]; there {
			if files[id] == nil {
				files[id] = map[warehouse.Location]bool{}
			}
			files[id][at] = true
		}
	}
	return func(_ context.Context, id uuid.UUID) (func(warehouse.Location) bool, bool, error) {
		return func(at warehouse.Location) bool { return files[id][at] }, files[id] != nil, nil
	}
}

// checkProven sees that nothing that is proven differs, and that without an archive nothing
// is.
func (m *engineMade) checkProven(t *testing.T, n int, archived bool, p recover.PlannedObject, class string) {
	t.Helper()
	if p.Confidence != recover.Proven {
		if archived && class == "orphan of a crash" {
			t.Errorf("after %d events: %s is an orphan, and the archive knows", n, p.MetadataLocation)
		}
		return
	}
	switch class {
	case "right", "late rename", "late drop", "two names of one uuid": // what an archive proves is the file
	default:
		t.Errorf("after %d events: %s is proven, and of class %q", n, p.Identifier, class)
	}
	if !archived {
		t.Errorf("after %d events: %s is proven by a sidecar", n, p.Identifier)
	}
}

func (m *engineMade) write(t *testing.T, o *pointed) {
	t.Helper()
	s := sidecars.Object{
		Kind: o.kind, Warehouse: "a", Identifier: o.name, UUID: o.id, Location: m.url + "/x", MetadataLocation: o.location, State: sidecars.Active,
		UpdatedAt: o.at, Extras: sidecars.Extras{WarehouseID: uuid.UUID{1}, Incarnation: uuid.UUID{2}, Seq: o.seq, EventID: uuid.UUID{3}},
	}
	if o.dropped {
		s.State = sidecars.Dropped
	}
	data, err := sidecars.Encode(s)
	if err == nil {
		err = m.store.Put(t.Context(), sidecars.Key(o.id), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// classify says how a planned object stands to the truth; "": it is wrong.
func (m *engineMade) classify(t *testing.T, p recover.PlannedObject, said *pointed, truth []*pointed) string {
	now := truth[len(truth)-1]
	switch {
	case said.dropped && p.Outcome == recover.Dropped:
		return "dropped"
	case said.dropped:
		return ""
	case len(truth) > 1 && (p.Outcome == recover.Failed && m.gone(t, said.location) || m.anyOf(t, p, said, truth)):
		return "two names of one uuid"
	case now.dropped:
		return "late drop"
	case p.Outcome == recover.Failed && m.gone(t, said.location):
		return "S and what was made from it are gone"
	case p.Outcome != recover.Recovered:
		return ""
	}
	got := location(t, p.MetadataLocation)
	switch right := location(t, now.location); {
	case got != right && p.Kind == journal.View && got == location(t, said.location):
		return "late view"
	case got != right && len(p.Warnings) > 0 && got == location(t, said.location):
		return "S with a warning"
	case got != right && m.never[strings.TrimPrefix(got.String(), strings.TrimPrefix(m.url, "file://")+"/")]:
		return "orphan of a crash"
	case got != right:
		return ""
	case !p.Identifier.Equal(now.name):
		return "late rename"
	}
	return "right"
}

// anyOf tells whether an object has the file of any of its names, or S with a warning.
func (m *engineMade) anyOf(t *testing.T, p recover.PlannedObject, said *pointed, truth []*pointed) bool {
	got := location(t, p.MetadataLocation)
	for _, o := range truth {
		if got == location(t, o.location) {
			return true
		}
	}
	return got == location(t, said.location) && len(p.Warnings) > 0
}

func (m *engineMade) gone(t *testing.T, at string) bool {
	_, there := m.uuids[location(t, at)]
	return !there
}

// TestCase58_HadoopTables recovers tables that had no catalog, whichever of their
// versions a sidecar names, and whatever their version hints say.
func TestCase58_HadoopTables(t *testing.T) {
	made := openEngineMade(t, "hadoop-a")
	for table, versions := range map[string]int{"gz": 4, "nohint": 3, "plain": 3, "stale": 3} {
		for from := 1; from <= versions; from++ {
			o := &pointed{kind: journal.Table, name: journal.Identifier{Namespace: journal.Namespace{"db"}, Name: table}, at: epoch}
			at := func(v int) (string, bool) {
				for _, end := range []string{".metadata.json", ".gz.metadata.json"} {
					url := fmt.Sprintf("%s/db/%s/metadata/v%d%s", made.url, table, v, end)
					if id, there := made.uuids[location(t, url)]; there {
						o.id = id
						return url, true
					}
				}
				return "", false
			}
			last := versions
			for _, more := at(last + 1); more; _, more = at(last + 1) {
				last++
			}
			want, _ := at(last)
			o.location, _ = at(from)
			made.write(t, o)
			plan, err := recover.PlanSidecars(t.Context(), recover.Evidences{
				Roots: warehouse.Roots{{URL: made.url, Location: location(t, made.url), Store: made.store}}, Name: "a",
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range plan.Objects {
				if p.UUID == o.id && (p.MetadataLocation != want || p.CommitsBehind != last-from) {
					t.Errorf("%s from v%d: %+v, want %s", table, from, p, want)
				}
			}
		}
	}
}
