package recover_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
)

// scenario is a warehouse of which the truth is known: what happened to it, and what
// its sidecars say, which may be late.
type scenario struct {
	objects []*lived
	junk    int  // hostile sidecars and files
	archive bool // it covers all events
}

// lived is one table or view and all that became of it.
type lived struct {
	kind        journal.ObjectKind
	id          uuid.UUID
	folder      string // below the root
	maxLog      int
	cleans      bool // a commit deletes the files that its log does not list any more
	files       []*version
	states      []state
	sidecar     int // the state that its sidecar says; -1: it has none
	unconfirmed []*version
	broken      bool // a file is gone that nobody but an operator deletes
}

// version is a metadata file.
type version struct {
	name      string
	number    int
	parent    *version
	log       []*version
	at        time.Time
	committed bool
	deleted   bool
	gzipped   bool
	bare      bool // without a uuid
	loud      bool // its uuid in upper case
	stranger  bool // it has another uuid: a copy that somebody made a table of his own of
	spelling  int  // of locations in it
}

// state is an object after one of its events.
type state struct {
	seq       journal.Seq
	at        time.Time
	current   *version
	name      journal.Identifier
	dropped   bool
	rewound   bool
	abandoned []*version
}

func (o *lived) last() state { return o.states[len(o.states)-1] }

// comesFrom tells whether a version is another, or was made from it by steps.
func (v *version) comesFrom(other *version) bool {
	for ; v != nil; v = v.parent {
		if v == other {
			return true
		}
	}
	return false
}

// own are the files with its uuid.
func (o *lived) own() []*version {
	return slices.DeleteFunc(slices.Clone(o.files), func(v *version) bool { return v.stranger })
}

// teller makes a scenario up.
type teller struct {
	*rapid.T
	now time.Time
	seq journal.Seq
	ids int
	s   *scenario
}

func drawScenario(t *rapid.T) *scenario {
	u := &teller{T: t, now: time.Date(2026, 9, 24, 10, 0, 0, 0, time.UTC), s: &scenario{}}
	for range rapid.IntRange(1, 3).Draw(t, "objects") {
		u.live()
	}
	u.s.junk = rapid.IntRange(0, 6).Draw(t, "junk")
	u.s.archive = rapid.IntRange(0, 3).Draw(t, "archive") == 0
	for _, o := range u.s.objects {
		u.tell(o)
	}
	return u.s
}

func (u *teller) chance(percent int, label string) bool {
	return rapid.IntRange(0, 99).Draw(u.T, label) >= 100-percent
}

// id is one that no other has, in any order, with letters in it.
func (u *teller) id() uuid.UUID {
	u.ids++
	return uuid.UUID{0: 0xa0 + byte(rapid.IntRange(0, 31).Draw(u.T, "id")), 1: 0xfe, 15: byte(u.ids), 14: byte(u.ids >> 8)}
}

// live tells the whole life of an object, after those of the others.
func (u *teller) live() {
	o := &lived{kind: journal.Table, id: u.id(), maxLog: rapid.SampledFrom([]int{1, 2, 3, 100}).Draw(u.T, "log"), cleans: u.chance(20, "cleans")}
	if o.kind = rapid.SampledFrom([]journal.ObjectKind{journal.Table, journal.Table, journal.Table, journal.View}).Draw(u.T, "kind"); o.kind == journal.View {
		o.maxLog = 0
	}
	name := journal.Identifier{Namespace: rapid.SampledFrom([]journal.Namespace{{"n"}, {"n", "deep"}, {"ü m"}}).Draw(u.T, "in"), Name: "t"}
	u.free(name)
	o.folder = rapid.SampledFrom([]string{"n/t/metadata", "n/t/metadata", "n/t", "other/" + o.id.String()}).Draw(u.T, "folder")
	first := u.write(o, nil)
	first.committed, first.bare = true, o.kind == journal.Table && u.chance(15, "bare")
	o.states = []state{{seq: u.event(), at: u.now, current: first, name: name}}
	u.s.objects = append(u.s.objects, o)
	for range rapid.IntRange(0, 8).Draw(u.T, "steps") {
		if o.last().dropped {
			return
		}
		u.step(o)
	}
}

// free takes a name from whoever has it.
func (u *teller) free(name journal.Identifier) {
	for _, o := range u.s.objects {
		s := o.last()
		if s.dropped || !s.name.Equal(name) {
			continue
		}
		if s.dropped = u.chance(50, "drop"); !s.dropped {
			s.name.Name = "old" + o.id.String()
		}
		u.happen(o, s)
	}
}

func (u *teller) event() journal.Seq {
	u.seq++
	return u.seq
}

func (u *teller) happen(o *lived, s state) {
	s.seq, s.at, s.rewound = u.event(), u.now, s.rewound && s.current != o.last().current
	o.states = append(o.states, s)
}

// write makes a file from another.
func (u *teller) write(o *lived, from *version) *version {
	u.now = u.now.Add(time.Duration(rapid.IntRange(1, 1800).Draw(u.T, "seconds")) * time.Second)
	v := &version{
		parent: from, at: u.now, gzipped: u.chance(20, "gzip"), loud: u.chance(30, "loud"), spelling: rapid.IntRange(0, 2).Draw(u.T, "spelling"),
	}
	if from != nil {
		v.number = from.number + 1
		v.log = slices.Concat(from.log, []*version{from})
		v.log = v.log[max(0, len(v.log)-o.maxLog):]
	}
	v.name = fmt.Sprintf("%05d-%s", v.number, u.id())
	o.files = append(o.files, v)
	return v
}

// step tells one thing that happens.
func (u *teller) step(o *lived) {
	now := o.last()
	kinds := []string{"commit", "commit", "commit", "commit", "crash", "lost", "unknown", "rewind", "overwrite", "rename", "drop", "foreign", "copy", "expire"}
	if o.kind == journal.View {
		kinds = []string{"commit", "commit", "lost", "rename", "drop"}
	}
	switch rapid.SampledFrom(kinds).Draw(u.T, "step") {
	case "commit":
		u.commit(o, now)
	case "crash":
		u.write(o, now.current)
	case "lost":
		u.write(o, now.current)
		u.commit(o, now)
	case "unknown":
		v := u.write(o, now.current)
		o.unconfirmed = append(o.unconfirmed, v)
		if u.chance(50, "landed") {
			u.land(o, now, v)
		}
	case "rewind":
		u.rewind(o, now)
	case "overwrite":
		u.overwrite(o, now)
	case "rename":
		now.name.Name = "renamed" + u.id().String()
		u.happen(o, now)
	case "drop":
		now.dropped = true
		u.happen(o, now)
	case "foreign":
		from := rapid.SampledFrom(o.own()).Draw(u.T, "from")
		for range rapid.IntRange(1, 3).Draw(u.T, "versions") {
			from = u.write(o, from)
		}
	case "copy":
		u.write(o, now.current).stranger = true
	case "expire":
		if v := rapid.SampledFrom(o.files).Draw(u.T, "expired"); v != now.current {
			v.deleted, o.broken = true, true
		}
	}
}

func (u *teller) commit(o *lived, now state) { u.land(o, now, u.write(o, now.current)) }

func (u *teller) land(o *lived, now state, v *version) {
	v.committed = true
	now.current, now.abandoned, now.rewound = v, nil, false
	u.happen(o, now)
	if o.cleans {
		for before := v.parent; before != nil; before = before.parent {
			before.deleted = before.deleted || !slices.Contains(v.log, before)
		}
	}
}

// rewind moves the pointer back. The first file of the line that it leaves is
// abandoned.
func (u *teller) rewind(o *lived, now state) {
	var before []*version
	for v := now.current.parent; v != nil; v = v.parent {
		if !v.deleted && v.committed {
			before = append(before, v)
		}
	}
	if len(before) == 0 {
		return
	}
	u.now = u.now.Add(time.Minute)
	was := now.current
	now.current, now.rewound = rapid.SampledFrom(before).Draw(u.T, "to"), true
	for was.parent != now.current {
		was = was.parent
	}
	now.abandoned = slices.DeleteFunc(append(slices.Clone(now.abandoned), was), now.current.comesFrom)
	u.happen(o, now)
}

// overwrite moves the pointer to any file that is there, whoever made it. What is left is
// abandoned from where the two lines part, unless the file is ahead.
func (u *teller) overwrite(o *lived, now state) {
	there := slices.DeleteFunc(o.own(), func(v *version) bool { return v.deleted || v == now.current })
	if len(there) == 0 {
		return
	}
	u.now = u.now.Add(time.Minute)
	to, was := rapid.SampledFrom(there).Draw(u.T, "over"), now.current
	now.abandoned = slices.Clone(now.abandoned)
	if !to.comesFrom(was) {
		for was.parent != nil && !to.comesFrom(was.parent) {
			was = was.parent
		}
		now.rewound, now.abandoned = true, append(now.abandoned, was)
	}
	now.current, to.committed = to, true
	now.abandoned = slices.DeleteFunc(now.abandoned, to.comesFrom)
	u.happen(o, now)
}

// tell decides what the sidecar says.
func (u *teller) tell(o *lived) {
	last := len(o.states) - 1
	o.sidecar = last
	switch {
	case u.chance(5, "no sidecar"):
		o.sidecar = -1
		return
	case u.chance(50, "late"):
		o.sidecar = rapid.IntRange(0, last).Draw(u.T, "said")
	}
	said := o.states[o.sidecar].current
	o.unconfirmed = slices.DeleteFunc(o.unconfirmed, func(v *version) bool { return v.parent != said || v == said })
}
