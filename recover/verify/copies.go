package verify

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// kept finds the bytes of an object's file in the journal, proven by the digest that
// its pointer holds: where its history says, or anywhere else.
func (l *looks) kept(ctx context.Context, o projections.Object, anywhere *copies) ([]byte, journal.Seq, error) {
	steps, err := l.steps(ctx, o.UUID)
	if err != nil {
		return nil, 0, err
	}
	for i := len(steps) - 1; i >= 0; i-- {
		to := steps[i].Move.To
		if to == nil || to.Pointer.SHA256 != o.Pointer.SHA256 {
			continue
		}
		file, err := l.fileOf(ctx, steps[i])
		if err == nil && journal.Sum(file) == o.Pointer.SHA256 {
			return file, steps[i].Seq, nil
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
	}
	file, seq, err := anywhere.of(ctx, o.Pointer.SHA256)
	if err == nil && file == nil {
		err = &refused{"the journal keeps no copy of it that is whole", l.instead(ctx, o)}
	}
	return file, seq, err
}

// fileOf is what the journal keeps of the file that a step made, in the current
// incarnation.
func (l *looks) fileOf(ctx context.Context, s projections.Step) ([]byte, error) {
	for e, err := range l.from.Scan(ctx, s.Seq-1) {
		if err != nil {
			return nil, err
		}
		if e.ID != s.Event {
			break // of an earlier incarnation
		}
		for i, m := range e.Moves() {
			if m.UUID == s.Move.UUID {
				return fileAt(ctx, l.from, e.Seq, i)
			}
		}
		break
	}
	return nil, journal.ErrNoEvent
}

// fileAt is the file that a move made.
func fileAt(ctx context.Context, from journal.Reader, seq journal.Seq, move int) ([]byte, error) {
	if files, ok := from.(journal.Files); ok {
		return files.File(ctx, seq, move)
	}
	return from.Document(ctx, seq, move)
}

// copies are the places in all incarnations of a warehouse, those that nothing
// continues too, at which events name the files that are wanted. They are looked for
// once, when a file is missed.
type copies struct {
	run    *run
	wanted []projections.Object
	places map[journal.Digest][]place
}

type place struct {
	incarnation uuid.UUID
	seq         journal.Seq
	move        int
}

// of is a file with that digest, newest event first; nil when none is kept.
func (c *copies) of(ctx context.Context, digest journal.Digest) ([]byte, journal.Seq, error) {
	if c.places == nil {
		if err := c.find(ctx); err != nil {
			return nil, 0, err
		}
	}
	all := c.places[digest]
	for i := len(all) - 1; i >= 0; i-- {
		at := all[i]
		file, err := fileAt(ctx, c.run.Journal.Incarnation(c.run.ID, at.incarnation), at.seq, at.move)
		if err == nil && journal.Sum(file) == digest {
			return file, at.seq, nil
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
	}
	return nil, 0, nil
}

func (c *copies) find(ctx context.Context) error {
	places := map[journal.Digest][]place{}
	for _, o := range c.wanted {
		places[o.Pointer.SHA256] = nil
	}
	incarnations, err := c.run.Journal.Incarnations(ctx, c.run.ID)
	if err != nil {
		return err
	}
	for _, i := range incarnations {
		for e, err := range c.run.Journal.Incarnation(c.run.ID, i.ID).Scan(ctx, 0) {
			var damage *journal.Damage
			if errors.As(err, &damage) {
				break // what comes before it is whole
			}
			if err != nil {
				return err
			}
			for n, m := range e.Moves() {
				if m.To == nil {
					continue
				}
				if found, ok := places[m.To.Pointer.SHA256]; ok {
					places[m.To.Pointer.SHA256] = append(found, place{i.ID, e.Seq, n})
				}
			}
		}
	}
	c.places = places
	return nil
}
