package rest

import (
	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// loadedView is Iceberg's LoadViewResult, which commits answer as well.
func loadedView(v catalog.View, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	answer := metadataReply(v.MetadataLocation, v.Metadata, `,"config":{}}`)
	answer.document = shown{v.Digest, snapshotsAll}
	return answer, nil
}

func listViews(c *call) (reply, error) { return c.listObjects("views", c.warehouse.Catalog.Views) }

func createView(c *call) (reply, error) {
	in, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	view, err := c.newViewBody(in)
	if err != nil {
		return reply{}, err
	}
	return loadedView(c.warehouse.Catalog.CreateView(c.ctx, c.cause(), view))
}

// newViewBody reads a CreateViewRequest.
func (c *call) newViewBody(in journal.Namespace) (v catalog.NewView, err error) {
	o, err := readObject("The request", c.data, "name", "location", "schema", "view-version", "properties")
	if err != nil {
		return v, err
	}
	v.Identifier.Namespace = in
	if v.Identifier.Name, err = o.name("name"); err != nil {
		return v, err
	}
	if v.Location, err = o.text("location"); err != nil {
		return v, err
	}
	if v.Properties, err = o.properties("properties"); err != nil {
		return v, err
	}
	v.Schema, v.Version = o.raw("schema"), o.raw("view-version")
	if v.Schema == nil || v.Version == nil {
		return v, badRequest(`The request needs "schema" and "view-version"`)
	}
	return v, nil
}

func loadView(c *call) (reply, error) {
	id, err := c.view()
	if err != nil {
		return reply{}, err
	}
	return loadedView(c.warehouse.Catalog.LoadView(c.ctx, id))
}

func viewExists(c *call) (reply, error) {
	id, err := c.view()
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.ViewExists(c.ctx, id)
}

// commitView applies a CommitViewRequest to the view that the path names,
// whatever identifier the body has.
func commitView(c *call) (reply, error) {
	requirements, updates, err := metadata.DecodeViewCommit(c.data)
	if err != nil {
		return reply{}, err
	}
	id, err := c.view()
	if err != nil {
		return reply{}, err
	}
	return loadedView(c.warehouse.Catalog.CommitView(c.ctx, c.cause(), id, requirements, updates))
}

func dropView(c *call) (reply, error) {
	id, err := c.view()
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.DropView(c.ctx, c.cause(), id)
}

func renameView(c *call) (reply, error) {
	source, destination, err := c.renameBody(journal.View)
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.RenameView(c.ctx, c.cause(), source, destination)
}
