package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/google/uuid"
)

// Reading is one incarnation as it lies in storage, up to a head: it makes events of
// what is stored and checks that each is where it belongs. What does not fit is a
// *Damage.
type Reading struct {
	Warehouse uuid.UUID
	Head      Position
}

// Damage is what is wrong at a seq.
func (r Reading) Damage(seq Seq, reason error) *Damage {
	return &Damage{Warehouse: r.Warehouse, Incarnation: r.Head.Incarnation, Seq: seq, Reason: reason.Error()}
}

func (r Reading) damage(e Event, format string, args ...any) *Damage {
	return r.Damage(e.Seq, fmt.Errorf(format, args...))
}

// Missing is the damage of an event that must be at a seq.
func (r Reading) Missing(seq Seq) *Damage { return r.Damage(seq, errors.New("the event is missing")) }

// Decode makes the event of a record that is stored at its seq. Whether the event
// belongs there is for the chain to say. Also ErrNewer.
func (r Reading) Decode(seq Seq, prev Digest, record []byte) (Event, error) {
	e, err := Decode(prev, record)
	if errors.Is(err, ErrNewer) {
		return Event{}, fmt.Errorf("event %d of warehouse %s: %w", seq, r.Warehouse, err)
	}
	if err != nil {
		return Event{}, r.Damage(seq, err)
	}
	if e.Warehouse != r.Warehouse || e.Incarnation != r.Head.Incarnation || e.Seq != seq {
		return Event{}, r.Damage(seq, fmt.Errorf("event %s of warehouse %s is stored here", e.Position, e.Warehouse))
	}
	return e, nil
}

// Parent is what the first event of the incarnation says of the one before.
func (r Reading) Parent(first Event) (*Position, error) {
	parent, err := parentOf(first)
	if err != nil {
		return nil, r.Damage(first.Seq, err)
	}
	return parent, nil
}

// SealAnswer is what a journal stores of an encoded answer: before it stands a
// CRC-32C (4 bytes) of its key, which is Request.Digest, and of it.
func SealAnswer(key Digest, answer []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, answerSum(key, answer)), answer...)
}

func answerSum(key Digest, answer []byte) uint32 {
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, answer)
}

// Answer undoes SealAnswer. The answer must be that of its key. Also ErrNewer.
func (r Reading) Answer(key Digest, value []byte) (Answer, error) {
	if len(value) < crc32.Size || binary.BigEndian.Uint32(value) != answerSum(key, value[crc32.Size:]) {
		return Answer{}, r.Damage(0, fmt.Errorf("the answer to request %s has another checksum", key))
	}
	a, err := DecodeAnswer(value[crc32.Size:])
	if errors.Is(err, ErrNewer) {
		return Answer{}, fmt.Errorf("request %s of warehouse %s: %w", key, r.Warehouse, err)
	}
	if err == nil && a.Digest() != key {
		err = errors.New("it is that of another one")
	}
	if err != nil {
		return Answer{}, r.Damage(0, fmt.Errorf("the answer to request %s: %w", key, err))
	}
	return a, nil
}
