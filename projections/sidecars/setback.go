package sidecars

import (
	"errors"
	"fmt"

	"puddle/journal"
)

// setBack is why a file does not say what is before an event: it was replaced by an older
// one, and lacks the events from since on.
type setBack struct{ since journal.Seq }

func (b *setBack) Error() string {
	return fmt.Sprintf("it was set back to before event %d", b.since)
}

// startOver has a state that was set back made again from where its file is, and tells
// whether that is what an error says.
func (n *entry) startOver(err error) bool {
	back := (*setBack)(nil)
	if !errors.As(err, &back) {
		return false
	}
	*n = entry{key: n.key, requestID: n.requestID, since: back.since, anew: true}
	return true
}

// follows looks whether the state is the one that a move is from; where it cannot be made
// so, it counts as not known.
func (n *entry) follows(m journal.Move) error {
	switch {
	case n.object == nil || m.From == nil || samePlace(n.object.MetadataLocation, m.From.Pointer.MetadataLocation):
	case n.anew:
		n.object, n.before = nil, ""
	default:
		return &setBack{n.seq + 1}
	}
	return nil
}
