package catalog_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// Whatever is created, committed, dropped, brought back, repointed and renamed,
// with restarts in between: every table is where the model has it, what is refused
// is what the model refuses, and laws 1, 2, 6, 8 and 12 hold.
func TestLawReturns(t *testing.T) {
	overFile(t, func(rt *rapid.T, g *ground) {
		o := &operator{T: rt, process: g.start(rt, nil)}
		defer func() { o.stop(rt) }()
		o.namespace(rt, nil, "n")
		for range rapid.IntRange(1, 30).Draw(rt, "commands") {
			o.act()
		}
		o.check()
		nothingLeft(rt, g)
	})
}

// lifted is a table as the model has it, dropped or not.
type lifted struct {
	id       uuid.UUID
	name     string
	versions []catalog.Table
	parents  []int // of the versions; -1 of the first
	now      int   // the current version, or the last
	live     bool
	dropped  int // a number that grows with each drop
	purge    bool
	purged   bool
}

// descends tells whether one version was made from another.
func (l *lifted) descends(version, from int) bool {
	for version >= 0 && version != from {
		version = l.parents[version]
	}
	return version == from
}

// tips are the versions that descend from the current one and that none descends
// from.
func (l *lifted) tips() (tips []int) {
	for v := range l.versions {
		last := !slices.ContainsFunc(l.parents, func(parent int) bool { return parent == v })
		if v != l.now && last && l.descends(v, l.now) {
			tips = append(tips, v)
		}
	}
	return tips
}

// operator sends commands and remembers what must be true.
type operator struct {
	*rapid.T
	*process
	all   []*lifted
	drops int
}

func (o *operator) named(name string) *lifted {
	for _, l := range o.all {
		if l.live && l.name == name {
			return l
		}
	}
	return nil
}

func (o *operator) act() {
	name := names.Draw(o.T, "name")
	there := o.named(name)
	switch command := rapid.SampledFrom([]string{"create", "create", "append", "append", "set", "drop", "drop", "purged", "undrop", "undrop",
		"undrop uuid", "repoint", "repoint", "newest", "rename", "restart"}).Draw(o.T, "command"); {
	case command == "create":
		table, err := o.CreateTable(ctx, cause, newTable(name, ""))
		if there != nil {
			refused(o, err, catalog.AlreadyExists)
			return
		}
		must(o, err)
		o.all = append(o.all, &lifted{id: uuidOf(o, table), name: name, versions: []catalog.Table{table}, parents: []int{-1}, live: true})
	case command == "purged":
		o.endPurge()
	case command == "undrop":
		o.undropName(name)
	case command == "undrop uuid":
		o.undropUUID(name)
	case command == "restart":
		o.stop(o)
		o.ground.reopen(o, rapid.Bool().Draw(o.T, "tables lost"))
		o.process = o.ground.start(o, nil)
	case there != nil:
		o.change(there, command)
	}
}

// change does what needs a table that is there.
func (o *operator) change(l *lifted, command string) {
	switch command {
	case "append":
		table, err := o.append(o, l.name, int64(100+len(l.versions)))
		must(o, err)
		l.grow(table)
	case "set":
		table, err := o.commit(o, l.name, "", set("k", uuid.NewString()))
		must(o, err)
		l.grow(table)
	case "drop":
		l.purge = rapid.Bool().Draw(o.T, "purge")
		must(o, o.DropTable(ctx, cause, id(l.name), l.purge))
		o.drops++
		l.live, l.dropped, l.purged = false, o.drops, false
	case "repoint":
		o.repointTo(l)
	case "newest":
		o.repointNewest(l)
	case "rename":
		to := names.Draw(o.T, "to")
		err := o.RenameTable(ctx, cause, id(l.name), id(to))
		if o.named(to) != nil {
			refused(o, err, catalog.AlreadyExists)
			return
		}
		must(o, err)
		l.name = to
	}
}

func (l *lifted) grow(table catalog.Table) {
	l.versions, l.parents = append(l.versions, table), append(l.parents, l.now)
	l.now = len(l.versions) - 1
}

// endPurge ends the purge of a table that waits for it. Its files stay: what would
// bring it back must not look at them.
func (o *operator) endPurge() {
	for _, l := range o.all {
		if l.live || !l.purge || l.purged {
			continue
		}
		purge, ok, err := o.Reader.Purge(ctx, l.id)
		if must(o, err); !ok || purge.Done {
			o.Fatalf("the purge of %s: %+v", l.id, purge)
		}
		_, err = o.recorder.Record(ctx, journal.Draft{
			Warehouse: lake, ID: uuid.Must(uuid.NewV7()), Cause: cause, Body: journal.TablePurged{Table: l.id, Drop: purge.Drop},
		})
		must(o, err)
		l.purged = true
		return
	}
}

func (o *operator) undropName(name string) {
	var last *lifted
	others := 0
	for _, l := range o.all {
		if l.live || l.name != name {
			continue
		}
		if others++; last == nil || l.dropped > last.dropped {
			last = l
		}
	}
	back, err := o.Undrop(ctx, cause, catalog.Undrop{Identifier: id(name)})
	if last == nil {
		if !hasCode(err, catalog.NoSuchTable, catalog.AlreadyExists) {
			o.Fatalf("nothing was dropped as %s: %v", name, err)
		}
		return
	}
	if err == nil && (len(back.Others) != others-1 || back.UUID != last.id) {
		o.Fatalf("%s came back beside %d others, want %s beside %d", back.UUID, len(back.Others), last.id, others-1)
	}
	o.returned(last, name, back, err)
}

func (o *operator) undropUUID(name string) {
	if len(o.all) == 0 {
		return
	}
	l := rapid.SampledFrom(o.all).Draw(o.T, "table")
	back, err := o.Undrop(ctx, cause, catalog.Undrop{UUID: l.id, As: id(name)})
	if l.live {
		refused(o, err, catalog.AlreadyExists)
		return
	}
	o.returned(l, name, back, err)
}

// returned takes the answer to an undrop into the model.
func (o *operator) returned(l *lifted, name string, back catalog.Undropped, err error) {
	switch {
	case o.named(name) != nil:
		refused(o, err, catalog.AlreadyExists)
	case l.purge && l.purged:
		refused(o, err, catalog.FileMissing)
	default:
		must(o, err)
		if back.Purge != l.purge || back.Pointer != pointer(l.versions[l.now]) {
			o.Fatalf("came back: %+v", back)
		}
		l.live, l.name, l.purge = true, name, false
	}
}

func (o *operator) repointTo(l *lifted) {
	to := rapid.IntRange(0, len(l.versions)-1).Draw(o.T, "version")
	r := catalog.Repoint{
		Identifier: id(l.name), To: l.versions[to].MetadataLocation, Reason: "r",
		AllowRewind: rapid.Bool().Draw(o.T, "allow"), Force: rapid.Bool().Draw(o.T, "force"),
	}
	done, err := o.Repoint(ctx, cause, r)
	rewind := !l.descends(to, l.now)
	lower := read(o, l.versions[to].Metadata).Sequence < read(o, l.versions[l.now].Metadata).Sequence
	if to != l.now && rewind && (!r.AllowRewind || lower && !r.Force) {
		refused(o, err, catalog.Unsafe)
		return
	}
	must(o, err)
	if done.Changed != (to != l.now) || done.Rewind != rewind || (len(done.Lowered) > 0) != (rewind && lower) {
		o.Fatalf("repointed: %+v, want rewind %v, lower %v", done, rewind, lower)
	}
	l.now = to
}

func (o *operator) repointNewest(l *lifted) {
	done, err := o.Repoint(ctx, cause, catalog.Repoint{UUID: l.id, Newest: true, Reason: "r"})
	switch tips := l.tips(); len(tips) {
	case 0:
		if must(o, err); done.Changed {
			o.Fatalf("repointed to %s, at the newest", done.To.MetadataLocation)
		}
	case 1:
		must(o, err)
		l.now = tips[0]
	default:
		for _, tip := range tips {
			refused(o, err, catalog.Unsafe, l.versions[tip].MetadataLocation)
		}
	}
}

func (o *operator) check() {
	var want []string
	for _, l := range o.all {
		if !l.live {
			continue
		}
		want = append(want, l.name)
		if diff := cmp.Diff(l.versions[l.now], o.load(o, l.name)); diff != "" {
			o.Fatalf("%s: %s", l.name, diff)
		}
	}
	slices.Sort(want)
	listed, err := o.Tables(ctx, journal.Namespace{"n"}, projections.Page{})
	must(o, err)
	if !slices.Equal(want, listed) {
		o.Fatalf("listed: %q, want %q", listed, want)
	}
}
