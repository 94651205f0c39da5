package verify

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
)

// errElsewhere: the journal is not as it was when the earlier run looked at objects.
var errElsewhere = errors.New("the journal is of another history since")

// toLook lists the objects of the sample, but for those that an earlier run has
// looked at and that have not moved since. What that one found is told again.
func (r *run) toLook(ctx context.Context) (todo []look, all int64, err error) {
	before, again := &Looked{}, map[uuid.UUID]bool{}
	if r.reached.Objects != nil {
		before = r.reached.Objects
		again, err = r.moved(ctx, before.Head)
	}
	var damage *journal.Damage
	if errors.Is(err, errElsewhere) || errors.As(err, &damage) {
		r.resumed("no tables and views, since %v", err)
		before, err = &Looked{}, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if before.Head.IsZero() {
		before.Head = r.stands
	}
	for _, id := range before.Unseen {
		again[id] = true
	}
	r.reached.Objects = before
	r.repeat(ctx, again)
	for _, id := range r.live {
		if !r.sampled(id) {
			continue
		}
		all++
		if seen := byUUID(id, before.Through) <= 0; !seen || again[id] {
			todo = append(todo, look{id: id, again: seen})
		}
	}
	return todo, all, nil
}

// repeat tells what an earlier run found about objects that are not looked at again,
// and forgets the rest.
func (r *run) repeat(ctx context.Context, again map[uuid.UUID]bool) {
	o := r.reached.Objects
	o.Findings = slices.DeleteFunc(o.Findings, func(f Finding) bool { return again[f.Object.UUID] })
	o.Broken = slices.DeleteFunc(o.Broken, func(id uuid.UUID) bool { return again[id] || r.source == nil })
	for _, f := range o.Findings {
		r.sink.Found(f)
	}
	for _, id := range o.Broken {
		if object, live, err := standing(ctx, r.source, id); err == nil && live {
			r.mendable = append(r.mendable, object)
		}
	}
	if r.counted(); o.Count > 0 {
		r.resumed("%d tables and views", o.Count)
	}
}

// moved are the objects that an event after a position names.
func (r *run) moved(ctx context.Context, since journal.Position) (map[uuid.UUID]bool, error) {
	moved, there := map[uuid.UUID]bool{}, false
	for e, err := range r.from.Scan(ctx, since.Seq-1) {
		switch {
		case err != nil:
			return nil, err
		case there:
			for _, m := range e.Moves() {
				moved[m.UUID] = true
			}
		case e.Position != since:
			return moved, errElsewhere
		}
		there = true
	}
	if !there {
		return moved, errElsewhere
	}
	return moved, nil
}
