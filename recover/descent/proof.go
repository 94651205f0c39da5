package descent

import (
	"fmt"
	"maps"
	"slices"

	"puddle/internal/warehouse"
)

// proven is the last file after S of which an archived event says that it was current,
// but for what was current before S was; S where there is none, and how many commits it is after S. The doubt says that there
// are several, of which none comes from another.
func (f *family) proven(s warehouse.Location, proof Proof) (base warehouse.Location, commits int, doubt string) {
	named := map[warehouse.Location]*node{}
	open := f.open(s)
	for at, n := range open {
		if proof.Committed[at] && !(f.exact && f.older(at) != "") {
			named[at] = n
		}
	}
	if len(proof.Committed) > 0 {
		for _, n := range f.loose(s, f.ancestors, open) {
			if proof.Committed[n.Location] && !f.since.IsZero() && n.LastUpdated.After(f.since) && n.LastUpdated.After(f.written) {
				named[n.Location] = n
			}
		}
	}
	passed := f.above(slices.Collect(maps.Keys(named))...)
	var last []*node
	for at, n := range named {
		if !passed[at] {
			last = append(last, n)
		}
	}
	switch len(last) {
	case 0:
		return s, 0, ""
	case 1:
		return last[0].Location, f.distance(s, last[0].Location), ""
	}
	return s, 0, fmt.Sprintf("the history forks, and events name more than one end: %s", names(last))
}

// distance counts the commits from one file to a later one, as far as logs tell: the
// files between them, there or gone.
func (f *family) distance(from, to warehouse.Location) int {
	before := f.above(from)
	n := 1
	for at := range f.above(to) {
		if at != from && !before[at] {
			n++
		}
	}
	return n
}
