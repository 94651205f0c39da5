package bolt

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
)

// How much of a history is checked when it is opened; the rest is checked by
// whoever reads it.
const (
	tailEvents = 1_000
	tailBytes  = 16 << 20
)

// load checks the tail of every warehouse and finds its head.
func (j *Journal) load() error {
	ctx := context.Background()
	ids, err := j.Warehouses(ctx)
	if err != nil {
		return err
	}
	heads := make(journal.Heads, len(ids))
	for _, id := range ids {
		if heads[id], err = j.loadTail(ctx, id); err != nil {
			return err
		}
	}
	j.durable.heads = heads
	return nil
}

func (j *Journal) loadTail(ctx context.Context, id uuid.UUID) (chain journal.Chain, err error) {
	var after journal.Seq
	r := reader{j: j, warehouse: id}
	err = r.current(ctx, func(h history) error {
		after, err = h.beforeTail()
		return err
	})
	if err != nil {
		return chain, err
	}
	for e, err := range r.Scan(ctx, after) {
		if err != nil {
			return chain, err
		}
		chain = journal.ChainAt(e)
	}
	return chain, nil
}

// beforeTail is the seq after which the tail begins. The last event must be the
// one at the head.
func (h history) beforeTail() (journal.Seq, error) {
	c := h.events.Cursor()
	key, value := c.Last()
	if seqOf(key) != h.head.Seq {
		return 0, h.damage(h.head.Seq, errors.New("the head is not the last event"))
	}
	for n, size := 0, 0; n < tailEvents && size < tailBytes; n++ {
		size += len(value)
		if key, value = c.Prev(); key == nil {
			break
		}
	}
	return seqOf(key), nil
}
