package descent

import (
	"fmt"
	"maps"
	"slices"

	"puddle/internal/warehouse"
)

// unused lists the files that could be taken for the current one, when it is end: not
// what end comes from, and nothing that is older than S and leads nowhere.
func (f *family) unused(end warehouse.Location) []NotUsed {
	all := f.foreign
	history := f.above(end)
	from, beside := f.below(f.current.Location), f.below(slices.Collect(maps.Keys(f.ancestors))...)
	for _, n := range f.sorted() {
		at := n.Location
		if at == end || history[at] || f.ancestors[at] {
			continue
		}
		reason := f.out[at]
		switch {
		case reason != "":
		case f.unconfirmed[at]:
			reason = "nobody knows whether its commit landed, and nothing comes from it"
		case from[at] != nil && f.exact && f.older(at) != "":
			reason = "it comes from " + f.current.Spelled + ", and is older than the sidecar that names that one"
		case from[at] != nil:
			reason = "it comes from " + f.current.Spelled + ", but not in one line"
		case f.events.Committed[at]:
			reason = "it was committed, and the pointer was moved away from it"
		case beside[at] != nil:
			reason = "it was made beside " + f.current.Spelled + ": a commit that lost, one that the pointer was moved away from, or another catalog's"
		case n.LastUpdated.Before(f.since):
			continue // from before, and the files between are gone
		default:
			reason = "it is as new as " + f.current.Spelled + " and does not come from it"
		}
		all = append(all, NotUsed{n.Spelled, reason})
	}
	return all
}

// unknown says of commits of unknown outcome which landed, since end comes from them,
// and which may have.
func (f *family) unknown(end warehouse.Location) []string {
	var lines []string
	history, from := f.above(end), f.below(f.current.Location)
	for _, n := range f.sorted() {
		at := n.Location
		switch {
		case !f.unconfirmed[at] || f.ancestors[at] || f.out[at] != "":
		case history[at]:
			lines = append(lines, fmt.Sprintf("the commit of %s, whose outcome was unknown, landed: %s comes from it", n.Spelled, f.spelled(end)))
		case from[at] != nil && at != end:
			lines = append(lines, fmt.Sprintf("the commit of %s, whose outcome was unknown, may have landed: it is not used", n.Spelled))
		}
	}
	return lines
}

// newer warns of files that were made after the sidecar was written from what came
// before S, or from what was left: the pointer may have been moved since.
func (f *family) newer(end warehouse.Location) []string {
	if f.written.IsZero() {
		return nil
	}
	var found []*node
	history := f.above(end)
	from := f.below(f.current.Location)
	for _, n := range f.sorted() {
		at := n.Location
		if at == end || history[at] || f.ancestors[at] || f.unconfirmed[at] || from[at] != nil && f.out[at] == "" {
			continue
		}
		if n.LastUpdated.After(f.written.Add(skew)) {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []string{"the pointer may have been moved back since its sidecar was written, which does not tell: newer, and not from it: " + names(found)}
}

// older says of a file that was made before the sidecar was written, and yet comes from
// the one that it names, that the pointer may have been moved back from it.
func (f *family) older(end warehouse.Location) string {
	n, there := f.kin[end]
	if !there || end == f.current.Location || f.written.IsZero() || !n.LastUpdated.Before(f.written.Add(-slack)) {
		return ""
	}
	return fmt.Sprintf("%s was made before its sidecar was written, which names %s: the pointer may have been moved back", n.Spelled, f.current.Spelled)
}
