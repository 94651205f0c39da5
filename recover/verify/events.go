package verify

import (
	"context"
	"errors"
	"slices"

	"puddle/journal"
)

// extent is how many events there are to read; 0: nobody knows.
type extent struct {
	all      int64 // of all incarnations that are held
	followed int64 // of those that the pointer tables follow
}

// extentOf counts, of incarnations that are all that is held of a warehouse.
func extentOf(all []journal.Incarnation) (e extent) {
	for _, i := range all {
		e.all += int64(i.Head.Seq-i.First) + 1
	}
	at := slices.IndexFunc(all, func(i journal.Incarnation) bool { return i.Current })
	for last := journal.Seq(0); at >= 0; {
		i := all[at]
		if last == 0 {
			last = i.Head.Seq
		}
		e.followed += int64(last-i.First) + 1
		if i.Parent == nil {
			break
		}
		last = i.Parent.Seq
		at = slices.IndexFunc(all, func(p journal.Incarnation) bool { return p.ID == i.Parent.Incarnation && last >= p.First })
	}
	return e
}

// toldEvery is how many events are read between two words of how far it is.
const toldEvery = 1000

// read is an audit of a journal that can only be read: all incarnations, and that they
// go on where they say. Behind a damage it goes on with the next one.
func (r *run) read(ctx context.Context, all []journal.Incarnation) error {
	for _, i := range all {
		if err := r.hurt(r.readOne(ctx, i)); err != nil {
			return err
		}
		if err := r.hurt(r.joined(ctx, i, all)); err != nil {
			return err
		}
		r.summary.Incarnations++
	}
	r.sink.Progress(r.Name, 1, r.summary.Events, r.summary.Events)
	return nil
}

// hurt tells a damage, and answers any other error.
func (r *run) hurt(err error) error {
	var damage *journal.Damage
	if errors.As(err, &damage) {
		r.flaw(journal.Flaw{Damage: *damage})
		return nil
	}
	return err
}

// readOne reads an incarnation.
func (r *run) readOne(ctx context.Context, i journal.Incarnation) error {
	for _, err := range r.Journal.Incarnation(r.ID, i.ID).Scan(ctx, i.First-1) {
		if err != nil {
			return err
		}
		if r.summary.Events++; r.summary.Events%toldEvery == 0 {
			r.sink.Progress(r.Name, 1, r.summary.Events, r.extent.all)
		}
	}
	return nil
}

// joined checks that the event which an incarnation continues is there, unless its
// incarnation is not held.
func (r *run) joined(ctx context.Context, i journal.Incarnation, all []journal.Incarnation) error {
	if i.Parent == nil || !slices.ContainsFunc(all, func(p journal.Incarnation) bool { return p.ID == i.Parent.Incarnation }) {
		return nil
	}
	for e, err := range r.Journal.Incarnation(r.ID, i.Parent.Incarnation).Scan(ctx, i.Parent.Seq-1) {
		if err != nil || e.Position == *i.Parent {
			return err
		}
		break
	}
	return &journal.Damage{Warehouse: r.ID, Incarnation: i.ID, Seq: i.First, Reason: "it continues " + i.Parent.String() + ", which is not there"}
}
