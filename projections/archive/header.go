package archive

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"puddle/journal"
)

// FormatVersion is the version of the objects of a segment.
//
//	1: the members of header, records a line each, documents as in docs/formats.
const FormatVersion = 1

// minReader is the oldest build, by its FormatVersion, that reads what this one writes.
const minReader = 1

// magic is the first line of every object.
const magic = "puddle/segment\n"

// Limits of reading, far above what is written.
const (
	maxHeader = 64 << 10
	maxEvents = 64 << 20 // of the records of a segment: one may be journal.MaxRecordBytes
	maxObject = 2 << 30
)

// The encodings of a payload. Documents are compressed one by one already.
const (
	encodingNone = "none"
	encodingZstd = "zstd"
)

// header is the second line of an object: JSON with its members in this order, that
// of their names.
type header struct {
	Bytes         int64          `json:"bytes"` // of the payload, inflated
	Count         int            `json:"count"` // of what is in it
	Documents     *beside        `json:"documents,omitempty"`
	Encoding      string         `json:"encoding"`
	First         point          `json:"first"`
	FormatVersion int            `json:"format-version"`
	Incarnation   uuid.UUID      `json:"incarnation"`
	Last          point          `json:"last"`
	MinReader     int            `json:"min-reader"`
	Part          part           `json:"part"`
	Prev          journal.Digest `json:"prev"`   // what the first event links to
	SHA256        journal.Digest `json:"sha256"` // of the payload, inflated
	Signature     string         `json:"signature,omitempty"`
	Warehouse     uuid.UUID      `json:"warehouse"`
}

// point is an event of the segment.
type point struct {
	Hash journal.Digest `json:"hash"`
	Seq  journal.Seq    `json:"seq"`
}

// beside is the other object of a segment, as its events name it.
type beside struct {
	Count  int            `json:"count"`
	SHA256 journal.Digest `json:"sha256"`
}

// last is the position at which the segment ends.
func (h header) last() journal.Position {
	return journal.Position{Incarnation: h.Incarnation, Seq: h.Last.Seq, Hash: h.Last.Hash}
}

// damage is what is wrong with the object, at an event if seq is not 0.
func (h header) damage(seq journal.Seq, format string, args ...any) *Damage {
	return damaged(h.key(), h.Warehouse, h.Incarnation, seq, format, args...)
}

func (h header) key() string { return key(h.Incarnation, h.First.Seq, h.Part) }

// object makes the bytes of an object: the header says of the payload what there is to say.
func (h *header) object(payload []byte) ([]byte, error) {
	h.FormatVersion, h.MinReader = FormatVersion, minReader
	h.Bytes, h.SHA256 = int64(len(payload)), journal.Sum(payload)
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	data := append(append([]byte(magic), line...), '\n')
	if h.Encoding == encodingZstd {
		return compressor.EncodeAll(payload, data), nil
	}
	return append(data, payload...), nil
}

// parse reads the object under a key: its header, and its payload as it is stored.
func parse(name string, data []byte) (h header, stored []byte, err error) {
	incarnation, first, p, _ := parseKey(name)
	broken := func(format string, args ...any) (header, []byte, error) {
		return h, nil, damaged(name, h.Warehouse, incarnation, 0, format, args...)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	line, _, ended := bytes.Cut(rest[:min(len(rest), maxHeader)], []byte("\n"))
	if !ok || !ended {
		return broken("it is no segment")
	}
	stored = rest[len(line)+1:]
	if err := json.Unmarshal(line, &h); err != nil {
		return broken("its header: %w", err)
	}
	if h.MinReader > FormatVersion {
		return h, nil, fmt.Errorf("%w: %s has format-version %d, this build reads %d", ErrNewer, name, h.FormatVersion, FormatVersion)
	}
	switch {
	case h.FormatVersion < 1 || h.MinReader < 1 || h.Warehouse == uuid.Nil || h.Prev.IsZero() || h.First.Hash.IsZero() || h.Last.Hash.IsZero():
		return broken("its header is not complete")
	case h.Incarnation != incarnation || h.First.Seq != first || h.Part != p:
		return broken("it says that it is %s", h.key())
	case h.Last.Seq < h.First.Seq || h.Bytes < 0 || h.Count < 1:
		return broken("its header says that it holds %d, %d bytes, from %d to %d", h.Count, h.Bytes, h.First.Seq, h.Last.Seq)
	}
	return h, stored, nil
}

// inflate is the payload as it was before it was compressed, compared with its digest.
func (h header) inflate(stored []byte) ([]byte, error) {
	payload := stored
	switch {
	case h.Encoding == encodingZstd && h.Bytes > maxEvents:
		return nil, h.damage(0, "it inflates to %d bytes, the limit is %d", h.Bytes, maxEvents)
	case h.Encoding == encodingZstd:
		var err error
		if payload, err = decompressor.DecodeAll(stored, make([]byte, 0, h.Bytes)); err != nil {
			return nil, h.damage(0, "it does not inflate: %w", err)
		}
	case h.Encoding != encodingNone:
		return nil, fmt.Errorf("%w: %s has the encoding %q", ErrNewer, h.key(), h.Encoding)
	}
	if int64(len(payload)) != h.Bytes || journal.Sum(payload) != h.SHA256 {
		return nil, h.damage(0, "its payload is not what its header says")
	}
	return payload, nil
}
