package catalog

import (
	"context"
	"errors"
	"slices"

	"puddle/journal"
	"puddle/projections"
)

// AsOf is the catalog as it was: it reads what was true then, and refuses every
// change (ReadOnly). A metadata file that is gone, or not what it was, is read as the
// journal has kept it; from is the lineage that has the steps of then. What c has in
// memory of documents serves both, so that this costs nothing to make.
func (c *Catalog) AsOf(then projections.Reader, from journal.Reader) *Catalog {
	o := c.Options
	o.Reader, o.Journal, o.Recorder = then, from, readOnly{}
	return &Catalog{Options: o, documents: c.documents, sweeps: c.sweeps, bookings: c.bookings, turns: c.turns, past: true, present: c.Reader}
}

// readOnly is the Recorder of the past.
type readOnly struct{}

// Record implements Recorder.
func (readOnly) Record(context.Context, journal.Draft) (journal.Event, error) {
	return journal.Event{}, refuse(ReadOnly, "The past cannot be changed")
}

// version reads the document of the version that an object has. What is in memory was
// proven, and is all the past needs.
func (c *Catalog) version(ctx context.Context, object projections.Object) (*document, error) {
	if !c.past {
		return c.read(ctx, object.Pointer)
	}
	if known, ok := c.documents.find(object.Pointer.SHA256); ok {
		return known, nil
	}
	d, gone := c.read(ctx, object.Pointer)
	if gone == nil {
		return d, nil
	}
	text, err := c.recall(ctx, object)
	if err == nil {
		d = &document{text: text}
		c.documents.keep(object.Pointer.SHA256, d)
		return d, nil
	}
	if refused := (*Error)(nil); !errors.As(gone, &refused) || refused.Code != FileMissing {
		return nil, gone
	}
	return nil, because(FileMissing, errors.Join(gone, err), "%v, and the journal does not have it: %v", gone, err)
}

// recall is the document of an object's version as the journal has kept it: of the
// last step that led to that version and was kept. Mostly that is the last of all.
func (c *Catalog) recall(ctx context.Context, object projections.Object) ([]byte, error) {
	last, ok, err := c.Reader.LastStep(ctx, object.UUID)
	if err != nil || !ok {
		return nil, errors.Join(err, journal.ErrNoEvent)
	}
	text, err := c.keptBy(ctx, last, object)
	if err == nil || !absent(err) {
		return text, err
	}
	steps, failed := c.Reader.Steps(ctx, object.UUID)
	if failed != nil {
		return nil, failed
	}
	for _, step := range slices.Backward(steps) {
		if step.Seq == last.Seq || !leadsTo(step.Move, object.Pointer) {
			continue
		}
		if text, err = c.keptBy(ctx, step, object); err == nil || !absent(err) {
			return text, err
		}
	}
	return nil, err
}

// keptBy is the document that the journal has kept of a step of an object.
func (c *Catalog) keptBy(ctx context.Context, step projections.Step, object projections.Object) ([]byte, error) {
	for e, err := range c.Journal.Scan(ctx, step.Seq-1) {
		if err != nil {
			return nil, err
		}
		isMove := func(m journal.Move) bool { return m.UUID == object.UUID && leadsTo(m, object.Pointer) }
		if move := slices.IndexFunc(e.Moves(), isMove); e.ID == step.Event && move >= 0 {
			return c.Journal.Document(ctx, e.Seq, move)
		}
		break
	}
	return nil, journal.ErrNoEvent
}

func leadsTo(m journal.Move, pointer journal.Pointer) bool {
	return m.To != nil && m.To.Pointer.DocumentSHA256 == pointer.DocumentSHA256
}

// absent tells that the journal has not got a document, from what keeps it from
// looking.
func absent(err error) bool {
	return errors.Is(err, journal.ErrNoEvent) || errors.Is(err, journal.ErrNotKept) || errors.Is(err, journal.ErrErased)
}
