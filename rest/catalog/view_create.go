package catalog

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/rest/metadata"
)

// NewView is what a client asks for. Location may be left out.
type NewView struct {
	Identifier      journal.Identifier
	Location        string
	Schema, Version jsontext.Value
	Properties      map[string]string
}

// CreateView makes a view with its first metadata file. AlreadyExists when a
// view or table has the name or overlaps the place, NoSuchNamespace, Invalid,
// IllegalArgument for two queries in one dialect.
func (c *Catalog) CreateView(ctx context.Context, cause journal.Cause, v NewView) (View, error) {
	release, err := c.lock(ctx, naming(v.Identifier)...)
	if err != nil {
		return View{}, err
	}
	defer release()
	view, err := c.draftView(ctx, v)
	if err != nil {
		return View{}, err
	}
	places, err := c.admit(ctx, view)
	if err != nil {
		return View{}, err
	}
	leave, err := c.settle(ctx, v.Identifier, view, places)
	if err != nil {
		return View{}, err
	}
	defer leave()
	staged, err := c.stage(ctx, view)
	if err != nil {
		return View{}, err
	}
	err = c.record(ctx, cause, journal.ViewCreated{Moves: [1]journal.Move{{
		Kind: journal.View, UUID: view.UUID(),
		To: &journal.To{Identifier: v.Identifier, Pointer: staged.pointer, Location: view.Location(), Places: places},
	}}}, c.keep(staged)...)
	if err != nil {
		c.unstage(ctx, err, staged)
		return View{}, recorded(journal.View, outdone(err, view))
	}
	c.remember(staged, nil, journal.Pointer{})
	return viewOf(view), nil
}

// draftView computes a new view's first version.
func (c *Catalog) draftView(ctx context.Context, v NewView) (*metadata.View, error) {
	namespace, err := c.roomFor(ctx, journal.View, v.Identifier)
	if err != nil {
		return nil, err
	}
	id, fresh, err := twoUUIDs()
	if err != nil {
		return nil, err
	}
	location := trimSlash(v.Location)
	if location == "" {
		location = c.defaultLocation(namespace, id.String())
	}
	return decoded(metadata.CreateView(metadata.NewView{
		UUID: id, Location: location, Schema: v.Schema, Version: v.Version, Properties: v.Properties,
	}, c.Now(), fresh))
}
