package rest

import (
	"errors"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// namespaceBody answers one namespace.
type namespaceBody struct {
	Namespace  journal.Namespace `json:"namespace"`
	Properties map[string]string `json:"properties"`
}

// namespaceList is Iceberg's ListNamespacesResponse.
type namespaceList struct {
	Namespaces []journal.Namespace `json:"namespaces"`
	Next       string              `json:"next-page-token,omitempty"`
}

// propertiesChange is Iceberg's UpdateNamespacePropertiesResponse.
type propertiesChange struct {
	Updated []string `json:"updated"`
	Removed []string `json:"removed"`
	Missing []string `json:"missing"`
}

// listNamespaces lists direct children, of the root without a parent (case 88).
func listNamespaces(c *call) (reply, error) {
	value, _, err := c.query.get("parent")
	if err != nil {
		return reply{}, err
	}
	parent, err := c.parent(value)
	if err != nil {
		return reply{}, err
	}
	page, err := c.query.page(c.listing("namespaces", parent))
	if err != nil {
		return reply{}, err
	}
	names, err := c.warehouse.Catalog.Children(c.ctx, parent, page.ask())
	if err != nil {
		return reply{}, err
	}
	var list namespaceList
	names, list.Next = page.cut(names)
	for _, name := range names {
		list.Namespaces = append(list.Namespaces, append(parent[:len(parent):len(parent)], name))
	}
	return ok(list)
}

// parent reads a parent parameter: as it stands if there is such a namespace,
// else as a client means it that escapes every level twice.
func (c *call) parent(value string) (journal.Namespace, error) {
	name, ok := parent(value)
	if !ok {
		return nil, badRequest("The parent namespace has an empty level")
	}
	if name.IsRoot() {
		return name, nil
	}
	_, missing := c.existing(name)
	again, other := parentDecodedAgain(value)
	if missing == nil || !other {
		return name, missing
	}
	var refusal *catalog.Error
	if errors.As(missing, &refusal) && refusal.Code == catalog.NoSuchNamespace {
		if _, err := c.existing(again); err == nil {
			return again, nil
		}
	}
	return nil, missing
}

// existing finds a namespace; one that can never be is not asked for.
func (c *call) existing(name journal.Namespace) (projections.Namespace, error) {
	if name.Check() != nil {
		return projections.Namespace{}, noNamespace(name)
	}
	return c.warehouse.Catalog.Namespace(c.ctx, name)
}

func createNamespace(c *call) (reply, error) {
	o, err := readObject("The request", c.data, "namespace", "properties")
	if err != nil {
		return reply{}, err
	}
	name, err := o.namespace("namespace")
	if err != nil {
		return reply{}, err
	}
	properties, err := o.properties("properties")
	if err != nil {
		return reply{}, err
	}
	made, err := c.warehouse.Catalog.CreateNamespace(c.ctx, c.cause(), name, properties)
	if err != nil {
		return reply{}, err
	}
	return ok(c.shown(made))
}

// shown is a namespace as clients see it, with the location that it has when
// nobody gave it one.
func (c *call) shown(n projections.Namespace) namespaceBody {
	return namespaceBody{n.Name, c.warehouse.Catalog.ShownProperties(n)}
}

func loadNamespace(c *call) (reply, error) {
	name, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	found, err := c.warehouse.Catalog.Namespace(c.ctx, name)
	if err != nil {
		return reply{}, err
	}
	return ok(c.shown(found))
}

func namespaceExists(c *call) (reply, error) {
	name, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	_, err = c.warehouse.Catalog.Namespace(c.ctx, name)
	return noContent, err
}

func dropNamespace(c *call) (reply, error) {
	name, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.DropNamespace(c.ctx, c.cause(), name)
}

// updateNamespace removes and sets properties (case 106).
func updateNamespace(c *call) (reply, error) {
	name, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	removals, updates, err := c.propertiesBody()
	if err != nil {
		return reply{}, err
	}
	change, err := c.warehouse.Catalog.UpdateNamespace(c.ctx, c.cause(), name, removals, updates)
	if err != nil {
		return reply{}, err
	}
	return ok(propertiesChange(change))
}

// propertiesBody reads an UpdateNamespacePropertiesRequest.
func (c *call) propertiesBody() (removals []string, updates map[string]string, err error) {
	o, err := readObject("The request", c.data, "removals", "updates")
	if err != nil {
		return nil, nil, err
	}
	if removals, err = o.texts("removals"); err != nil {
		return nil, nil, err
	}
	updates, err = o.properties("updates")
	return removals, updates, err
}
