package catalog

import (
	"context"

	"puddle/journal"
	"puddle/rest/metadata"
)

// RegisterView makes a view of a metadata file that is there already, which
// stays as it is. A dropped view comes back with its uuid and history.
// AlreadyExists for the name, the uuid and places, NoSuchNamespace, FileMissing,
// Invalid.
func (c *Catalog) RegisterView(ctx context.Context, cause journal.Cause, id journal.Identifier, metadataLocation string) (View, error) {
	release, err := c.lock(ctx, naming(id)...)
	if err != nil {
		return View{}, err
	}
	defer release()
	if _, err := c.roomFor(ctx, journal.View, id); err != nil {
		return View{}, err
	}
	ctx, end := c.inTurn(ctx)
	defer end()
	f, err := c.adopt(ctx, metadataLocation)
	if err != nil {
		return View{}, err
	}
	view, err := decoded(metadata.ParseView(f.text, metadataLocation))
	if err != nil {
		return View{}, err
	}
	places, err := c.admitFound(ctx, view)
	if err != nil {
		return View{}, err
	}
	if err := c.checkHome(metadataLocation, view); err != nil {
		return View{}, err
	}
	leave, err := c.settle(ctx, id, view, places)
	if err != nil {
		return View{}, err
	}
	defer leave()
	err = c.record(ctx, cause, journal.ViewRegistered{Moves: [1]journal.Move{{
		Kind: journal.View, UUID: view.UUID(),
		To: &journal.To{Identifier: id, Pointer: f.pointer, Location: view.Location(), Places: places},
	}}}, c.keep(f)...)
	if err != nil {
		return View{}, recorded(journal.View, outdone(err, view))
	}
	return viewOf(view), nil
}
