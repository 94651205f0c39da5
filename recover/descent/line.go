package descent

import (
	"fmt"
	"maps"
	"slices"

	"puddle/internal/warehouse"
)

// line is what comes from a file, if each was made from the one before.
type line struct {
	files   []warehouse.Location // the oldest first
	commits int                  // how many that took, with those whose files are gone
	gaps    []string             // where files are gone
	doubt   string               // why it is not one line
}

// follow finds the line after a file. Who comes from it is in one line exactly if, in
// an order in which each stands after those that it lists, there is never a choice.
func (f *family) follow(base warehouse.Location) line {
	after := f.steps(base)
	if doubt := f.tangled(base, after); doubt != "" {
		return line{doubt: doubt}
	}
	var l line
	waits := map[warehouse.Location]int{}
	for at, n := range after {
		for _, before := range n.Log {
			if after[before] != nil {
				waits[at]++
			}
		}
	}
	var ready []*node
	for at, n := range after {
		if waits[at] == 0 {
			ready = append(ready, n)
		}
	}
	for last := base; len(l.files) < len(after); {
		if len(ready) != 1 {
			return line{doubt: f.forked(last, ready, after)}
		}
		n := ready[0]
		f.extend(&l, last, n)
		last, ready = n.Location, nil
		for _, heir := range f.heirs[last] {
			if after[heir.Location] == nil {
				continue
			}
			if waits[heir.Location]--; waits[heir.Location] == 0 {
				ready = append(ready, heir)
			}
		}
	}
	return l
}

// steps are those that come from a file and may be steps: one whose commit had an
// unknown outcome only if something comes from it whose commit had not.
func (f *family) steps(base warehouse.Location) map[warehouse.Location]*node {
	all := f.open(base)
	after := map[warehouse.Location]*node{}
	for at, n := range all {
		if f.unconfirmed[at] || after[at] != nil {
			continue
		}
		for next := []*node{n}; len(next) > 0; {
			step := next[len(next)-1]
			next = next[:len(next)-1]
			if after[step.Location] != nil {
				continue
			}
			after[step.Location] = step
			for _, before := range step.Log {
				if all[before] != nil {
					next = append(next, all[before])
				}
			}
		}
	}
	return after
}

// extend adds a file to a line.
func (f *family) extend(l *line, last warehouse.Location, n *node) {
	gone := len(n.Log) - 1 - slices.Index(n.Log, last)
	l.files = append(l.files, n.Location)
	l.commits += 1 + gone
	if gone > 0 {
		l.gaps = append(l.gaps, fmt.Sprintf("%d metadata files between %s and %s are gone", gone, f.spelled(last), n.Spelled))
	}
}

// forked names where the line forks, and every end.
func (f *family) forked(last warehouse.Location, ready []*node, after map[warehouse.Location]*node) string {
	if len(ready) == 0 {
		return "metadata files after " + f.spelled(last) + " list each other"
	}
	at := last
	if from := parent(ready[0]); !slices.ContainsFunc(ready, func(n *node) bool { return parent(n) != from }) {
		at = from
	}
	var tips []*node
	for _, n := range after {
		if !slices.ContainsFunc(f.heirs[n.Location], func(heir *node) bool { return after[heir.Location] != nil }) {
			tips = append(tips, n)
		}
	}
	return fmt.Sprintf("the history forks after %s, which one table's history cannot: it ends in each of %s", f.spelled(at), names(tips))
}

// parent is the file that another was made from.
func parent(n *node) warehouse.Location {
	if len(n.Log) == 0 {
		return warehouse.Location{}
	}
	return n.Log[len(n.Log)-1]
}

// tangled says why logs prove nothing: they go round in a circle, or files that are
// gone may have led from this file to others.
func (f *family) tangled(base warehouse.Location, after map[warehouse.Location]*node) string {
	above := f.ancestors
	if base != f.current.Location {
		above = f.above(base)
	}
	for _, n := range f.sorted() {
		if after[n.Location] != nil && above[n.Location] {
			return f.spelled(base) + " and " + n.Spelled + " list each other"
		}
	}
	loose := f.loose(base, above, after)
	if len(loose) == 0 {
		return ""
	}
	return fmt.Sprintf("metadata files are gone that may have led from %s to %s", f.spelled(base), names(loose))
}

// loose are files that could come from base over files that are gone: not older than
// it, and made from a file that nobody can read and that base does not come from. Who
// lists what base comes from, but not base, was made beside it.
func (f *family) loose(base warehouse.Location, above set, after map[warehouse.Location]*node) []*node {
	oldest := f.since
	if n, there := f.kin[base]; there {
		oldest = n.LastUpdated
	}
	var gone []warehouse.Location
	for at := range f.heirs {
		if f.kin[at] == nil && !f.others[at] {
			gone = append(gone, at)
		}
	}
	ends, known := f.below(gone...), f.below(append(slices.Collect(maps.Keys(above)), base)...)
	var found []*node
	for _, n := range f.sorted() {
		at := n.Location
		if ends[at] != nil && known[at] == nil && after[at] == nil && !above[at] && at != base &&
			f.out[at] == "" && !f.unconfirmed[at] && !n.LastUpdated.Before(oldest.Add(-skew)) {
			found = append(found, n)
		}
	}
	return found
}

func (f *family) spelled(at warehouse.Location) string {
	switch n, there := f.kin[at]; {
	case there:
		return n.Spelled
	case at == f.current.Location:
		return f.current.Spelled
	}
	return at.String()
}
