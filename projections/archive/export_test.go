package archive

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
)

// Sealer seals when it is told to, segments of so many events.
type Sealer struct{ *sealer }

// NewSealer is what a process makes that starts.
func NewSealer(o Options, events int) Sealer {
	return Telling(o, events, func(journal.Position) {})
}

// Telling is one that tells how far the archive is.
func Telling(o Options, events int, told func(journal.Position)) Sealer {
	s := newSealer(o, told)
	s.events = events
	return Sealer{s}
}

// Seal brings the archive up.
func (s Sealer) Seal(ctx context.Context) error { return s.seal(ctx) }

// EventsKey and DocumentsKey name the parts of a segment.
func EventsKey(incarnation uuid.UUID, first journal.Seq) string {
	return key(incarnation, first, eventsPart)
}

func DocumentsKey(incarnation uuid.UUID, first journal.Seq) string {
	return key(incarnation, first, documentsPart)
}

// HintKey is where the hint is.
const HintKey = hintKey

// HintEvery is how many segments there may be behind it.
const HintEvery = hintEvery

// Inflated is an object without its compression: magic and header, and the payload.
func Inflated(name string, data []byte) (head, payload []byte, err error) {
	h, stored, err := parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	payload, err = h.inflate(stored)
	return data[:len(data)-len(stored)], payload, err
}

// ReadAhead is how many segments are read before they are asked for, at most.
const ReadAhead = mostAhead
