package projections

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// FindPurge finds by the table's uuid.
func (h *held) FindPurge(table uuid.UUID) (Purge, bool, error) {
	p, ok := h.purges.get(string(table[:]))
	return ownPurge(p), ok, nil
}

// PutPurge keeps a copy.
func (h *held) PutPurge(p Purge) error {
	h.purges = h.purges.put(string(p.Table[:]), ownPurge(p))
	h.due = h.due.remove(dueKey(p.Seq))
	if !p.Done {
		h.due = h.due.put(dueKey(p.Seq), p.Table)
	}
	return nil
}

// DropPurge forgets it.
func (h *held) DropPurge(table uuid.UUID) error {
	p, _ := h.purges.get(string(table[:]))
	h.purges = h.purges.remove(string(table[:]))
	h.due = h.due.remove(dueKey(p.Seq))
	return nil
}

// Purge finds by the table's uuid.
func (s *State) Purge(ctx context.Context, table uuid.UUID) (Purge, bool, error) {
	h := s.now()
	p, ok, err := h.FindPurge(table)
	if err == nil {
		err = ctx.Err()
	}
	return p, ok, err
}

// Purges lists the pending ones.
func (s *State) Purges(ctx context.Context, after journal.Seq, limit int) ([]Purge, error) {
	h := s.now()
	var found []Purge
	for _, table := range h.due.from(dueKey(after + 1)) {
		if limit > 0 && len(found) == limit {
			break
		}
		p, _ := h.purges.get(string(table[:]))
		found = append(found, ownPurge(p))
	}
	return found, ctx.Err()
}

// dueKey sorts like the seq. A drop is one move, so no two purges have the same.
func dueKey(seq journal.Seq) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(seq)))
}

// ownPurge shares nothing with p.
func ownPurge(p Purge) Purge {
	p.Identifier = ownIdentifier(p.Identifier)
	p.Places = slices.Clone(p.Places)
	return p
}
