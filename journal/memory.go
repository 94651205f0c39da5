package journal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Memory is a journal in memory, for tests and for servers that keep nothing. It
// holds bytes and decodes them on every read, so that no caller can change what
// was appended. It is lost with the process; while it lives, an appended entry
// is as durable as it gets.
type Memory struct {
	mu        sync.RWMutex
	heads     Heads
	histories map[historyKey]*history
	closed    bool
}

var _ Journal = (*Memory)(nil)

type historyKey struct{ warehouse, incarnation uuid.UUID }

// history is what one incarnation has kept. Bytes in it never change.
type history struct {
	first     Seq
	records   []link // of first, first+1, …
	seqs      map[uuid.UUID]Seq
	documents map[documentKey]Document
	requests  memoryRequests
}

// link is a record with the hash of the one before.
type link struct {
	prev   Digest
	record []byte
}

type documentKey struct {
	seq  Seq
	move int
}

// NewMemory is an empty journal.
func NewMemory() *Memory {
	return &Memory{heads: make(Heads), histories: make(map[historyKey]*history)}
}

// Append implements Writer. It never answers ErrUnknownOutcome.
func (m *Memory) Append(ctx context.Context, entries ...Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckGroup(entries); err != nil {
		return err
	}
	values, err := EncodeRequests(entries)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	moved, err := m.heads.Follow(entries...)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := m.checkNewLocked(e); err != nil {
			return err
		}
	}
	for i, e := range entries {
		m.keepLocked(e, values[i])
	}
	maps.Copy(m.heads, moved)
	return nil
}

// Remember implements Writer.
func (m *Memory) Remember(ctx context.Context, warehouse uuid.UUID, now time.Time, answers ...Answer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	values, err := EncodeAnswers(answers)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	head, ok := m.heads[warehouse]
	if !ok {
		return fmt.Errorf("%w: %s", ErrNoWarehouse, warehouse)
	}
	h := m.histories[historyKey{warehouse, head.Head.Incarnation}]
	for _, a := range answers {
		if err := h.requests.checkFree(a.Request, now); err != nil {
			return err
		}
	}
	for i, a := range answers {
		h.requests.bind(a.Request, values[i], now)
	}
	return nil
}

// checkNewLocked refuses an id that is taken, be it an event's or an
// incarnation's, and a key.
func (m *Memory) checkNewLocked(e Entry) error {
	h, ok := m.histories[historyKey{e.Event.Warehouse, e.Event.Incarnation}]
	for _, d := range e.Documents {
		err := d.CheckBase(func(seq Seq, move int) (base Document, kept bool) {
			if ok {
				base, kept = h.documents[documentKey{seq, move}]
			}
			return base, kept
		})
		if err != nil {
			return err
		}
	}
	if !ok {
		return nil
	}
	if e.Event.Kind() == KindIncarnationStarted {
		return fmt.Errorf("%w: incarnation %s has started before", ErrNotNext, e.Event.Incarnation)
	}
	if seq, taken := h.seqs[e.Event.ID]; taken {
		return fmt.Errorf("%w: the id %s is that of event %d", ErrNotNext, e.Event.ID, seq)
	}
	if e.Request != nil {
		return h.requests.checkFree(*e.Request, e.Event.At)
	}
	return nil
}

func (m *Memory) keepLocked(e Entry, answer []byte) {
	key := historyKey{e.Event.Warehouse, e.Event.Incarnation}
	h, ok := m.histories[key]
	if !ok {
		h = &history{
			first: e.Event.Seq, seqs: make(map[uuid.UUID]Seq), documents: make(map[documentKey]Document),
			requests: memoryRequests{answers: make(map[Digest][]byte)},
		}
		m.histories[key] = h
	}
	h.records = append(h.records, link{e.Event.Prev, bytes.Clone(e.Record)})
	h.seqs[e.Event.ID] = e.Event.Seq
	for _, d := range e.Documents {
		d.Data = bytes.Clone(d.Data)
		h.documents[documentKey{e.Event.Seq, d.Move}] = d
	}
	if e.Request != nil {
		h.requests.bind(*e.Request, answer, e.Event.At)
	}
}

// Warehouses implements Journal.
func (m *Memory) Warehouses(ctx context.Context) ([]uuid.UUID, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	compare := func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
	return slices.SortedFunc(maps.Keys(m.heads), compare), ctx.Err()
}

// Warehouse implements Journal.
func (m *Memory) Warehouse(id uuid.UUID) Reader { return memoryReader{m: m, warehouse: id} }

// Incarnation implements Journal.
func (m *Memory) Incarnation(warehouse, incarnation uuid.UUID) Reader {
	return memoryReader{m, warehouse, incarnation}
}

// Incarnations implements Journal.
func (m *Memory) Incarnations(ctx context.Context, warehouse uuid.UUID) (all []Incarnation, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	for key, h := range m.histories {
		if key.warehouse != warehouse {
			continue
		}
		first, err := Decode(h.records[0].prev, h.records[0].record)
		if err != nil {
			return nil, err
		}
		i := Incarnation{ID: key.incarnation, First: h.first, Head: h.head(key.incarnation)}
		if i.Parent, err = parentOf(first); err != nil {
			return nil, err
		}
		i.Current = m.heads[warehouse].Head.Incarnation == i.ID
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b Incarnation) int { return cmp.Compare(a.First, b.First) })
	return all, ctx.Err()
}

// head is the position of the last event.
func (h *history) head(incarnation uuid.UUID) Position {
	last := h.records[len(h.records)-1]
	return Position{Incarnation: incarnation, Seq: h.first + Seq(len(h.records)) - 1, Hash: Link(last.prev, last.record)}
}

// Close implements Journal. What was appended is gone.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.histories, m.heads = true, nil, nil
	return nil
}
