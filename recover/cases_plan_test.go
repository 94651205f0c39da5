package recover_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/internal/warehouse/memory"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// shore is a warehouse that is put together by hand.
type shore struct {
	t     *testing.T
	own   *memory.Store // file:///w/lake
	other *memory.Store // s3://b/lake
	seq   journal.Seq
}

func newShore(t *testing.T) *shore { return &shore{t: t, own: memory.New(), other: memory.New()} }

func (s *shore) put(key, text string) {
	s.t.Helper()
	if err := s.own.Put(s.t.Context(), key, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// tableText is a metadata file of the table of that number, last updated at that
// minute, that lists these.
func tableText(number, minute int, log ...string) string {
	var entries []string
	for _, at := range log {
		entries = append(entries, fmt.Sprintf(`{"metadata-file":%q,"timestamp-ms":1}`, at))
	}
	return fmt.Sprintf(`{"format-version":2,"table-uuid":%q,"location":"file:///w/lake/n/t","last-updated-ms":%d,"metadata-log":[%s]}`,
		numbered(number), epoch.Add(time.Duration(minute)*time.Minute).UnixMilli(), strings.Join(entries, ","))
}

var epoch = time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC)

func numbered(n int) uuid.UUID { return uuid.UUID{0: 0xab, 15: byte(n)} }

// says writes a sidecar: of n.<name>, whose file is that; change may change it.
func (s *shore) says(number int, name, at string, change ...func(*sidecars.Object)) {
	s.t.Helper()
	s.seq++
	o := sidecars.Object{
		Kind: journal.Table, Warehouse: "a", Identifier: journal.Identifier{Namespace: journal.Namespace{"n"}, Name: name}, UUID: numbered(number),
		Location: "file:///w/lake/n/t", MetadataLocation: at, State: sidecars.Active, UpdatedAt: epoch,
		Extras: sidecars.Extras{WarehouseID: uuid.UUID{1}, Incarnation: uuid.UUID{2}, Seq: s.seq, EventID: uuid.UUID{3}},
	}
	for _, f := range change {
		f(&o)
	}
	data, err := sidecars.Encode(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.put(sidecars.Key(o.UUID), string(data))
}

func (s *shore) saysNamespace(n sidecars.Namespace) {
	s.t.Helper()
	n.Warehouse, n.UpdatedAt = "a", epoch
	data, err := sidecars.EncodeNamespace(n)
	if err != nil {
		s.t.Fatal(err)
	}
	s.put(sidecars.NamespaceKey(n.ID), string(data))
}

func (s *shore) plan() recover.Plan {
	s.t.Helper()
	plan, err := recover.PlanSidecars(s.t.Context(), recover.Evidences{Roots: rootsOf(s.own, s.other), Name: "a"})
	if err != nil {
		s.t.Fatal(err)
	}
	return plan
}

// object is what is planned for the object of that number.
func object(t *testing.T, p recover.Plan, number int) recover.PlannedObject {
	t.Helper()
	at := slices.IndexFunc(p.Objects, func(o recover.PlannedObject) bool { return o.UUID == numbered(number) })
	if at < 0 {
		t.Fatalf("%d is not planned: %+v", number, p.Objects)
	}
	return p.Objects[at]
}

const (
	url    = "file:///w/lake/n/t/metadata/"
	folded = "n/t/metadata/"
)

func file(name string) string { return url + name + ".metadata.json" }
func key(name string) string  { return folded + name + ".metadata.json" }

// Numbers start again when a table is made anew in the folder of a dropped one.
func TestCase36_NumbersAreNotUsed(t *testing.T) {
	s := newShore(t)
	for i := range 6 {
		s.put(key(fmt.Sprintf("0000%d-a", i)), tableText(1, i))
	}
	s.put(key("00000-b"), tableText(2, 1))
	s.put(key("00001-b"), tableText(2, 2, file("00000-b")))
	s.put(key("v2"), tableText(3, 1))
	s.put(key("v10"), tableText(3, 1))
	s.says(2, "t", file("00000-b"))
	p := s.plan()
	if o := object(t, p, 2); o.MetadataLocation != file("00001-b") || o.CommitsBehind != 1 || o.Evidence != recover.ByDescendants || o.Confidence != recover.Inferred {
		t.Errorf("planned %+v", o)
	}
	if len(p.Unregistered) != 2 || p.Unregistered[0].UUID != numbered(1) || p.Unregistered[0].Newest != file("00005-a") {
		t.Errorf("unregistered: %+v", p.Unregistered)
	}
	if len(p.NotUsed) != 8 {
		t.Errorf("not used: %+v", p.NotUsed)
	}
}

func TestCase39_NothingIsLeft(t *testing.T) {
	s := newShore(t)
	s.says(1, "t", file("v1"))
	s.says(2, "u", "s3a://b/lake/u/v1.metadata.json")
	p := s.plan()
	for _, number := range []int{1, 2} {
		if o := object(t, p, number); o.Outcome != recover.Failed || o.Err == nil || !strings.Contains(o.Err.Error(), "no file of it is left") {
			t.Errorf("planned %+v", o)
		}
	}
}

// The sidecar says which bytes were committed.
func TestCase39_OtherBytes(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"), func(o *sidecars.Object) { o.SHA256, o.Size = journal.Sum([]byte("x")), 1 })
	if o := object(t, s.plan(), 1); o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), "not those that were committed") {
		t.Errorf("planned %+v", o)
	}
}

// A file that is there and is another's is not gone: it is told whose it is.
func TestCase39_AnothersFile(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(9, 0)) // nobody's
	s.says(1, "t", file("v1"))
	s.says(2, "u", file("v1"))
	s.says(3, "v", file("v2"))
	p := s.plan()
	for number, want := range map[int]string{2: "cannot be used: it is of the table n.t (" + numbered(1).String() + ")", 3: "cannot be used: it is of another uuid, " + numbered(9).String()} {
		if o := object(t, p, number); o.Outcome != recover.Failed || !strings.Contains(o.Err.Error(), want) || strings.Contains(o.Err.Error(), "gone") {
			t.Errorf("%d: %v", number, o.Err)
		}
	}
	if o := object(t, p, 1); o.Outcome != recover.Recovered {
		t.Errorf("its owner: %+v", o)
	}
}

// A broken table is told, and the others are recovered.
func TestCase45_OneIsBroken(t *testing.T) {
	s := newShore(t)
	for i := range 50 {
		s.put(fmt.Sprintf("n/%d/v1.metadata.json", i), tableText(i, 0))
		s.says(i, fmt.Sprint("t", i), fmt.Sprintf("file:///w/lake/n/%d/v1.metadata.json", i))
	}
	s.put("n/7/v1.metadata.json", "{")
	for i, o := range s.plan().Objects {
		if want := o.UUID != numbered(7); (o.Outcome == recover.Recovered) != want {
			t.Errorf("%d: %+v", i, o)
		}
	}
}

// A drop of which the sidecar says nothing, with its files gone, stops nothing.
func TestCase50_DroppedAndPurged(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("w1"), tableText(3, 0))
	s.says(1, "t", file("v1"), func(o *sidecars.Object) { o.State = sidecars.Dropped })
	s.says(2, "purged", "file:///w/lake/purged/v1.metadata.json")
	s.says(3, "t", file("w1"))
	p := s.plan()
	if o := object(t, p, 1); o.Outcome != recover.Dropped || o.MetadataLocation != file("v1") {
		t.Errorf("dropped: %+v", o)
	}
	if o := object(t, p, 2); o.Outcome != recover.Failed {
		t.Errorf("purged: %+v", o)
	}
	if o := object(t, p, 3); o.Outcome != recover.Recovered {
		t.Errorf("made anew: %+v", o)
	}
	if len(p.Unregistered) != 0 || len(p.NotUsed) != 0 {
		t.Errorf("%+v, %+v", p.Unregistered, p.NotUsed)
	}
}

func TestCase51_TwoOfOneName(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*sidecars.Object)
		won    bool
	}{
		"the newer event":   {func(*sidecars.Object) {}, true},
		"a view":            {func(o *sidecars.Object) { o.Kind = journal.View }, true},
		"the later time":    {func(o *sidecars.Object) { o.Extras, o.UpdatedAt = sidecars.Extras{}, epoch.Add(time.Second) }, true},
		"the earlier event": {func(o *sidecars.Object) { o.Seq, o.UpdatedAt = 1, epoch.Add(time.Hour) }, false},
		"the same time":     {func(o *sidecars.Object) { o.Extras = sidecars.Extras{} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShore(t)
			s.seq = 5
			s.put(key("a"), tableText(1, 0))
			s.put(key("b"), strings.ReplaceAll(tableText(2, 0), "table-uuid", map[bool]string{true: "view-uuid", false: "table-uuid"}[name == "a view"]))
			s.says(1, "t", file("a"))
			s.says(2, "t", file("b"), test.change)
			p := s.plan()
			won, lost := object(t, p, 2), object(t, p, 1)
			if !test.won {
				won, lost = lost, won
			}
			both := name == "the same time"
			if (won.Outcome == recover.Recovered) == both || !both && len(won.Warnings) == 0 || lost.Outcome != recover.Failed || !errors.Is(lost.Err, recover.ErrNameTaken) {
				t.Errorf("won %+v, lost %+v", won, lost)
			}
		})
	}
	s := newShore(t)
	s.put(key("a"), tableText(1, 0))
	s.put(key("b"), tableText(2, 0))
	s.says(1, "t", file("a"))
	s.says(2, "T", file("b"))
	p := s.plan()
	if object(t, p, 1).Outcome != recover.Recovered || object(t, p, 2).Outcome != recover.Recovered {
		t.Errorf("names of other letter case: %+v", p.Objects)
	}
}

// Files that came back without a sidecar are told, not registered.
func TestCase57_OnlyListed(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(1, 1, file("v1")))
	s.put("n/t/version-hint.text", "9")
	s.put("_puddle/journal/x/v1.metadata.json", tableText(9, 1))
	p := s.plan()
	want := recover.Unregistered{UUID: numbered(1), Location: "file:///w/lake/n/t", Newest: file("v2")}
	if len(p.Objects) != 0 || len(p.Unregistered) != 1 || p.Unregistered[0] != want {
		t.Errorf("%+v", p)
	}
}

// Where hints are behind, gone or wrong, nothing changes: nobody looks at them.
func TestCase58_HintsAreNotRead(t *testing.T) {
	for _, hint := range []string{"3", "", "x", "v5.metadata.json"} {
		s := newShore(t)
		for i := range 5 {
			var log []string
			if i > 0 {
				log = []string{file(fmt.Sprint("v", i))}
			}
			s.put(key(fmt.Sprint("v", i+1)), tableText(1, i, log...))
		}
		s.put(folded+"version-hint.text", hint)
		s.says(1, "t", file("v2"))
		if o := object(t, s.plan(), 1); o.MetadataLocation != file("v5") || o.CommitsBehind != 3 {
			t.Errorf("%q: %+v", hint, o)
		}
	}
}

func TestCase63_ViewsGetWhatTheSidecarSays(t *testing.T) {
	s := newShore(t)
	for i := range 3 {
		s.put(key(fmt.Sprint("v", i)), fmt.Sprintf(`{"view-uuid":%q,"location":"file:///w/lake/n/t","version-log":[{"timestamp-ms":%d,"version-id":%d}]}`,
			numbered(1), epoch.Add(time.Duration(i)*time.Hour).UnixMilli(), i))
	}
	s.says(1, "v", file("v1"), func(o *sidecars.Object) { o.Kind = journal.View })
	p := s.plan()
	if o := object(t, p, 1); o.MetadataLocation != file("v1") || o.Evidence != recover.BySidecar {
		t.Errorf("%+v", o)
	}
	if len(p.NotUsed) != 1 || p.NotUsed[0].MetadataLocation != file("v2") {
		t.Errorf("%+v", p.NotUsed)
	}
}

func TestCase66_Namespaces(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"), func(o *sidecars.Object) { o.Identifier.Namespace = journal.Namespace{"n", "deep", "er"} })
	s.says(2, "gone", file("v1"), func(o *sidecars.Object) {
		o.Identifier.Namespace, o.State = journal.Namespace{"of the dropped"}, sidecars.Dropped
	})
	s.saysNamespace(sidecars.Namespace{ID: numbered(11), Name: journal.Namespace{"n", "deep"}, Properties: map[string]string{"location": "x"}, State: sidecars.Active})
	s.saysNamespace(sidecars.Namespace{ID: numbered(12), Name: journal.Namespace{"empty", "one"}, State: sidecars.Active})
	s.saysNamespace(sidecars.Namespace{ID: numbered(13), Name: journal.Namespace{"was"}, State: sidecars.Dropped})
	var got []string
	for _, n := range s.plan().Namespaces {
		got = append(got, fmt.Sprintf("%s %s %t %v", n.Name, n.From, n.ID != uuid.Nil, n.Properties))
	}
	want := []string{"empty missing false map[]", "empty.one sidecar true map[]", "n missing false map[]", "n.deep sidecar true map[location:x]", "n.deep.er missing false map[]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLateDropOfANamespace(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.says(1, "t", file("v1"))
	extras := sidecars.Extras{WarehouseID: uuid.UUID{1}, Seq: 9}
	s.saysNamespace(sidecars.Namespace{ID: numbered(11), Name: journal.Namespace{"n"}, State: sidecars.Dropped, Extras: extras})
	if o := object(t, s.plan(), 1); len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "was dropped after") {
		t.Errorf("%+v", o)
	}
}

// A recovered catalog leaves the sidecars of what it could not bring back.
func TestSidecarsOfAnEarlierIncarnation(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(2, 0))
	later := func(o *sidecars.Object) { o.Incarnation, o.Seq = uuid.UUID{7}, 1_000_002 }
	s.says(1, "t", file("v1"))
	s.says(2, "u", file("v2"), later)
	s.put(sidecars.Folder+"/cursor.json", `{"format-version":1,"incarnation":"07000000-0000-0000-0000-000000000000","seq":1000002,"hash":"`+journal.Sum(nil).String()+`"}`)
	p := s.plan()
	if o := object(t, p, 1); o.Outcome != recover.Recovered || len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "did not have it") {
		t.Errorf("%+v", o)
	}
	if o := object(t, p, 2); len(o.Warnings) != 0 {
		t.Errorf("%+v", o)
	}
	s.put(sidecars.Folder+"/cursor.json", "{")
	if o := object(t, s.plan(), 1); len(o.Warnings) != 0 {
		t.Errorf("%+v", o)
	}
}

// The files of a table may lie in several folders and roots.
func TestFilesInOtherFolders(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put("meta/v2.metadata.json", tableText(1, 1, file("v1")))
	third := tableText(1, 2, "file:/w/lake/meta/v2.metadata.json")
	if err := s.other.Put(t.Context(), "else/v3.metadata.json", []byte(third)); err != nil {
		t.Fatal(err)
	}
	s.says(1, "t", file("v1"))
	p := s.plan()
	if o := object(t, p, 1); o.MetadataLocation != "s3://b/lake/else/v3.metadata.json" || o.CommitsBehind != 2 || len(p.Unregistered)+len(p.NotUsed) != 0 {
		t.Errorf("%+v", p)
	}
}

// Engines compare locations as text: those of one folder are spelled alike.
func TestCase27_SpelledAsTheSidecarDoes(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(1, 1, "/w/lake/n/t/metadata/v1.metadata.json"))
	s.says(1, "t", "file:/w/lake/n/t/metadata/v1.metadata.json")
	if o := object(t, s.plan(), 1); o.MetadataLocation != "file:/w/lake/n/t/metadata/v2.metadata.json" {
		t.Errorf("%+v", o)
	}
}

// What cannot be read may be the current file.
func TestUnreadableFileIsADoubt(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(1, 1, file("v1")))
	s.put(key("v3"), tableText(1, 1, file("v2")))
	s.says(1, "t", file("v1"))
	failing := func(failed string) (recover.Plan, error) {
		store := faulty.New(s.own, func(op faulty.Op, key string) faulty.Fault {
			if strings.HasSuffix(key, failed) && op != faulty.Stat {
				return faulty.Before(errors.New("injected"))
			}
			return faulty.Fault{}
		})
		return recover.PlanSidecars(t.Context(), recover.Evidences{Roots: rootsOf(store), Name: "a"})
	}
	p, err := failing("v3.metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	if o := object(t, p, 1); o.MetadataLocation != file("v1") || len(o.Warnings) != 1 || len(p.NotUsed) == 0 {
		t.Errorf("%+v", p)
	}
	if p, err = failing(numbered(1).String() + ".json"); err != nil || object(t, p, 1).Outcome != recover.Failed {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err = failing(""); err == nil {
		t.Error("a warehouse that cannot be listed is planned")
	}
}

func TestArchiveDecidesAFork(t *testing.T) {
	s := newShore(t)
	s.put(key("v1"), tableText(1, 0))
	s.put(key("v2"), tableText(1, 1, file("v1")))
	s.put(key("v3"), tableText(1, 2, file("v1")))
	s.says(1, "t", file("v1"))
	var steps []recover.Surveyed
	e := recover.Evidences{
		Roots: rootsOf(s.own), Name: "a", Progress: func(s recover.Surveyed) { steps = append(steps, s) },
		Proven: func(_ context.Context, id uuid.UUID) (func(warehouse.Location) bool, bool, error) {
			return namedBy(map[string]bool{"/w/lake/" + key("v2"): true}), id == numbered(1), nil
		},
	}
	p, err := recover.PlanSidecars(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if o := object(t, p, 1); o.MetadataLocation != file("v2") || o.Confidence != recover.Proven || o.Evidence != recover.ByArchive || o.CommitsBehind != 1 {
		t.Errorf("%+v", o)
	}
	if last := steps[len(steps)-1]; last != (recover.Surveyed{Sidecars: 1, Listed: 4, Files: 3}) {
		t.Errorf("%+v", last)
	}
	e.Proven = func(context.Context, uuid.UUID) (func(warehouse.Location) bool, bool, error) {
		return nil, false, errors.New("injected")
	}
	if _, err := recover.PlanSidecars(t.Context(), e); err == nil {
		t.Error("an archive that cannot be read is none")
	}
	var none warehouse.Roots
	if _, err := recover.PlanSidecars(t.Context(), recover.Evidences{Roots: none}); err == nil {
		t.Error("no roots")
	}
}
