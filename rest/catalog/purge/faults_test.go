package purge_test

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog/catalogtest"
	"puddle/rest/catalog/purge"
)

var errInjected = catalogtest.ErrInjected

type fault = catalogtest.Fault

const (
	before       = catalogtest.Before
	after        = catalogtest.After
	lost         = catalogtest.Lost
	killedBefore = catalogtest.KilledBefore
	killedAfter  = catalogtest.KilledAfter
)

// reader fails what is asked.
type reader struct {
	purge.Reader
	faults *catalogtest.Steps
}

func (r reader) ask(step string) error {
	if r.faults.Next("ask for "+step) != "" {
		return errInjected
	}
	return nil
}

func (r reader) Purges(ctx context.Context, after journal.Seq, limit int) ([]projections.Purge, error) {
	if err := r.ask("purges"); err != nil {
		return nil, err
	}
	return r.Reader.Purges(ctx, after, limit)
}

func (r reader) Purge(ctx context.Context, table uuid.UUID) (projections.Purge, bool, error) {
	if err := r.ask("purge"); err != nil {
		return projections.Purge{}, false, err
	}
	return r.Reader.Purge(ctx, table)
}

func (r reader) PlaceHolder(ctx context.Context, path string, except uuid.UUID) (uuid.UUID, bool, error) {
	if err := r.ask("holder"); err != nil {
		return uuid.Nil, false, err
	}
	return r.Reader.PlaceHolder(ctx, path, except)
}

// guard fails to clear.
type guard struct{ faults *catalogtest.Steps }

func (g guard) Clear(context.Context, []journal.Place) (func(), error) {
	if g.faults.Next("clear") != "" {
		return nil, errInjected
	}
	return func() {}, nil
}

// forgetting fails to forget.
func forgetting(f *catalogtest.Steps) func(context.Context, uuid.UUID) error {
	return func(context.Context, uuid.UUID) error { return f.Around("forget", func() error { return nil }) }
}
