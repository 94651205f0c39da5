package rest

import (
	"puddle/journal"
)

// registerTable makes a table of a metadata file, or with overwrite moves one to
// it: Iceberg's RegisterTableRequest.
func registerTable(c *call) (reply, error) {
	id, location, overwrite, err := c.registerBody()
	if err != nil {
		return reply{}, err
	}
	table, err := c.warehouse.Catalog.RegisterTable(c.ctx, c.cause(), id, location, overwrite)
	if err != nil {
		return reply{}, err
	}
	return c.made(id, table), nil
}

// registerView makes a view of a metadata file: Iceberg's RegisterViewRequest.
func registerView(c *call) (reply, error) {
	id, location, overwrite, err := c.registerBody()
	if err != nil {
		return reply{}, err
	}
	if overwrite {
		return reply{}, badRequest("A view cannot be registered over another")
	}
	return loadedView(c.warehouse.Catalog.RegisterView(c.ctx, c.cause(), id, location))
}

// registerBody reads what is to be registered under which name.
func (c *call) registerBody() (id journal.Identifier, location string, overwrite bool, err error) {
	if id.Namespace, err = c.namespace(); err != nil {
		return id, "", false, err
	}
	o, err := readObject("The request", c.data, "name", "metadata-location", "overwrite")
	if err != nil {
		return id, "", false, err
	}
	if id.Name, err = o.name("name"); err != nil {
		return id, "", false, err
	}
	if location, err = o.name("metadata-location"); err != nil {
		return id, "", false, err
	}
	overwrite, err = o.boolean("overwrite")
	return id, location, overwrite, err
}

// unregisterTable hands a table over: it is gone here, and the answer is its
// last version, Iceberg's UnregisterTableResult.
func unregisterTable(c *call) (reply, error) {
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	table, err := c.warehouse.Catalog.UnregisterTable(c.ctx, c.cause(), id)
	if err != nil {
		return reply{}, err
	}
	return unregistered(table.MetadataLocation, table.Metadata), nil
}

// unregistered has no tag: the table cannot be loaded any more.
func unregistered(location string, document []byte) reply {
	return metadataReply(location, document, `}`)
}

// unregisteredAgain reads the version that was left from its file, which is
// somebody else's by now.
func unregisteredAgain(c *call, e journal.Event) (reply, error) {
	moves := e.Moves()
	if len(moves) == 0 || moves[0].From == nil {
		return reply{}, unlike(e)
	}
	table, err := c.warehouse.Catalog.TableAt(c.ctx, moves[0].From.Pointer)
	if err == nil {
		table, err = table.WithUUID(moves[0].UUID)
	}
	if err != nil {
		return reply{}, err
	}
	return unregistered(table.MetadataLocation, table.Metadata), nil
}
