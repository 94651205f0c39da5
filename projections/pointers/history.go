package pointers

import (
	"database/sql"
	"fmt"
	"slices"
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

// stepOf is the step of a move, which shares all with it.
func stepOf(e journal.Event, m journal.Move) projections.Step {
	return projections.Step{
		Seq: e.Seq, Event: e.ID, At: e.At, Kind: e.Kind(), Actor: e.Cause.Actor, RequestID: e.Cause.RequestID, Move: m,
	}
}

// packStep is what the column what holds of a move, behind data. Where it began is
// where the step before ended.
func packStep(s projections.Step, data []byte) []byte {
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

// unpackStep reads a step, of an object that it does not name, and whether it began
// somewhere.
func unpackStep(data []byte) (s projections.Step, from bool, err error) {
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

// beginStep says where a step of an object began: where the one before it ended.
func beginStep(s *projections.Step, object uuid.UUID, from bool, before *projections.Step) error {
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

// steps reads the last steps of an object, at most limit of them, the oldest first;
// a limit below zero means all.
func (t *tables) steps(object uuid.UUID, limit int) ([]projections.Step, error) {
	row, err := t.find(object)
	if err != nil || row == nil {
		return nil, err
	}
	return t.stepsTo(object, row.step, limit)
}

// stepsTo reads from a step back.
func (t *tables) stepsTo(object uuid.UUID, step int64, limit int) ([]projections.Step, error) {
	var steps []projections.Step
	var began []bool
	more := limit
	if limit > 0 {
		more++ // to say where the first one began
	}
	err := t.each(func(rows *sql.Rows) error {
		var what sql.RawBytes
		if err := rows.Scan(&what); err != nil {
			return err
		}
		s, from, err := unpackStep(what)
		steps, began = append(steps, s), append(began, from)
		return err
	}, `WITH RECURSIVE past (before, what) AS (
			SELECT before, what FROM history WHERE step = ?
			UNION ALL SELECT history.before, history.what FROM past CROSS JOIN history
				WHERE history.step = past.before AND history.before < history.step)
		SELECT what FROM past LIMIT ?`, step, more)
	if err != nil {
		return nil, err
	}
	asked := len(steps)
	if limit > 0 {
		asked = min(limit, asked)
	}
	for i := range asked {
		var before *projections.Step
		if i+1 < len(steps) {
			before = &steps[i+1]
		}
		if err := beginStep(&steps[i], object, began[i], before); err != nil {
			return nil, err
		}
	}
	steps = steps[:asked]
	slices.Reverse(steps)
	return steps, nil
}

// lastStep reads the last row of an object, and the one before.
func (t *tables) lastStep(object uuid.UUID) (step projections.Step, ok bool, err error) {
	steps, err := t.steps(object, 1)
	if err != nil || len(steps) == 0 {
		return projections.Step{}, false, err
	}
	return steps[0], true, nil
}
