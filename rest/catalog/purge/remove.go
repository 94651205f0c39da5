package purge

import (
	"context"
	"iter"
	"maps"

	"puddle/projections"
)

// removeAll removes the kinds of files that are left, one after the other. The last
// needs no document.
func (j *Job) removeAll(ctx context.Context, p projections.Purge, a *attempt) error {
	last := len(kinds) - 1
	if a.done < last {
		doc, lost, err := j.document(ctx, p)
		if err != nil {
			return err
		}
		if doc == nil {
			a.report.tell(p.Pointer.MetadataLocation, lost)
			a.done = len(kinds)
			return nil
		}
		w := walk{j.Roots, doc}
		for a.done < last {
			if err := j.removeKind(ctx, p, a, w.reach(ctx, kinds[a.done])); err != nil {
				return err
			}
		}
	}
	if a.done == last {
		return j.removeKind(ctx, p, a, locations(p.Pointer.MetadataLocation))
	}
	return nil
}

// removeKind removes the files of the kind that is next.
func (j *Job) removeKind(ctx context.Context, p projections.Purge, a *attempt, files iter.Seq[reached]) error {
	kind := kinds[a.done]
	j.show(func(s *Progress) { s.Current.Kind = kind })
	b := &batch{job: j, purge: p, kind: kind, part: newPart(), attempt: a}
	for r := range files {
		if err := b.take(ctx, r, a.unreadable); err != nil {
			return err
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	if b.part.err != nil && !j.givesUp(a, b.part, kind) {
		return b.part.err
	}
	a.settle(b.part, p.Location)
	j.show(func(s *Progress) { s.Current.Files = a.report.Counts })
	return nil
}

// take takes what the metadata leads to.
func (b *batch) take(ctx context.Context, r reached, known unreadable) error {
	switch r.sort {
	case aFile:
		if leads := b.kind == Manifest || b.kind == ManifestList; leads && known.holds(r.location) {
			return ctx.Err() // told when it could not be read
		}
		return b.add(ctx, r.location)
	case stuck:
		if !known.holds(r.location) {
			b.part.keepStuck(r.location, r.text)
		}
	case failed:
		b.part.unread.add(r.location)
		b.part.fail(r.target, r.err)
	case absent:
		b.part.miss(r.location)
	case note:
		b.part.kept.tell(r.location, r.text)
	}
	return ctx.Err()
}

// givesUp tells, after a pass with failures, whether it was the last over its kind.
func (j *Job) givesUp(a *attempt, p *part, kind Kind) bool {
	works := true
	for root := range p.suspects {
		works = works && j.deleted[root] > a.deleted[root]
	}
	a.deleted = maps.Clone(j.deleted)
	if works {
		a.passes++
	}
	return a.passes >= MaxPasses && kind != Metadata
}

// settle keeps what a pass found whose kind is done.
func (a *attempt) settle(p *part, location string) {
	a.report.add(p.kept)
	a.report.add(p.failures)
	maps.Copy(a.unreadable, p.stuck)
	maps.Copy(a.unreadable, p.unread)
	if len(a.unreadable) >= maxUnreadable && len(p.stuck)+len(p.unread) > 0 {
		a.report.tell(location, "so many manifests and manifest lists cannot be read that all of them stay")
	}
	if p.absent > 0 && !a.toldAbsent {
		a.toldAbsent = true
		a.report.tell(p.missed, gone(p.absent))
	}
	a.done++
	a.passes, a.pause = 0, 0
}
