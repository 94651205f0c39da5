package catalog_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// Whatever tables and views are made, changed, swapped, dropped, registered and
// brought back: no two that live own places which overlap, each owns exactly what
// its metadata file names, a change is refused exactly when the model says so, and
// what is refused leaves no file (cases 130, 133 and 141).
func TestLawPlaces(t *testing.T) {
	eachGround(t, func(rt *rapid.T, g *ground) {
		s := &settler{T: rt, process: g.start(rt, nil), live: map[string]plot{}}
		defer func() { s.stop(rt) }()
		s.namespace(rt, nil, "n")
		for range rapid.IntRange(1, 30).Draw(rt, "commands") {
			s.act()
			s.check()
		}
		nothingLeft(rt, g)
	})
}

// plot is an object with its locations, by role.
type plot struct {
	id       uuid.UUID
	view     bool
	file     string // its metadata file
	location map[string]string
}

// settler asks for places, and knows what it must get: a model of the namespace n.
type settler struct {
	*rapid.T
	*process
	live map[string]plot
	gone []plot
}

// spots are where objects may be asked for below the warehouse, many in each
// other's way; the last are never right.
var spots = []string{"a", "a/b", "a/b/c", "ab", "A", "a#x", "a#x/y", "a?x", "b/c", "b/c#/d", "b?", "b-1", "%61", "c/_puddles", "", "#x", "_puddle/x", "_PUDDLE?x", "a/../b"}

// folders are what a location is to clients.
func readingsOf(location string) []string {
	raw := location + "/"
	if at := strings.IndexAny(location, "?#"); at >= 0 {
		return []string{raw, strings.TrimRight(location[:at], "/") + "/"}
	}
	return []string{raw}
}

// fits is what must become of an object that has these locations, when others live
// as they do: "" is yes.
func (s *settler) fits(asked plot, others map[string]plot) catalog.Code {
	root := s.ground.url + "/"
	for _, location := range asked.location {
		for _, folder := range readingsOf(location) {
			if folder == root || warehouse.HoldsReserved(folder) || strings.Contains(folder, "/../") {
				return catalog.Invalid
			}
		}
	}
	for _, other := range others {
		if other.id != asked.id && meet(asked, other) {
			return catalog.AlreadyExists
		}
	}
	return ""
}

// meet tells that a folder of the one is a folder of the other, or holds it.
func meet(a, b plot) bool {
	for _, one := range a.location {
		for _, other := range b.location {
			for _, x := range readingsOf(one) {
				for _, y := range readingsOf(other) {
					if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
						return true
					}
				}
			}
		}
	}
	return false
}

func (s *settler) act() {
	name := names.Draw(s.T, "name")
	_, there := s.live[name]
	switch command := rapid.SampledFrom([]string{"make", "make", "change", "change", "swap", "drop", "return", "restart"}).Draw(s.T, "command"); {
	case command == "make" && !there:
		s.make(name)
	case command == "change" && there:
		s.change(name)
	case command == "swap":
		s.swap()
	case command == "drop" && there:
		s.drop(name)
	case command == "return" && !there && len(s.gone) > 0:
		s.bringBack(name)
	case command == "restart":
		s.stop(s.T)
		s.ground.reopen(s.T, rapid.Bool().Draw(s.T, "tables lost"))
		s.process = s.ground.start(s.T, nil)
	}
}

// spot draws where an object is asked for, by which role.
func (s *settler) spot() (role, location string) {
	role = rapid.SampledFrom(append([]string{"location", "location"}, roles...)).Draw(s.T, "role")
	return role, s.ground.url + strings.TrimSuffix("/"+rapid.SampledFrom(spots).Draw(s.T, "spot"), "/")
}

func (s *settler) make(name string) {
	role, location := s.spot()
	asked := withLocation(newTable(name, s.ground.url+"/own/"+uuid.NewString()), role, location)
	made := plot{view: rapid.Bool().Draw(s.T, "view"), location: map[string]string{"location": asked.Location, role: location}}
	var text []byte
	var err error
	if made.view {
		view := newView(name, asked.Location)
		view.Properties = asked.Properties
		var v catalog.View
		v, err = s.CreateView(ctx, cause, view)
		made.file, text = v.MetadataLocation, v.Metadata
	} else if rapid.Bool().Draw(s.T, "staged") {
		made.file, text, err = s.staged(name, asked)
	} else {
		var t catalog.Table
		t, err = s.CreateTable(ctx, cause, asked)
		made.file, text = t.MetadataLocation, t.Metadata
	}
	if s.settles(err, s.fits(made, s.live)) {
		made.id = s.idOf(made, text)
		s.live[name] = made
	}
}

// staged makes a table in two steps, which must both see the same.
func (s *settler) staged(name string, asked catalog.NewTable) (file string, text []byte, err error) {
	staged, err := s.StageTable(ctx, asked)
	if err != nil {
		return "", nil, err
	}
	updates := births(s.T, staged)
	for property, value := range asked.Properties {
		updates += "," + set(property, value)
	}
	made, err := s.commit(s.T, name, assertCreate, updates)
	return made.MetadataLocation, made.Metadata, err
}

func (s *settler) idOf(of plot, text []byte) uuid.UUID {
	if of.view {
		v, err := metadata.ParseView(text, of.file)
		must(s.T, err)
		return v.UUID()
	}
	d, err := metadata.Parse(text, of.file)
	must(s.T, err)
	return d.UUID()
}

// settles tells that a change was made, as the model has it.
func (s *settler) settles(err error, want catalog.Code) bool {
	if want != "" {
		refused(s.T, err, want)
		return false
	}
	must(s.T, err)
	return true
}

// changed draws the next locations of an object, and the update that gives them.
func (s *settler) changed(from plot) (plot, string) {
	role, location := s.spot()
	next := from
	next.location = maps.Clone(from.location)
	if _, has := from.location[role]; has && role != "location" && rapid.Bool().Draw(s.T, "removes") {
		delete(next.location, role)
		return next, `{"action":"remove-properties","removals":[` + quoted(role) + `]}`
	}
	next.location[role] = location
	return next, moved(role, location)
}

func (s *settler) change(name string) {
	next, update := s.changed(s.live[name])
	var err error
	if next.view {
		var v catalog.View
		v, err = s.commitView(s.T, name, "", update)
		next.file = v.MetadataLocation
	} else {
		var t catalog.Table
		t, err = s.commit(s.T, name, "", update)
		next.file = t.MetadataLocation
	}
	if maps.Equal(next.location, s.live[name].location) {
		must(s.T, err)
		return
	}
	if s.settles(err, s.fits(next, s.live)) {
		s.live[name] = next
	}
}

// swap changes two tables in one transaction, of which only the end counts.
func (s *settler) swap() {
	tables := slices.DeleteFunc(slices.Sorted(maps.Keys(s.live)), func(name string) bool { return s.live[name].view })
	if len(tables) < 2 {
		return
	}
	pair := rapid.Permutation(tables).Draw(s.T, "pair")[:2]
	after, changes := maps.Clone(s.live), make([]catalog.Change, 2)
	exchanged := rapid.Bool().Draw(s.T, "exchanged")
	for i, name := range pair {
		next, update := s.changed(s.live[name])
		if exchanged {
			next, update = s.placedAs(s.live[name], s.live[pair[1-i]])
		}
		after[name], changes[i] = next, change(s.T, name, "", update)
	}
	want := catalog.Code("")
	for _, name := range pair {
		if maps.Equal(after[name].location, s.live[name].location) {
			continue
		}
		if code := s.fits(after[name], after); code != "" && want != catalog.Invalid {
			want = code
		}
	}
	landed, err := s.CommitTables(ctx, cause, changes...)
	if !s.settles(err, want) {
		return
	}
	for i, name := range pair {
		next := after[name]
		next.file = landed[i].MetadataLocation
		s.live[name] = next
	}
}

// placedAs gives an object the location of another.
func (s *settler) placedAs(of, other plot) (plot, string) {
	location := other.location["location"]
	of.location = maps.Clone(of.location)
	of.location["location"] = location
	return of, moved("location", location)
}

func (s *settler) drop(name string) {
	if s.live[name].view {
		must(s.T, s.DropView(ctx, cause, id(name)))
	} else {
		must(s.T, s.DropTable(ctx, cause, id(name), false))
	}
	s.gone = append(s.gone, s.live[name])
	delete(s.live, name)
}

// bringBack registers the file of a dropped object, or undrops it.
func (s *settler) bringBack(name string) {
	at := rapid.IntRange(0, len(s.gone)-1).Draw(s.T, "which")
	back := s.gone[at]
	var err error
	switch {
	case rapid.Bool().Draw(s.T, "undrop"):
		_, err = s.Undrop(ctx, cause, catalog.Undrop{UUID: back.id, As: id(name)})
	case back.view:
		_, err = s.RegisterView(ctx, cause, id(name), back.file)
	default:
		_, err = s.register(name, back.file)
	}
	if s.settles(err, s.fits(back, s.live)) {
		s.live[name] = back
		s.gone = slices.Delete(s.gone, at, at+1)
	}
}

// check compares the places of all that live with each other, and with the model.
func (s *settler) check() {
	s.Helper()
	held := dump(s.T, s.ground.pointers.Warehouse(lake)).Objects
	for i, one := range held {
		for _, other := range held[:i] {
			for _, x := range one.Places {
				for _, y := range other.Places {
					if warehouse.Overlaps(x.Path, y.Path) {
						s.Fatalf("%s of %s overlaps %s of %s", x.Path, one.Identifier, y.Path, other.Identifier)
					}
				}
			}
		}
	}
	for name, of := range s.live {
		var want []string
		for _, location := range of.location {
			for _, folder := range readingsOf(location) {
				want = append(want, strings.TrimPrefix(folder, "s3:"))
			}
		}
		slices.Sort(want)
		places, err := s.Reader.Places(ctx, of.id)
		must(s.T, err)
		var got []string
		for _, place := range places {
			got = append(got, place.Path)
		}
		if want = slices.Compact(want); !slices.Equal(want, got) {
			s.Fatalf("%s owns %q, want %q", name, got, want)
		}
	}
}
