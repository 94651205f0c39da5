package rest

import (
	"errors"
	"strings"

	"puddle/journal"
	"puddle/rest/catalog"
)

// names are those in a request's path, still escaped, and as they read when a plus
// is a plus. A path without an object has no name.
type names struct {
	namespace, name string
	plus            bool // there is one, which may mean a space
	plain           journal.Identifier
	unread          error // why there is no plain; else nil
	isNamespace     bool  // plain's namespace can be one
	isObject        bool  // plain can be an object's
}

func namesIn(namespace, name string) names {
	n := names{namespace: namespace, name: name, plus: strings.Contains(namespace, "+") || strings.Contains(name, "+")}
	n.plain, n.unread = n.decode(plusIsPlus)
	n.isNamespace = n.unread == nil && n.plain.Namespace.Check() == nil
	n.isObject = n.isNamespace && n.plain.Check() == nil
	return n
}

// read decodes the names. A namespace with an empty level is refused: it is not
// a name that could be missing (case 78). What is answered must not be modified.
func (n *names) read(as plus) (journal.Identifier, error) {
	if as == plusIsPlus {
		return n.plain, n.unread
	}
	return n.decode(as)
}

func (n *names) decode(as plus) (journal.Identifier, error) {
	namespace, ok := levels(n.namespace, as)
	if !ok {
		return journal.Identifier{}, badRequest("The namespace in the path has an empty level")
	}
	return journal.Identifier{Namespace: namespace, Name: unescape(n.name, as)}, nil
}

// namespace is the one that the path names. NoSuchNamespace when no such name
// can ever be.
func (c *call) namespace() (journal.Namespace, error) {
	n := &c.match.names
	as := plusIsPlus
	if strings.Contains(n.namespace, "+") {
		var err error
		if as, _, err = readPlus(c.habit(), c.writes(), c.namespaceExists(n)); err != nil {
			return nil, err
		}
	}
	id, err := n.read(as)
	if err == nil && !(as == plusIsPlus && n.isNamespace) && id.Namespace.Check() != nil {
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
	n := &c.match.names
	as := plusIsPlus
	if n.plus {
		var err error
		if as, _, err = readPlus(c.habit(), c.writes(), c.objectExists(kind, n)); err != nil {
			return journal.Identifier{}, err
		}
	}
	id, err := n.read(as)
	if err != nil || as == plusIsPlus && n.isObject {
		return id, err
	}
	return id, possible(kind, id)
}

// newTable is the table that a commit creates under the name in the path. A new
// name cannot be told by what exists: the client's habit decides.
func (c *call) newTable() (journal.Identifier, error) {
	n := &c.match.names
	as, err := plusIsPlus, error(nil)
	switch {
	case strings.Contains(n.name, "+"):
		as, err = byHabit(c.habit(), true)
	case n.plus:
		as, _, err = readPlus(c.habit(), true, c.namespaceExists(n))
	}
	if err != nil {
		return journal.Identifier{}, err
	}
	return n.read(as)
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

func (c *call) namespaceExists(n *names) func(plus) (bool, error) {
	return func(as plus) (bool, error) {
		id, err := n.read(as)
		if err != nil || id.Namespace.Check() != nil {
			return false, err
		}
		_, err = c.warehouse.Catalog.Namespace(c.ctx, id.Namespace)
		return found(err, catalog.NoSuchNamespace)
	}
}

func (c *call) objectExists(kind journal.ObjectKind, n *names) func(plus) (bool, error) {
	return func(as plus) (bool, error) {
		id, err := n.read(as)
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
