package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

var _ journal.Auditor = (*Journal)(nil)

// Audit implements journal.Auditor.
func (j *Journal) Audit(ctx context.Context, warehouse uuid.UUID, found func(journal.Flaw)) (journal.Audited, error) {
	var lives []uuid.UUID
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		lives, err = incarnations(tx, warehouse, found)
		return err
	})
	var total journal.Audited
	if err := flawed(err, found); err != nil {
		return total, err
	}
	starts := map[uuid.UUID]journal.Event{}
	for _, incarnation := range lives {
		a := &audit{reader: reader{j, warehouse, incarnation}, found: found}
		if err := flawed(a.run(ctx), found); err != nil {
			return total, err
		}
		total.Incarnations++
		total.Events += a.seen.Events
		total.Documents += a.seen.Documents
		total.Requests += a.seen.Requests
		starts[incarnation] = a.first
	}
	return total, flawed(j.lineage(ctx, starts), found)
}

// flawed hands a damage to found and answers any other error.
func flawed(err error, found func(journal.Flaw)) error {
	var damage *journal.Damage
	if errors.As(err, &damage) {
		found(journal.Flaw{Damage: *damage})
		return nil
	}
	return err
}

// incarnations lists those of a warehouse, and what else is in its bucket.
func incarnations(tx *bbolt.Tx, warehouse uuid.UUID, found func(journal.Flaw)) (ids []uuid.UUID, err error) {
	b := tx.Bucket(bucketWarehouses).Bucket(warehouse[:])
	if b == nil {
		return nil, fmt.Errorf("%w: %s", journal.ErrNoWarehouse, warehouse)
	}
	strange := func(reason string, args ...any) {
		found(journal.Flaw{Damage: journal.Damage{Warehouse: warehouse, Reason: fmt.Sprintf(reason, args...)}})
	}
	current := uuid.Nil
	err = b.ForEach(func(key, value []byte) error {
		id, err := uuid.FromBytes(key)
		switch {
		case bytes.Equal(key, keyCurrent):
			current, _ = uuid.FromBytes(value)
		case err == nil && value == nil:
			ids = append(ids, id)
		default:
			strange("there is %q among its incarnations", key)
		}
		return nil
	})
	if err == nil && (current == uuid.Nil || b.Bucket(current[:]) == nil) {
		strange("the current incarnation is not named, or missing")
	}
	return ids, err
}

// lineage checks that every incarnation that continues another begins after it,
// where that one is still there.
func (j *Journal) lineage(ctx context.Context, starts map[uuid.UUID]journal.Event) error {
	for _, first := range starts {
		start, ok := first.Body.(journal.IncarnationStarted)
		if !ok || start.Parent == nil {
			continue
		}
		if _, kept := starts[start.Parent.Incarnation]; !kept {
			continue // it was pruned
		}
		at, err := reader{j, first.Warehouse, start.Parent.Incarnation}.at(ctx, start.Parent.Seq)
		if err != nil {
			return err
		}
		if at != *start.Parent || first.Seq <= at.Seq {
			return &journal.Damage{Warehouse: first.Warehouse, Incarnation: first.Incarnation, Seq: first.Seq,
				Reason: fmt.Sprintf("it says that it continues %s, which is not the event there (%s)", *start.Parent, at)}
		}
	}
	return nil
}

// at is the position of the event at a seq.
func (r reader) at(ctx context.Context, seq journal.Seq) (journal.Position, error) {
	for e, err := range r.Scan(ctx, seq-1) {
		return e.Position, err
	}
	return journal.Position{}, nil
}

// audit looks through one incarnation.
type audit struct {
	reader
	found func(journal.Flaw)
	seen  journal.Audited
	head  journal.Position // when it began
	first journal.Event
	chain journal.Chain
	lost  bool // the record before was damaged: nobody knows its hash
	begun bool
}

func (a *audit) run(ctx context.Context) error {
	var next journal.Seq
	err := a.current(ctx, func(h history) error {
		a.head, next = h.head, h.first()
		return a.around(h)
	})
	for err == nil && next != 0 && next <= a.head.Seq {
		next, err = a.step(ctx, next)
	}
	if err == nil && a.begun && !a.lost && a.chain.Head != a.head {
		a.flaw(a.head.Seq, false, "the last event is %s, the head says %s", a.chain.Head, a.head)
	}
	if err == nil {
		err = a.requests(ctx)
	}
	return err
}

func (a *audit) flaw(seq journal.Seq, beside bool, reason string, args ...any) {
	a.found(journal.Flaw{Beside: beside, Damage: journal.Damage{
		Warehouse: a.warehouse, Incarnation: a.incarnation, Seq: seq, Reason: fmt.Sprintf(reason, args...),
	}})
}

// around looks at what is there beside the records: buckets of other names, keys
// before and behind the events.
func (a *audit) around(h history) error {
	known := [][]byte{bucketEvents, bucketDocuments, bucketIDs, bucketMeta, bucketRequests, bucketExpiries}
	err := h.bucket.ForEach(func(key, _ []byte) error {
		if !contains(known, key) {
			a.flaw(0, true, "there is a bucket or value %q that this build does not know", key)
		}
		return nil
	})
	if (h.requests == nil) != (h.bucket.Bucket(bucketExpiries) == nil) {
		a.flaw(0, true, "of the buckets requests and expiries one is missing")
	}
	if key, _ := h.events.Cursor().First(); key != nil && h.first() == 0 {
		a.flaw(0, false, "the first record has the key of no event")
	}
	if key, _ := h.events.Cursor().Last(); seqOf(key) != h.head.Seq {
		a.flaw(h.head.Seq, false, "the head is not the last event")
	}
	if key, _ := h.documents.Cursor().First(); key != nil && (len(key) != documentKeySize || seqOf(key[:8]) < h.first()) {
		a.flaw(0, true, "a document of no event is kept")
	}
	if key, _ := h.documents.Cursor().Last(); key != nil && (len(key) != documentKeySize || seqOf(key[:8]) > h.head.Seq) {
		a.flaw(0, true, "a document of no event is kept")
	}
	n := 0
	err = errors.Join(err, h.ids.ForEach(func(_, value []byte) error {
		n++
		if len(value) != 8 || seqOf(value) > h.head.Seq || seqOf(value) < h.first() {
			a.flaw(seqOf(value), true, "an id of no event is listed")
		}
		return nil
	}))
	if want := int(h.head.Seq-h.first()) + 1; n != want && h.first() != 0 {
		a.flaw(0, true, "%d ids are listed, there are %d events", n, want)
	}
	return err
}

func contains(all [][]byte, one []byte) bool {
	for _, b := range all {
		if bytes.Equal(b, one) {
			return true
		}
	}
	return false
}
