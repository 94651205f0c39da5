package main

import (
	"context"
	"fmt"
	"iter"

	"puddle/cmd/puddle/config"
	store "puddle/internal/warehouse"
	"puddle/internal/warehouse/dir"
	"puddle/internal/warehouse/s3"
)

// openExternals opens the external warehouses, to be read only. A folder that is not there
// keeps a server from starting; whatever else is opened tells of it where it is asked for.
func (n *node) openExternals(ctx context.Context) error {
	for _, e := range n.config.Externals {
		opened := store.Root{URL: e.Root.URL, Location: e.Root.Location, External: e.Name}
		from, err := n.openExternal(ctx, e)
		switch {
		case err == nil:
			opened.Store = store.ReadOnly(from)
		case n.purpose == serving:
			return fmt.Errorf("external warehouse %s: %w", e.Name, err)
		default:
			opened.Store = store.ReadOnly(unreachable{err})
		}
		if !e.Root.IsFolder() {
			opened.Revalidate = e.S3.Revalidate
		}
		n.externals = append(n.externals, opened)
	}
	return nil
}

func (n *node) openExternal(ctx context.Context, e config.External) (store.Reader, error) {
	took := n.metrics.ExternalStore(e.Name)
	if e.Root.IsFolder() {
		folder, err := dir.Existing(e.Root.Folder())
		if err != nil {
			return nil, err
		}
		n.onClose(folder.Close)
		return measured{folder, took}, nil
	}
	service, err := s3.New(ctx, serviceOptions(e.S3.Service))
	if err != nil {
		return nil, err
	}
	return measureBucket(service.Store(e.Root.Location), took), nil
}

// unreachable is storage that could not be opened: whoever asks it is told why.
type unreachable struct{ why error }

// Get implements store.Reader.
func (u unreachable) Get(context.Context, string, int64) ([]byte, error) { return nil, u.why }

// Stat implements store.Reader.
func (u unreachable) Stat(context.Context, string) (store.Info, error) { return store.Info{}, u.why }

// List implements store.Reader.
func (u unreachable) List(context.Context, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, u.why) }
}
