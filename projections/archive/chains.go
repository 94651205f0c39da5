package archive

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
)

// maxMixed is how many documents one may be built on in an archive: a compaction of the
// journal begins chains anew, which the segments that were sealed before do not know, so
// that one may stand on another. It is far more than there ever are.
const maxMixed = 64 * journal.MaxPatches

// step is a document of a chain.
type step struct {
	at    place
	event journal.Event
	kept  journal.Document
}

// opened is the document of a move, also where a compaction of the journal has changed
// how many patches there are below those that were sealed later.
func (r reader) opened(ctx context.Context, seq journal.Seq, move int) ([]byte, error) {
	plain, err := r.shelf(ctx).Open(seq, move)
	var damage *journal.Damage
	if !errors.As(err, &damage) {
		return plain, err
	}
	if mixed, other := r.mixed(ctx, place{seq, move}); other == nil {
		return mixed, nil
	}
	return nil, err
}

// mixed opens a document by what it is built on alone, the lowest first. What it makes
// has the digest that the event names.
func (r reader) mixed(ctx context.Context, at place) ([]byte, error) {
	chain, err := r.steps(ctx, at)
	if err != nil {
		return nil, err
	}
	held := map[place]step{}
	shelf := journal.Shelf(func(seq journal.Seq, move int) (journal.Event, journal.Document, error) {
		s, ok := held[place{seq, move}]
		if !ok {
			return s.event, s.kept, journal.ErrNoEvent
		}
		return s.event, s.kept, nil
	})
	patches := 0
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		if i < len(chain)-1 {
			if patches == journal.MaxPatches {
				if err := whole(shelf, held, chain[i+1]); err != nil {
					return nil, err
				}
				patches = 0
			}
			s.kept = s.kept.OnAnother(patches)
			patches++
		}
		held[s.at] = s
	}
	return shelf.Open(at.seq, at.move)
}

// steps are the documents that one is made of, it first, the whole one last.
func (r reader) steps(ctx context.Context, at place) (chain []step, err error) {
	for len(chain) < maxMixed {
		s := step{at: at}
		if s.event, s.kept, err = r.kept(ctx, at.seq, at.move); err != nil {
			return nil, err
		}
		chain = append(chain, s)
		on, patched := s.kept.On()
		switch {
		case !patched:
			return chain, nil
		case on.Seq >= at.seq:
			return nil, fmt.Errorf("%w: event %d", journal.ErrNoBase, at.seq)
		}
		at = place{on.Seq, on.Move}
	}
	return nil, fmt.Errorf("%w: it is built on more than %d", journal.ErrNoBase, maxMixed)
}

// whole keeps a document whole that is held as a patch.
func whole(shelf journal.Shelf, held map[place]step, s step) error {
	plain, err := shelf.Open(s.at.seq, s.at.move)
	if err != nil {
		return err
	}
	kept, ok := journal.KeepDocument(s.at.move, plain, 2*journal.MaxInflatedBytes)
	if !ok {
		return fmt.Errorf("document of move %d of event %d: %w", s.at.move, s.at.seq, journal.ErrTooLarge)
	}
	s.kept = kept
	held[s.at] = s
	return nil
}
