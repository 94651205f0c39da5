package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// beside is the other half of level 4: no metadata file in the table's folders says
// that the table went on elsewhere, and none lies there that nobody names.
//
// A server that was killed leaves a file that was made from the version that was
// current then, and never two in a row: each is made from one that an event names.
// A file made from one that no event names is therefore somebody else's.
func (l *looks) beside(ctx context.Context, o projections.Object, s *seen) {
	steps, err := l.steps(ctx, o.UUID)
	known, ours := knownFiles(steps)
	var relatives []catalog.Relative
	var notUsed []catalog.NotUsed
	if err == nil {
		relatives, notUsed, err = l.files.Relatives(ctx, o, known)
	}
	if err != nil {
		s.unseen = append(s.unseen, Unseen{Place: o.Location, Message: err.Error()})
		return
	}
	unnamed := byPath(relatives)
	if err := l.passOver(ctx, o, unnamed, s); err != nil {
		s.unseen = append(s.unseen, Unseen{Place: o.Location, Message: err.Error()})
		return
	}
	chains := descend(o, unnamed)
	for _, at := range slices.Sorted(maps.Keys(unnamed)) {
		r := unnamed[at]
		if f, ok := l.judge(o, r, chains.versions(at), ours); ok && l.old(ctx, r.Location, s) {
			s.find(4, o, f)
		}
	}
	for _, n := range notUsed {
		if l.old(ctx, n.MetadataLocation, s) { // else it may be one that is being written
			s.find(4, o, Finding{Severity: Note, Kind: KindStray, Place: n.MetadataLocation, Message: "it is named like a metadata file, and is none: " + n.Reason})
		}
	}
}

// passOver takes away the files that a recovery has left behind, and notes those that
// come from the current one: going on from them would undo that the catalog went back.
func (l *looks) passOver(ctx context.Context, o projections.Object, unnamed map[string]catalog.Relative, s *seen) error {
	chains := descend(o, unnamed)
	var left []string
	for _, at := range slices.Sorted(maps.Keys(unnamed)) {
		f, ok, err := l.behind.find(ctx, at)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		left = append(left, at)
		if chains.versions(at) == 0 {
			continue
		}
		message := fmt.Sprintf("it was left by the recovery: event %s names it", f.event)
		if f.asOf != nil {
			message = fmt.Sprintf("it was left by the recovery as of %s: event %s names it", f.asOf, f.event)
		}
		s.find(4, o, Finding{Severity: Note, Kind: KindNewer, Place: unnamed[at].Location, Message: message})
	}
	for _, at := range left {
		delete(unnamed, at)
	}
	return nil
}

func byPath(all []catalog.Relative) map[string]catalog.Relative {
	found := make(map[string]catalog.Relative, len(all))
	for _, r := range all {
		found[catalog.Path(r.Location)] = r
	}
	return found
}

// knownFiles are those that events of the object name; ours tells whether each of
// its versions was made here.
func knownFiles(steps []projections.Step) (known map[string]bool, ours bool) {
	known, ours = map[string]bool{}, true
	for _, step := range steps {
		if step.Move.To != nil {
			known[catalog.Path(step.Move.To.Pointer.MetadataLocation)] = true
		}
		switch step.Kind {
		case journal.KindTableRegistered, journal.KindTableRepointed, journal.KindTableUnregistered:
			ours = false
		}
	}
	return known, ours
}

// judge says what a file that no event names means.
func (l *looks) judge(o projections.Object, r catalog.Relative, chained int, ours bool) (Finding, bool) {
	f := Finding{Severity: Warning, Kind: KindNewer, Place: r.Location, Next: l.newestCommand(o)}
	switch {
	case chained == 1:
		f.Message = "it was made from the current file, and no event names it: a server was killed while it committed, its change was refused and it could not be removed, or another catalog writes this table"
	case chained > 1:
		f.Severity = Error
		f.Message = fmt.Sprintf("it was made from the current file, %d versions on, and no event names any of them: another catalog writes this table", chained)
	case ours:
		f.Kind, f.Next = KindStray, ""
		f.Message = "no event names it: a server was killed while it committed; nobody reads it, and it can be deleted"
	default:
		return f, false // from before it was registered, or from elsewhere
	}
	return f, true
}

// old tells whether a file is there, and old enough not to be a commit under way.
func (l *looks) old(ctx context.Context, location string, s *seen) bool {
	root, key, err := l.Roots.Resolve(location)
	if err != nil {
		return false
	}
	info, err := root.Store.Stat(ctx, key)
	if err != nil && !errors.Is(err, warehouse.ErrNotFound) {
		s.unseen = append(s.unseen, Unseen{Place: location, Message: err.Error()})
	}
	if err == nil && !l.settled(info) {
		s.young.add(young{1, info.Modified})
		return false
	}
	return err == nil
}
