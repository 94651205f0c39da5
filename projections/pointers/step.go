package pointers

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// What there is of a move.
const (
	hasFrom = 1 << iota
	hasTo
	hasSnapshot
)

// StepOf is the step of a move, which shares all with it.
func StepOf(e journal.Event, m journal.Move) projections.Step {
	return projections.Step{
		Seq: e.Seq, Event: e.ID, At: e.At, Kind: e.Kind(), Actor: e.Cause.Actor, RequestID: e.Cause.RequestID, Move: m,
	}
}

// PackStep is what the column what holds of a move, behind data. Where it began is
// where the step before ended.
func PackStep(s projections.Step, data []byte) []byte {
	m := s.Move
	p := append(packed(data), s.Event[:]...)
	p = p.number(int64(s.Seq)).number(s.At.UnixMilli()).text(string(s.Kind))
	p = p.text(string(s.Actor)).text(s.RequestID).text(string(m.Kind))
	var has byte
	if m.From != nil {
		has |= hasFrom
	}
	if m.To != nil {
		has |= hasTo
	}
	if m.SnapshotID != nil {
		has |= hasSnapshot
	}
	p = append(p, has)
	if m.To != nil {
		p = p.text(m.To.Identifier.Namespace.Key()).text(m.To.Identifier.Name).end(m.To.Location, m.To.Pointer)
	}
	if m.SnapshotID != nil {
		p = p.number(*m.SnapshotID)
	}
	return p
}

// UnpackStep reads a step, of an object that it does not name, and whether it began
// somewhere.
func UnpackStep(data []byte) (s projections.Step, from bool, err error) {
	u := unpacking{rest: data}
	copy(s.Event[:], u.bytes(uint64(len(s.Event))))
	s.Seq, s.At = journal.Seq(u.number()), time.UnixMilli(u.number()).UTC()
	s.Kind, s.Actor, s.RequestID = journal.Kind(u.text()), journal.Actor(u.text()), u.text()
	s.Move.Kind = journal.ObjectKind(u.text())
	has := u.flag()
	if has&hasTo != 0 {
		to := journal.To{Identifier: journal.Identifier{Namespace: journal.NamespaceOfKey(u.text()), Name: u.text()}}
		to.Location, to.Pointer = u.end()
		s.Move.To = &to
	}
	if has&hasSnapshot != 0 {
		id := u.number()
		s.Move.SnapshotID = &id
	}
	return s, has&hasFrom != 0, u.done("a step")
}

// BeginStep says where a step of an object began: where the one before it ended.
func BeginStep(s *projections.Step, object uuid.UUID, from bool, before *projections.Step) error {
	s.Move.UUID = object
	if !from {
		return nil
	}
	if before == nil || before.Move.To == nil {
		return fmt.Errorf("%w: the step of %s at %s goes on from nowhere", ErrCorrupt, object, s.Seq)
	}
	s.Move.From = &journal.From{Identifier: before.Move.To.Identifier, Pointer: before.Move.To.Pointer}
	return nil
}

// MadeBy stands for the file that the event of a step made, 0 for none.
func MadeBy(s projections.Step) int64 {
	if location := s.Made(); location != "" {
		return FileKey(location)
	}
	return 0
}

// FileKey stands for a file by its location: two files have the same one very rarely, so
// that who finds it compares locations. It is never 0.
func FileKey(location string) int64 {
	sum := sha256.Sum256([]byte(location))
	return int64(binary.BigEndian.Uint64(sum[:8]) | 1)
}
