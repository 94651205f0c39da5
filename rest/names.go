package rest

import (
	"errors"
	"strings"

	"puddle/journal"
	"puddle/rest/catalog"
)

// path is the names in a request's path, still escaped. One without an object
// has no name.
type path struct{ namespace, name string }

// path takes the object from whichever variable the route has for it.
func (c *call) path() path { return path{c.vars["namespace"], c.vars["table"] + c.vars["view"]} }

// read decodes the names. A namespace with an empty level is refused: it is not
// a name that could be missing (case 78).
func (p path) read(as plus) (journal.Identifier, error) {
	namespace, ok := levels(p.namespace, as)
	if !ok {
		return journal.Identifier{}, badRequest("The namespace in the path has an empty level")
	}
	return journal.Identifier{Namespace: namespace, Name: unescape(p.name, as)}, nil
}

// namespace is the one that the path names. NoSuchNamespace when no such name
// can ever be.
func (c *call) namespace() (journal.Namespace, error) {
	p := c.path()
	as := plusIsPlus
	if strings.Contains(p.namespace, "+") {
		var err error
		if as, _, err = readPlus(c.habit(), c.writes(), c.namespaceExists(p)); err != nil {
			return nil, err
		}
	}
	id, err := p.read(as)
	if err == nil && id.Namespace.Check() != nil {
		err = noNamespace(id.Namespace)
	}
	return id.Namespace, err
}

// table is the one that the path names. NoSuchTable when no such name can ever
// be.
func (c *call) table() (journal.Identifier, error) { return c.object(journal.Table) }

// view is the one that the path names. NoSuchView when no such name can ever be.
func (c *call) view() (journal.Identifier, error) { return c.object(journal.View) }

func (c *call) object(kind journal.ObjectKind) (journal.Identifier, error) {
	p := c.path()
	as := plusIsPlus
	if strings.Contains(p.namespace+p.name, "+") {
		var err error
		if as, _, err = readPlus(c.habit(), c.writes(), c.objectExists(kind, p)); err != nil {
			return journal.Identifier{}, err
		}
	}
	id, err := p.read(as)
	if err != nil {
		return id, err
	}
	return id, possible(kind, id)
}

// newTable is the table that a commit creates under the name in the path. A new
// name cannot be told by what exists: the client's habit decides.
func (c *call) newTable() (journal.Identifier, error) {
	p := c.path()
	as, err := plusIsPlus, error(nil)
	switch {
	case strings.Contains(p.name, "+"):
		as, err = byHabit(c.habit(), true)
	case strings.Contains(p.namespace, "+"):
		as, _, err = readPlus(c.habit(), true, c.namespaceExists(p))
	}
	if err != nil {
		return journal.Identifier{}, err
	}
	return p.read(as)
}

// possible refuses a name that no object can have, as one that is not there.
func possible(kind journal.ObjectKind, id journal.Identifier) error {
	switch {
	case id.Check() == nil:
		return nil
	case kind == journal.View:
		return &catalog.Error{Code: catalog.NoSuchView, Message: "View does not exist: " + id.String()}
	}
	return &catalog.Error{Code: catalog.NoSuchTable, Message: "Table does not exist: " + id.String()}
}

func noNamespace(n journal.Namespace) error {
	return &catalog.Error{Code: catalog.NoSuchNamespace, Message: "Namespace does not exist: " + n.String()}
}

func (c *call) habit() habit { return habitOf(c.request.Header) }

func (c *call) namespaceExists(p path) func(plus) (bool, error) {
	return func(as plus) (bool, error) {
		id, err := p.read(as)
		if err != nil || id.Namespace.Check() != nil {
			return false, err
		}
		_, err = c.warehouse.Catalog.Namespace(c.ctx, id.Namespace)
		return found(err, catalog.NoSuchNamespace)
	}
}

func (c *call) objectExists(kind journal.ObjectKind, p path) func(plus) (bool, error) {
	return func(as plus) (bool, error) {
		id, err := p.read(as)
		if err != nil || id.Check() != nil {
			return false, err
		}
		if kind == journal.View {
			return found(c.warehouse.Catalog.ViewExists(c.ctx, id), catalog.NoSuchView)
		}
		return found(c.warehouse.Catalog.TableExists(c.ctx, id), catalog.NoSuchTable)
	}
}

func found(err error, missing catalog.Code) (bool, error) {
	var refusal *catalog.Error
	if errors.As(err, &refusal) && refusal.Code == missing {
		return false, nil
	}
	return err == nil, err
}
