package journal

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// RecordVersion is the version of the record around a body.
//
//	1: the fields of the record type below.
const RecordVersion = 1

// bodyVersion is the version of every kind's body so far.
const bodyVersion = 1

// Limits of one event (formats §1), checked before it is appended.
const (
	MaxRecordBytes = 16 << 20
	MaxMoves       = 10_000
)

// ErrRecord is wrapped by every refusal of a record's bytes.
var ErrRecord = errors.New("invalid record")

// ErrNewer marks a record that a newer build wrote: its version, kind or body
// version is unknown here. It stops an older build; nothing may be skipped.
var ErrNewer = errors.New("record was written by a newer build")

// ErrTooLarge refuses an event that is over a limit. Nothing was written.
var ErrTooLarge = errors.New("event is over a limit")

// record is the stored form: canonical JSON, which is what the hash covers.
// Canonical means: the fields in this order, which is that of their names'
// bytes, as are the keys of every object inside; no white space; integers in
// decimal, no floats; strings in UTF-8 with only `"`, `\` and control
// characters escaped; absent optional fields left out. This is how it is read when
// it may be anything; writer.event writes it.
type record struct {
	At          int64          `json:"at"`
	Body        jsontext.Value `json:"body"`
	Cause       Cause          `json:"cause"`
	ID          uuid.UUID      `json:"id"`
	Incarnation uuid.UUID      `json:"incarnation"`
	Kind        Kind           `json:"kind"`
	KV          int            `json:"kv"`
	Seq         Seq            `json:"seq"`
	V           int            `json:"v"`
	Wall        int64          `json:"wall"`
	Warehouse   uuid.UUID      `json:"warehouse"`
}

// encode writes the canonical bytes of an event. Prev and Hash are not in them.
func encode(e Event) ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("%w: event %s has no body", ErrRecord, e.ID)
	}
	if n := len(e.Moves()); n > MaxMoves {
		return nil, fmt.Errorf("%w: %d moves, the limit is %d", ErrTooLarge, n, MaxMoves)
	}
	if err := e.Body.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, e.Kind(), err)
	}
	data, ok := written(func(w *writer) { w.event(e) })
	if !ok {
		return nil, fmt.Errorf("%w: %s: it is not valid UTF-8", ErrRecord, e.Kind())
	}
	if len(data) > MaxRecordBytes {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(data), MaxRecordBytes)
	}
	return data, nil
}

// Decode reads the canonical bytes of an event whose predecessor has the hash
// prev. It is strict: bytes that encoding the event again would not give are
// refused with ErrRecord, so that one event has one hash. A version, kind or
// body version this build does not know is ErrNewer.
func Decode(prev Digest, data []byte) (Event, error) {
	if len(data) > MaxRecordBytes {
		return Event{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrRecord, len(data), MaxRecordBytes)
	}
	if e, ok := decodeCanonical(prev, data); ok {
		return e, nil
	}
	return decodeAny(prev, data)
}

// DecodeEntry is Decode with the record, which is then the entry's: an event that was
// kept, on its way to another journal. It has neither documents nor a request.
func DecodeEntry(prev Digest, record []byte) (Entry, error) {
	e, err := Decode(prev, record)
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Event: e, Record: record}
	entry.formed = entry.proof()
	return entry, nil
}

// decodeAny is Decode for all records.
func decodeAny(prev Digest, data []byte) (Event, error) {
	var r record
	if err := json.Unmarshal(data, &r, json.RejectUnknownMembers(true)); err != nil {
		if r.V = peekVersion(data); r.V <= RecordVersion {
			return Event{}, fmt.Errorf("%w: %w", ErrRecord, err)
		}
	}
	if r.V > RecordVersion {
		return Event{}, fmt.Errorf("%w: record version %d, this build reads %d", ErrNewer, r.V, RecordVersion)
	}
	body, err := decodeKind(r.Kind, r.KV, r.Body)
	if err != nil {
		return Event{}, err
	}
	e := Event{
		Position:  Position{Incarnation: r.Incarnation, Seq: r.Seq, Hash: Link(prev, data)},
		Warehouse: r.Warehouse, ID: r.ID, At: fromMillis(r.At), Wall: fromMillis(r.Wall),
		Prev: prev, Cause: r.Cause, Body: body,
	}
	again, err := encode(e)
	if err != nil {
		return Event{}, err
	}
	if !bytes.Equal(again, data) {
		return Event{}, fmt.Errorf("%w: its bytes are not in the canonical form", ErrRecord)
	}
	return e, nil
}

// peekVersion finds the version of a record that may have fields this build does
// not know; 0 when it is no JSON either.
func peekVersion(data []byte) int {
	var r struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return 0
	}
	return r.V
}

func decodeKind(kind Kind, kv int, data []byte) (Body, error) {
	if kind == "" || kv < 1 {
		return nil, fmt.Errorf("%w: it has no kind", ErrRecord)
	}
	decode, ok := decoders[kind][kv]
	if !ok {
		return nil, fmt.Errorf("%w: kind %q version %d", ErrNewer, kind, kv)
	}
	return decode(data)
}

func decodeBody[B Body](data []byte) (Body, error) {
	var b B
	if err := json.Unmarshal(data, &b, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, b.Kind(), err)
	}
	return b, nil
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
