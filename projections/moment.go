package projections

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"puddle/journal"
)

// Moment is what a Dump holds, read part by part: of one moment, also beside
// writes, and without holding more than a part in memory. One goroutine uses it.
// Where it lies in a file it keeps what was true then from being cleaned up, so it
// is to be closed soon.
type Moment interface {
	Cursor() journal.Position
	// About is the name and the location of the warehouse.
	About() (name, location string)
	// The parts come in the order of a Dump. The first error ends them.
	Namespaces() iter.Seq2[Namespace, error]
	Objects() iter.Seq2[HeldObject, error]
	Purges() iter.Seq2[Purge, error]
	Steps() iter.Seq2[Step, error]
	// History is the Steps in the order in which they happened.
	History() iter.Seq2[Step, error]
	// Close gives the moment up.
	Close() error
}

// Moment is what is held now: it costs nothing to keep.
func (s *State) Moment(ctx context.Context) (Moment, error) {
	return stateMoment{ctx, s.now()}, ctx.Err()
}

type stateMoment struct {
	ctx context.Context
	held
}

func (m stateMoment) Cursor() journal.Position { return m.cursor }

func (m stateMoment) About() (name, location string) { return m.name, m.location }

func (m stateMoment) Close() error { return nil }

func (m stateMoment) Namespaces() iter.Seq2[Namespace, error] {
	return values(m.ctx, m.namespaces, func(n Namespace) []Namespace {
		n.Properties = maps.Clone(n.Properties)
		return []Namespace{n}
	})
}

func (m stateMoment) Objects() iter.Seq2[HeldObject, error] {
	return values(m.ctx, m.objects, func(o HeldObject) []HeldObject {
		o.Places = slices.Clone(o.Places)
		return []HeldObject{o}
	})
}

func (m stateMoment) Purges() iter.Seq2[Purge, error] {
	return values(m.ctx, m.purges, func(p Purge) []Purge { return []Purge{ownPurge(p)} })
}

func (m stateMoment) Steps() iter.Seq2[Step, error] {
	return values(m.ctx, m.steps, func(newest *past[Step]) []Step {
		steps := newest.list()
		slices.Reverse(steps)
		return steps
	})
}

// History sorts a copy.
func (m stateMoment) History() iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		var all []Step
		if err := gather(&all, m.Steps()); err != nil {
			yield(Step{}, err)
			return
		}
		slices.SortStableFunc(all, func(a, b Step) int { return cmp.Compare(a.Seq, b.Seq) })
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// values yields what each value of a tree stands for.
func values[V, P any](ctx context.Context, t tree[V], parts func(V) []P) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for _, v := range t.from("") {
			for _, part := range parts(v) {
				if err := ctx.Err(); !yield(part, err) || err != nil {
					return
				}
			}
		}
	}
}
