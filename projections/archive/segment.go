package archive

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"puddle/journal"
)

var (
	compressor, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecodeAllCapLimit(true))
)

// segment is the events of a segment, all of them checked.
type segment struct {
	header
	records [][]byte
	prevs   []journal.Digest // what each record links to
}

// openEvents reads and checks the events of a segment: they are what the header
// says, and each links to the one before. What makes the hash of each is link:
// journal.Link, or what does more on the way.
func openEvents(name string, data []byte, link func(prev journal.Digest, record []byte) journal.Digest) (*segment, error) {
	h, stored, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	payload, err := h.inflate(stored)
	if err != nil {
		return nil, err
	}
	s := &segment{header: h}
	hash := h.Prev
	for line := range bytes.Lines(payload) {
		record := bytes.TrimSuffix(line, []byte("\n"))
		s.prevs, s.records = append(s.prevs, hash), append(s.records, record)
		if hash = link(hash, record); len(s.records) == 1 && hash != h.First.Hash {
			return nil, h.damage(h.First.Seq, "the first event has the hash %s, the header says %s", hash, h.First.Hash)
		}
	}
	if want := int(h.Last.Seq-h.First.Seq) + 1; len(s.records) != want || h.Count != want {
		return nil, h.damage(0, "it holds %d events, the header says %d, from %d to %d", len(s.records), h.Count, h.First.Seq, h.Last.Seq)
	}
	if hash != h.Last.Hash {
		return nil, h.damage(h.Last.Seq, "the last event has the hash %s, the header says %s", hash, h.Last.Hash)
	}
	return s, nil
}

// event decodes the event at a seq of the segment.
func (s *segment) event(seq journal.Seq) (journal.Event, error) {
	i := seq - s.First.Seq
	e, err := journal.Decode(s.prevs[i], s.records[i])
	return e, s.check(seq, e, err)
}

// check says what is wrong with what was decoded at a seq.
func (s *segment) check(seq journal.Seq, e journal.Event, err error) error {
	switch {
	case errors.Is(err, journal.ErrNewer):
		return fmt.Errorf("%s, event %d: %w", s.key(), seq, err)
	case err != nil:
		return s.damage(seq, "%w", err)
	case e.Warehouse != s.Warehouse || e.Incarnation != s.Incarnation || e.Seq != seq:
		return s.damage(seq, "event %s of warehouse %s is kept here", e.Position, e.Warehouse)
	}
	return nil
}
