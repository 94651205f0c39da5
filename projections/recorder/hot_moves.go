package recorder

import (
	"puddle/journal"
	"puddle/projections"
)

// hotMoves are what a group leaves of the names it moves: who has each; nil when
// nobody has it.
type hotMoves map[hotSlot]*hotEntry

// shut keeps the names that events move out of the maps. It comes before the
// pointer tables show the events; then settle, or empty once the tables show them
// after all.
func (m hotMaps) shut(entries []journal.Entry) hotMoves {
	moves := make(hotMoves, len(entries))
	for _, e := range entries {
		h := m[e.Event.Warehouse]
		for _, move := range e.Event.Moves() {
			moves.add(h, move)
		}
	}
	for slot := range moves {
		slot.shard.shut(slot.hash)
	}
	return moves
}

// add takes moves in the order of the journal.
func (m hotMoves) add(h *hotMap, move journal.Move) {
	if move.From != nil {
		m[h.slot(move.From.Identifier)] = nil
	}
	if to := move.To; to != nil {
		m[h.slot(to.Identifier)] = newHotEntry(projections.Object{
			Kind: move.Kind, UUID: move.UUID, Identifier: to.Identifier, Pointer: to.Pointer, Location: to.Location,
		})
	}
}

// settle keeps what the pointer tables show from now on.
func (m hotMoves) settle() {
	for slot, e := range m {
		slot.shard.settle(slot.hash, e)
	}
}
