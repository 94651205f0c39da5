package descent

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// skew is how far clocks may be apart: a file that is older than S by more does not
// come from it. Iceberg's own readers refuse a log that goes back by more.
const skew = time.Minute

// slack is how long before its event a file is made, by the same clock.
const slack = 2 * time.Second

// family is the metadata files of one table or view, and who was made from whom.
type family struct {
	current Name
	damage  string
	written time.Time
	exact   bool
	since   time.Time // last-updated-ms of S; zero where it is gone
	events  Proof

	kin         map[warehouse.Location]*node
	others      set                            // the files that lie beside them
	heirs       map[warehouse.Location][]*node // who lists a location, whether it is there or not
	ancestors   set                            // what S comes from, there or not
	out         map[warehouse.Location]string  // who cannot be current nor a step to it: why
	unconfirmed set
	foreign     []NotUsed
}

type node struct{ File }

type set map[warehouse.Location]bool

// gather finds the files of the object's uuid. A file without one is of a table whose
// S has none either (case 3).
func gather(o Object, files []File) *family {
	f := &family{
		current: o.Current, damage: o.Damage, written: o.Written, exact: o.Exact, kin: map[warehouse.Location]*node{},
		heirs: map[warehouse.Location][]*node{}, out: map[warehouse.Location]string{}, unconfirmed: set{}, others: set{},
	}
	bare := false
	for _, file := range files {
		if file.Location == o.Current.Location {
			bare = file.UUID == uuid.Nil
			if !bare && file.UUID != o.UUID && f.damage == "" {
				f.damage = "it is of another uuid, " + file.UUID.String()
			}
		}
	}
	for _, file := range files {
		isS := file.Location == o.Current.Location
		switch {
		case isS && f.damage != "":
		case file.UUID == o.UUID || bare && file.UUID == uuid.Nil:
			f.kin[file.Location] = &node{file}
			continue
		case file.UUID == uuid.Nil:
			f.foreign = append(f.foreign, NotUsed{file.Spelled, "it has no uuid, and the file that the sidecar names has one"})
		default:
			f.foreign = append(f.foreign, NotUsed{file.Spelled, "it is of another uuid, " + file.UUID.String()})
		}
		f.others[file.Location] = true
	}
	for _, n := range f.kin {
		n.Log = distinct(n.Log, n.Location)
	}
	for _, n := range f.sorted() {
		for _, before := range n.Log {
			f.heirs[before] = append(f.heirs[before], n)
		}
	}
	if s, there := f.kin[o.Current.Location]; there {
		f.since = s.LastUpdated
	}
	f.ancestors = f.above(o.Current.Location)
	return f
}

// distinct leaves out what a log says twice, but for the last time, and the file itself.
func distinct(log []warehouse.Location, self warehouse.Location) []warehouse.Location {
	seen := set{self: true}
	var kept []warehouse.Location
	for _, at := range slices.Backward(log) {
		if !seen[at] {
			seen[at] = true
			kept = append(kept, at)
		}
	}
	slices.Reverse(kept)
	return kept
}

// sorted are the files in the order of their locations.
func (f *family) sorted() []*node {
	all := make([]*node, 0, len(f.kin))
	for _, n := range f.kin {
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b *node) int { return strings.Compare(a.Location.Path(), b.Location.Path()) })
	return all
}

// above is all that files come from, by their logs and by the logs of those in them.
// Of a file that is gone it is what those that list it list before it.
func (f *family) above(starts ...warehouse.Location) set {
	var next []warehouse.Location
	for _, at := range starts {
		if n, there := f.kin[at]; there {
			next = append(next, n.Log...)
			continue
		}
		for _, heir := range f.heirs[at] {
			next = append(next, heir.Log[:slices.Index(heir.Log, at)]...)
		}
	}
	found := set{}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if found[at] {
			continue
		}
		found[at] = true
		if n, there := f.kin[at]; there {
			next = append(next, n.Log...)
		}
	}
	return found
}

// below is all that comes from locations, whoever is out.
func (f *family) below(starts ...warehouse.Location) map[warehouse.Location]*node {
	return f.descend(starts, func(*node) bool { return true })
}

// open is what comes from a location over nobody who is out.
func (f *family) open(at warehouse.Location) map[warehouse.Location]*node {
	return f.descend([]warehouse.Location{at}, func(n *node) bool { return f.out[n.Location] == "" && n.Location != at })
}

func (f *family) descend(next []warehouse.Location, may func(*node) bool) map[warehouse.Location]*node {
	found := map[warehouse.Location]*node{}
	for next = slices.Clone(next); len(next) > 0; {
		from := next[len(next)-1]
		next = next[:len(next)-1]
		for _, n := range f.heirs[from] {
			if found[n.Location] == nil && may(n) {
				found[n.Location] = n
				next = append(next, n.Location)
			}
		}
	}
	return found
}

// exclude finds who cannot be a step: what was abandoned, what an archive would name
// if it or what comes from it had been committed, and what comes from these. S and what it
// comes from stay: the sidecar says that S was current.
func (f *family) exclude(o Object, proof Proof) {
	f.events = proof
	for _, at := range o.Unconfirmed {
		if !proof.Committed[at] {
			f.unconfirmed[at] = true
		}
	}
	f.ban(o.Abandoned, "the pointer was moved away from it", "it comes from a file that the pointer was moved away from")
	if proof.Until.IsZero() {
		return
	}
	led := f.above(slices.Collect(maps.Keys(proof.Committed))...) // as where a file that others made was registered over the table's
	var never []warehouse.Location
	for at, n := range f.kin {
		if !proof.Committed[at] && !led[at] && n.LastUpdated.Before(proof.Until.Add(-lag)) {
			never = append(never, at)
		}
	}
	f.ban(never, "it was never committed: no event of its time names it", "it comes from a file that was never committed")
}

func (f *family) ban(starts []warehouse.Location, reason, further string) {
	starts = slices.DeleteFunc(slices.Clone(starts), func(at warehouse.Location) bool {
		return at == f.current.Location || f.ancestors[at] || f.out[at] != ""
	})
	for at := range f.below(starts...) {
		if at != f.current.Location && f.out[at] == "" {
			f.out[at] = further
		}
	}
	for _, at := range starts {
		f.out[at] = reason
	}
}

// lag is how long a commit may take from computing its file to its event.
const lag = 10 * time.Minute
