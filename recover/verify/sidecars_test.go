package verify_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"puddle/journal"
	"puddle/projections/archive"
	"puddle/projections/sidecars"
	"puddle/recover/verify"
)

// follow has the sidecars written.
func (w *world) follow() *sidecars.Follower {
	f := sidecars.Follow(sidecars.Options{
		ID: w.id, Name: "lake", Store: w.files, Roots: w.roots(), From: journal.Lineage(w.journal, w.id),
		Failed: func(err error, _ string) { w.t.Error(err) },
	})
	f.Wake()
	return f
}

// written has all sidecars written.
func (w *world) written() {
	w.t.Helper()
	w.must(w.follow().Close(w.t.Context()))
}

// sidecarsOf is a run whose findings of sidecars are by their messages.
func (w *world) sidecarsOf(subject verify.Warehouse) (messages []string) {
	w.t.Helper()
	_, told := w.run(subject, 2)
	for _, f := range told.findings {
		if f.Kind != verify.KindSidecar || f.Severity != verify.Warning || !strings.HasPrefix(f.Place, sidecars.Folder) {
			w.t.Errorf("found %s", f)
		}
		messages = append(messages, f.Message)
	}
	return messages
}

// TestSidecarsAreCompared: behind the cursor nothing is told; before it a sidecar that is
// missing, older, newer or another's is.
func TestSidecarsAreCompared(t *testing.T) {
	w := newWorld(t)
	a, b := w.table("a"), w.table("b")
	w.must(w.DropTable(t.Context(), cause, name("b"), false))
	w.anchored()
	if told := w.sidecarsOf(w.subject()); len(told) > 0 {
		t.Errorf("without any: %q", told)
	}
	w.written()
	get := func(key string) []byte {
		data, err := w.files.Get(t.Context(), key, 1<<20)
		w.must(err)
		return data
	}
	old := get(sidecars.Key(a.UUID))
	if told := w.sidecarsOf(w.subject()); len(told) > 0 {
		t.Errorf("quiet: %q", told)
	}
	a = w.commit("a")
	w.table("c")
	if told := w.sidecarsOf(w.subject()); len(told) > 0 {
		t.Errorf("behind: %q", told)
	}
	w.written()
	newest, dropped := get(sidecars.Key(a.UUID)), get(sidecars.Key(b.UUID))
	put := func(data []byte) func() {
		return func() { w.must(w.files.Put(t.Context(), sidecars.Key(a.UUID), data)) }
	}
	for what, c := range map[string]struct {
		spoil func()
		want  string
	}{
		"missing":  {func() { w.must(w.files.Delete(t.Context(), sidecars.Key(a.UUID))) }, "it is missing"},
		"older":    {put(old), "it was not written after event"},
		"newer":    {put([]byte(strings.Replace(string(newest), `"seq": 6`, `"seq": 7`, 1))), "the journal's last one of"},
		"another":  {put([]byte(strings.Replace(string(newest), a.Pointer.MetadataLocation, location+"/a/metadata/x.metadata.json", 1))), "it names"},
		"renamed":  {put([]byte(strings.Replace(string(newest), `"name": "a"`, `"name": "z"`, 1))), "the journal says n.a"},
		"foreign":  {put([]byte(strings.Replace(string(newest), w.id.String(), b.UUID.String(), 1))), "it is of warehouse"},
		"broken":   {put(newest[:len(newest)-9]), "is damaged"},
		"stranger": {func() { put(newest)(); w.copyTo(newest, a.UUID.String()) }, "which the journal does not have"},
		"back": {func() {
			w.must(w.files.Put(t.Context(), sidecars.Key(b.UUID), []byte(strings.Replace(string(dropped), `"dropped"`, `"active"`, 1))))
		}, "it says active"},
	} {
		c.spoil()
		told := w.sidecarsOf(w.subject())
		if len(told) != 1 || !strings.Contains(told[0], c.want) {
			t.Errorf("%s: %q", what, told)
		}
		put(newest)()
		w.must(w.files.Put(t.Context(), sidecars.Key(b.UUID), dropped))
		_ = w.files.Delete(t.Context(), strangerKey)
	}
	if told := w.sidecarsOf(w.subject()); len(told) > 0 {
		t.Errorf("put back: %q", told)
	}
}

const (
	stranger    = "6f3b1c52-9a0e-4d57-8f21-0c4de7a1b2c3"
	strangerKey = sidecars.Folder + "/" + stranger + ".json"
)

// copyTo is the sidecar of an object that is not there.
func (w *world) copyTo(data []byte, id string) {
	w.must(w.files.Put(w.t.Context(), strangerKey, []byte(strings.ReplaceAll(string(data), id, stranger))))
}

// TestNamespaceSidecarsAreCompared: when all is quiet.
func TestNamespaceSidecarsAreCompared(t *testing.T) {
	w := newWorld(t)
	w.anchored()
	w.written()
	for found, err := range sidecars.List(t.Context(), w.files) {
		w.must(err)
		data, err := w.files.Get(t.Context(), found.Key, 1<<20)
		w.must(err)
		w.must(w.files.Put(t.Context(), found.Key, []byte(strings.Replace(string(data), `"properties": {}`, `"properties": {"k":"v"}`, 1))))
	}
	if told := w.sidecarsOf(w.subject()); !slices.Equal(told, []string{"it does not say what the journal says of namespace n"}) {
		t.Errorf("%q", told)
	}
}

// TestNoFalseAlarmBesideFollowers verifies while tables change and sidecars and archive
// follow, and once more when all is quiet: then both are at the end.
func TestNoFalseAlarmBesideFollowers(t *testing.T) {
	w := newWorld(t)
	w.table("a")
	w.anchored()
	beside := w.follow()
	sealing := archive.Follow(archive.Options{ID: w.id, Store: w.files, From: w.journal, Mode: archive.Async, Failed: func(err error) { t.Error(err) }})
	stop, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for stop.Err() == nil {
			w.commit("a")
			w.table("b")
			w.must(w.RenameTable(t.Context(), cause, name("b"), name("c")))
			w.must(w.DropTable(t.Context(), cause, name("c"), false))
			beside.Wake()
			sealing.Wake()
		}
	})
	subject := w.subject()
	subject.Now = w.recorder.Reader(w.id)
	for range 20 {
		if told := w.sidecarsOf(subject); len(told) > 0 {
			t.Errorf("found %q", told)
		}
	}
	cancel()
	group.Wait()
	w.must(beside.Close(t.Context()))
	w.must(sealing.Close(t.Context()))
	result, told := w.run(w.subject(), 2)
	if s := result.Summary; len(told.kinds()) > 0 || s.ArchivedTo != s.Seq || s.SidecarsTo != s.Seq {
		t.Errorf("quiet: %v, %+v", told.findings, s)
	}
}
