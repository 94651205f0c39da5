package recorder

import (
	"errors"
	"slices"

	"puddle/journal"
	"puddle/projections"
)

// refuses tells whether an error says that the same group would be refused again,
// for something that it holds: then one of it may be to blame, and not the others.
func refuses(err error) bool {
	if errors.Is(err, journal.ErrUnknownOutcome) {
		return false
	}
	for _, named := range []error{
		journal.ErrNotNext, journal.ErrKeyTaken, journal.ErrTooLarge, journal.ErrNoBase, journal.ErrRecord, journal.ErrRequest, projections.ErrDamaged,
	} {
		if errors.Is(err, named) {
			return true
		}
	}
	said, ok := errors.AsType[interface {
		error
		Deterministic() bool
	}](err)
	return ok && said.Deterministic()
}

// parts divides a group that was refused: answers from drafts, and else into halves.
// Drafts stay in their order. A group of one is not divided.
func (g *group) parts(taken []*call) []load {
	all := load{memos: slices.Concat(g.batch.memos, g.batch.losers)}
	undecided := make(map[*call]bool, len(taken))
	for _, c := range slices.Concat(g.winners, g.losers, g.found) {
		undecided[c] = true
	}
	for _, c := range taken {
		if undecided[c] {
			all.calls = append(all.calls, c)
		}
	}
	switch {
	case len(all.calls) > 0 && len(all.memos) > 0:
		return []load{{calls: all.calls}, {memos: all.memos}}
	case len(all.calls) > 1:
		half := len(all.calls) / 2
		return []load{{calls: all.calls[:half]}, {calls: all.calls[half:]}}
	case len(all.memos) > 1:
		half := len(all.memos) / 2
		return []load{{memos: all.memos[:half]}, {memos: all.memos[half:]}}
	}
	return []load{all}
}
