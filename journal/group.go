package journal

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// Check refuses an entry that no journal may keep, whatever stands before it:
// bytes that its hash does not cover, documents that no move of it made or that
// it names twice (ErrRecord), a request that is not its cause's (ErrRequest), and
// what is over a limit (ErrTooLarge).
func (e Entry) Check() error {
	if len(e.Record) > MaxRecordBytes {
		return fmt.Errorf("%w: event %s has %d bytes, the limit is %d", ErrTooLarge, e.Event.Position, len(e.Record), MaxRecordBytes)
	}
	if e.Event.Body == nil || !e.linked() {
		return fmt.Errorf("%w: the bytes of event %s do not have its hash", ErrRecord, e.Event.Position)
	}
	moves := e.Event.Moves()
	last := -1 // of the moves; what does not ascend is looked up
	for i, d := range e.Documents {
		switch {
		case d.Move < 0 || d.Move >= len(moves) || moves[d.Move].To == nil:
			return fmt.Errorf("%w: move %d of event %s made no document", ErrRecord, d.Move, e.Event.Position)
		case d.Move <= last && slices.ContainsFunc(e.Documents[:i], func(other Document) bool { return other.Move == d.Move }):
			return fmt.Errorf("%w: event %s has two documents of move %d", ErrRecord, e.Event.Position, d.Move)
		}
		if err := d.check(moves[d.Move].To.Pointer, e.Event.Seq); err != nil {
			return fmt.Errorf("event %s: %w", e.Event.Position, err)
		}
		last = max(last, d.Move)
	}
	return e.checkRequest()
}

func (e Entry) checkRequest() error {
	if e.Request == nil {
		return nil
	}
	if c := e.Event.Cause; e.Request.Actor != c.Actor || e.Request.Key != c.Key {
		return fmt.Errorf("%w: event %s has another actor or key", ErrRequest, e.Event.Position)
	}
	return e.Request.Check()
}

// CheckGroup checks every entry of a group, that no two have the same id or bind
// the same key, and the limits of the group.
func CheckGroup(entries []Entry) error {
	if len(entries) > MaxGroupEntries {
		return fmt.Errorf("%w: a group of %d entries, the limit is %d", ErrTooLarge, len(entries), MaxGroupEntries)
	}
	size, large := 0, 0
	seen := make(map[[2]uuid.UUID]bool, len(entries))
	bound := make(map[boundKey]bool)
	for i := range entries {
		e := &entries[i]
		if err := e.Check(); err != nil {
			return err
		}
		id := [2]uuid.UUID{e.Event.Warehouse, e.Event.ID}
		if seen[id] {
			return fmt.Errorf("%w: two events of the group have the id %s", ErrNotNext, e.Event.ID)
		}
		seen[id] = true
		if e.Request != nil {
			key := boundKey{e.Event.Warehouse, e.Request.Digest()}
			if bound[key] {
				return fmt.Errorf("%w: by two events of the group", ErrKeyTaken)
			}
			bound[key] = true
		}
		size += e.Size()
		if e.Event.Kind() != KindIncarnationStarted {
			large++
		}
	}
	if size > MaxGroupBytes && large > 1 {
		return fmt.Errorf("%w: a group of %d bytes, the limit is %d", ErrTooLarge, size, MaxGroupBytes)
	}
	return nil
}

// boundKey is what only one request of a group may bind.
type boundKey struct {
	warehouse uuid.UUID
	key       Digest
}

// Heads are the ends of the histories in a journal, by warehouse.
type Heads map[uuid.UUID]Chain

// Follow checks that the entries, in order, are what comes next in the histories
// of their warehouses, and answers where these end then. It changes nothing. An
// incarnation-started begins a history: a first one with seq 1 and no parent, or
// one after its parent's seq and after all that is here. Errors wrap ErrNotNext.
func (h Heads) Follow(entries ...Entry) (Heads, error) {
	moved := make(Heads)
	for _, entry := range entries {
		e := entry.Event
		head, known := moved[e.Warehouse]
		if !known {
			head, known = h[e.Warehouse]
		}
		next, err := follow(head, known, e)
		if err != nil {
			return nil, err
		}
		moved[e.Warehouse] = next
	}
	return moved, nil
}

func follow(head Chain, known bool, e Event) (Chain, error) {
	start, starts := e.Body.(IncarnationStarted)
	if starts {
		return begin(head, known, start, e)
	}
	if !known {
		return head, fmt.Errorf("%w: warehouse %s has no history that event %s could follow", ErrNotNext, e.Warehouse, e.Position)
	}
	return head.Follow(e)
}

func begin(head Chain, known bool, start IncarnationStarted, e Event) (Chain, error) {
	switch {
	case known && (start.Parent == nil || e.Incarnation == head.Head.Incarnation):
		return head, fmt.Errorf("%w: warehouse %s is born already, at %s", ErrNotNext, e.Warehouse, head.Head)
	case known && e.Seq <= head.Head.Seq:
		return head, fmt.Errorf("%w: incarnation %s would start at or before %s", ErrNotNext, e.Position, head.Head)
	case start.Parent == nil && e.Seq != 1:
		return head, fmt.Errorf("%w: a first incarnation starts at seq 1, not at %s", ErrNotNext, e.Position)
	case start.Parent != nil && e.Seq <= start.Parent.Seq:
		return head, fmt.Errorf("%w: incarnation %s would start at or before its parent, %s", ErrNotNext, e.Position, start.Parent)
	}
	return NewChain(e.Warehouse, e.Incarnation, e.Seq-1).Follow(e)
}
