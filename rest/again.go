package rest

import (
	"errors"
	"fmt"
	"slices"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// again answers a request whose event is in the journal: what its route answered
// then, made from the event.
func (c *call) again(seq journal.Seq) (reply, error) {
	for event, err := range c.warehouse.Journal.Scan(c.ctx, seq-1) {
		if err != nil {
			return reply{}, c.unknown(err)
		}
		answer, err := c.endpoint.again(c, event)
		if err != nil {
			err = internal(err, c.commits())
		}
		return answer, err
	}
	return reply{}, internal(fmt.Errorf("event %d is not in the journal", seq), c.commits())
}

// doneAgain is for the routes that answer nothing but that it is done.
func doneAgain(*call, journal.Event) (reply, error) { return noContent, nil }

func loadedAgain(c *call, e journal.Event) (reply, error) {
	t, err := c.tableMade(e)
	if err != nil {
		return reply{}, err
	}
	return c.made(e.Moves()[0].To.Identifier, t), nil
}

func committedAgain(c *call, e journal.Event) (reply, error) {
	t, err := c.tableMade(e)
	if err != nil {
		return reply{}, err
	}
	return committed(t), nil
}

func viewAgain(c *call, e journal.Event) (reply, error) {
	t, err := c.version(e)
	if err != nil {
		return reply{}, err
	}
	return loadedView(catalog.View(t), nil)
}

// tableMade is the version of a table that an event made, as it was answered.
func (c *call) tableMade(e journal.Event) (catalog.Table, error) {
	t, err := c.version(e)
	if err != nil {
		return t, err
	}
	return t.WithUUID(e.Moves()[0].UUID)
}

// version is the one that the first move of an event made: as the journal kept
// it, else from its file.
func (c *call) version(e journal.Event) (catalog.Table, error) {
	moves := e.Moves()
	if len(moves) == 0 || moves[0].To == nil {
		return catalog.Table{}, unlike(e)
	}
	pointer := moves[0].To.Pointer
	document, err := c.warehouse.Journal.Document(c.ctx, e.Seq, 0)
	if errors.Is(err, journal.ErrNotKept) || errors.Is(err, journal.ErrErased) {
		return c.warehouse.Catalog.TableAt(c.ctx, pointer)
	}
	return catalog.Table{MetadataLocation: pointer.MetadataLocation, Metadata: document, Digest: pointer.DocumentSHA256}, err
}

func namespaceAgain(c *call, e journal.Event) (reply, error) {
	made, is := e.Body.(journal.NamespaceCreated)
	if !is {
		return reply{}, unlike(e)
	}
	return ok(c.shown(projections.Namespace{ID: made.ID, Name: made.Namespace, Properties: made.Properties}))
}

// propertiesAgain tells the removals that were missing from those that the event
// does not have.
func propertiesAgain(c *call, e journal.Event) (reply, error) {
	made, is := e.Body.(journal.NamespaceUpdated)
	if !is {
		return reply{}, unlike(e)
	}
	removals, updates, err := c.propertiesBody()
	if err != nil {
		return reply{}, err
	}
	change := catalog.PropertiesChange{Updated: []string{}, Removed: made.Removed}
	for key := range updates {
		change.Updated = append(change.Updated, key)
	}
	slices.Sort(change.Updated)
	change.Missing = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(removals))), func(key string) bool {
		return slices.Contains(made.Removed, key)
	})
	return ok(propertiesChange(change))
}

// unlike is an event that a route did not make.
func unlike(e journal.Event) error {
	return fmt.Errorf("event %s is a %s, which the route never makes", e.Position, e.Kind())
}
