package purge_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/rest/catalog/purge"
)

// Law 13. Tables share files, manifests, lists, logs and folders in every way that
// clients can write; they are made, dropped, purged, and made again where another
// was. After each step exactly those files have gone that a purged table reached,
// in its own places and in nobody else's: nothing of a live table is ever gone,
// and nothing is left that only a purged table had.
func TestLaw13(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		defer w.stop(rt)
		m := &model{T: rt, world: w, files: map[string]bool{}}
		for range 6 {
			m.put(fmt.Sprintf("%s/%s/data/stray%d", root, rapid.SampledFrom(folders).Draw(rt, "folder"), rapid.IntRange(0, 2).Draw(rt, "stray")))
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			m.step()
			w.wantLeft(rt, slices.Collect(maps.Keys(m.files))...)
		}
	})
}

// folders are where tables may be: twins by prefix, parents, and folders that look
// like the tables' own.
var folders = []string{"a", "ab", "a/b", "a/data", "a/metadata", "b", "b/a", "A"}

// model knows which files are there and which tables live.
type model struct {
	*rapid.T
	*world
	files map[string]bool
	live  []*table
	dead  []*table // dropped with a purge that is pending, in order
	gone  []*table // dropped otherwise, or purged
	made  int
}

func (m *model) put(location string) {
	m.world.put(m, location, []byte(location))
	m.files[location] = true
}

func (m *model) step() {
	switch rapid.SampledFrom([]string{"create", "create", "create", "drop", "drop", "purge", "register"}).Draw(m.T, "step") {
	case "create":
		m.create()
	case "drop":
		if len(m.live) > 0 {
			i := rapid.IntRange(0, len(m.live)-1).Draw(m.T, "which")
			dead, asked := m.live[i], rapid.Bool().Draw(m.T, "with a purge")
			m.live = slices.Delete(m.live, i, i+1)
			m.drop(m, dead, asked)
			if asked {
				m.dead = append(m.dead, dead)
			} else {
				m.gone = append(m.gone, dead)
			}
		}
	case "purge":
		m.purge()
	case "register":
		m.back()
	}
}

// create makes a table that names its own files and some of all others.
func (m *model) create() {
	location := root + "/" + rapid.SampledFrom(folders).Draw(m.T, "location")
	if !m.free(location) {
		return
	}
	m.made++
	t := marked(fmt.Sprint("t", m.made), location, fmt.Sprint(m.made, "-"))
	if rapid.IntRange(0, 5).Draw(m.T, "gc") == 0 {
		t.properties = map[string]string{"gc.enabled": "false"}
	} else {
		m.share(t)
	}
	m.world.create(m, t)
	for _, f := range t.own {
		m.files[f] = true
	}
	m.live = append(m.live, t)
}

// share has a table name files of others, those that are gone too.
func (m *model) share(t *table) {
	var leading, other []string
	for _, f := range slices.Concat(slices.Sorted(maps.Keys(m.files)), m.owned()) {
		if strings.HasSuffix(f, ".avro") {
			leading = append(leading, f)
		} else {
			other = append(other, f)
		}
	}
	for _, spot := range slices.Sorted(maps.Keys(spots)) {
		known := other
		if strings.Contains(spot, "manifest") {
			known = leading
		}
		if len(known) > 0 && rapid.Bool().Draw(m.T, spot) {
			spots[spot](t, rapid.SliceOfN(rapid.SampledFrom(known), 1, 3).Draw(m.T, "names")...)
		}
	}
}

// owned are the files that any table ever wrote.
func (m *model) owned() (files []string) {
	for _, t := range m.everyone() {
		files = append(files, t.own...)
	}
	return files
}

// free tells whether no live table's place is the location, above or below it.
func (m *model) free(location string) bool {
	return !slices.ContainsFunc(m.live, func(t *table) bool { return warehouse.Overlaps(t.location+"/", location+"/") })
}

// back registers a dropped table again, with its uuid, files or not.
func (m *model) back() {
	var can []*table
	for _, t := range slices.Concat(m.dead, m.gone) {
		if m.free(t.location) {
			can = append(can, t)
		}
	}
	if len(can) == 0 {
		return
	}
	t := rapid.SampledFrom(can).Draw(m.T, "back")
	is := func(other *table) bool { return other.id == t.id }
	m.dead, m.gone = slices.DeleteFunc(m.dead, is), slices.DeleteFunc(m.gone, is)
	m.world.register(m, t)
	m.live = append(m.live, t)
}

// purge runs the job over all tables that wait, and does the same to the model.
func (m *model) purge() {
	m.clock.now = m.clock.now.Add(m.grace)
	for _, o := range outcomes(m, m.options(m), len(m.dead)) {
		if o.Result != purge.Closed || o.Purge.Table != m.dead[0].id {
			m.Fatalf("%s ended %s: %v", o.Purge.Identifier, o.Result, o.Err)
		}
		gone := m.reached(m.dead[0])
		if o.Report.Removed != int64(len(gone)) {
			m.Fatalf("%s: %d files removed, want %d", o.Purge.Identifier, o.Report.Removed, len(gone))
		}
		for _, f := range gone {
			delete(m.files, f)
		}
		m.gone = append(m.gone, m.dead[0])
		m.dead = m.dead[1:]
	}
}

// reached are the files that a purge of the table removes now.
func (m *model) reached(t *table) (gone []string) {
	named := map[string]bool{t.current: true}
	name := func(locations ...string) {
		for _, l := range locations {
			named[l] = true
		}
	}
	name(slices.Concat(t.statistics, t.partitions, t.log, slices.Concat(t.snapshots...), t.inline)...)
	for _, manifest := range append(m.listed(slices.Concat(t.snapshots...)...), t.inline...) {
		name(manifest)
		if t.properties["gc.enabled"] != "false" {
			name(m.entries(manifest)...)
		}
	}
	for f := range named {
		mine := strings.HasPrefix(f, t.location+"/") && m.files[f]
		if mine && !slices.ContainsFunc(m.live, func(l *table) bool { return strings.HasPrefix(f, l.location+"/") }) && !m.leads(t, f) {
			gone = append(gone, f)
		}
	}
	return gone
}

// everyone is every table that there ever was: files outlive them.
func (m *model) everyone() []*table { return slices.Concat(m.live, m.dead, m.gone) }

// listed are the manifests that lists name, as far as these are there.
func (m *model) listed(lists ...string) (manifests []string) {
	for _, list := range lists {
		for _, t := range m.everyone() {
			if m.files[list] {
				manifests = append(manifests, t.lists[list]...)
			}
		}
	}
	return manifests
}

// entries are the files that a manifest names, if it is there.
func (m *model) entries(manifest string) (files []string) {
	for _, t := range m.everyone() {
		if m.files[manifest] && slices.Contains(t.own, manifest) {
			files = append(files, t.manifests[manifest]...)
		}
	}
	return files
}

// leads tells that a file is named as a list or manifest and is none, so that it
// stays.
func (m *model) leads(t *table, f string) bool {
	lists := slices.Concat(t.snapshots...)
	isList := func(f string) bool {
		return slices.ContainsFunc(m.everyone(), func(t *table) bool { return t.lists[f] != nil && slices.Contains(t.own, f) })
	}
	isManifest := func(f string) bool {
		return slices.ContainsFunc(m.everyone(), func(t *table) bool { return t.manifests[f] != nil && slices.Contains(t.own, f) })
	}
	if slices.Contains(lists, f) && !isList(f) {
		return true
	}
	read := t.properties["gc.enabled"] != "false"
	return read && slices.Contains(append(m.listed(lists...), t.inline...), f) && !isManifest(f)
}
