package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/rest/metadata"
)

// discardTime bounds how long a refusal waits for the files that it leaves to be
// removed.
const discardTime = 10 * time.Second

// stage writes a new version's file under its fresh name, gzipped when that says
// so. It is durable on return, and nobody names it yet: a crash until it is recorded
// leaves a file, perhaps a part of one, that verify lists. Invalid when it can never
// be written there.
func (c *Catalog) stage(ctx context.Context, doc version) (file, error) {
	at, data := doc.MetadataLocation(), doc.Bytes()
	if metadata.IsCompressedName(at) {
		data = deflate(data)
	}
	f := fileAt(at, data, doc.Bytes())
	var err error
	if f.at, err = c.spotOf(at); err == nil {
		f.info, err = f.at.store.Stage(ctx, f.at.key, data)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, warehouse.ErrInvalidLocation), errors.Is(err, warehouse.ErrInvalidKey),
		errors.Is(err, warehouse.ErrLink), errors.Is(err, warehouse.ErrExists), errors.Is(err, warehouse.ErrReadOnly):
		return file{}, because(Invalid, err, "The metadata file %s cannot be written: %v", at, err)
	}
	if !errors.Is(err, warehouse.ErrDenied) && !errors.Is(err, warehouse.ErrNoBucket) {
		c.discard(ctx, at) // it may be there all the same
	}
	return file{}, unwritten(err, "The change was not made: its metadata file %s cannot be written", at)
}

// stageAll is stage of the next versions of steps, many at once. The first that fails
// ends the others, also those on their way, and its error is the answer: then no file
// is left.
func (c *Catalog) stageAll(ctx context.Context, steps []step) ([]file, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	var first error
	var once sync.Once
	staged := make([]file, len(steps))
	_ = forEach(len(steps), func(i int) (err error) {
		staged[i], err = c.stage(within, steps[i].doc)
		if err != nil {
			once.Do(func() { first = err; cancel() })
			return err
		}
		if steps[i].lives() {
			staged[i].base = c.baseOf(steps[i].object)
		}
		return nil
	})
	if first != nil {
		c.unstage(ctx, first, staged...)
		return nil, first
	}
	return staged, nil
}

// unstage removes staged files after the change that they were for was refused,
// unless the outcome is unknown: they may be the current ones then (case 33).
func (c *Catalog) unstage(ctx context.Context, refused error, staged ...file) {
	if errors.Is(refused, journal.ErrUnknownOutcome) {
		return
	}
	_ = forEach(len(staged), func(i int) error {
		if at := staged[i].pointer.MetadataLocation; at != "" {
			c.discard(ctx, at)
		}
		return nil
	})
}

// discard removes a file that no event names or ever will, also for a client that
// has hung up. Best effort: what stays harms nobody, and Options.Left is told.
func (c *Catalog) discard(ctx context.Context, at string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	if err := c.remove(ctx, at); err != nil && c.Left != nil {
		c.Left(ctx, at, err)
	}
}

// remove deletes a file of the warehouse. Outside of it there is none.
func (c *Catalog) remove(ctx context.Context, at string) error {
	where, err := c.spotOf(at)
	if err != nil {
		return nil
	}
	return where.store.Delete(ctx, where.key)
}
