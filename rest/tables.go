package rest

import (
	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// loadTail ends a LoadTableResult that grants nothing.
const loadTail = `,"config":` + noConfig + `}`

// loaded is Iceberg's LoadTableResult with all snapshots. The metadata goes out as it
// stands in the file; a table that was only staged has no location.
func loaded(t catalog.Table) reply { return tableReply(t, loadTail, snapshotsAll) }

// loadedOnce is loaded, as the catalog keeps it.
func loadedOnce(t catalog.Table) any {
	answer := loaded(t)
	return &answer
}

// committed is Iceberg's CommitTableResponse.
func committed(t catalog.Table) reply { return tableReply(t, `}`, snapshotsAll) }

func tableReply(t catalog.Table, tail, snapshots string) reply {
	answer := metadataReply(t.MetadataLocation, t.Metadata, tail)
	answer.tag = tagOf(t, snapshots, noConfig)
	answer.document = shown{t.Digest, snapshots}
	return answer
}

// loadedReferenced is loaded with those snapshots only that a branch or tag points
// at, unless the client has it: then its tag alone.
func (c *call) loadedReferenced(t catalog.Table) (answer reply, err error) {
	if tag := tagOf(t, snapshotsRefs, noConfig); has(c.request.Header, tag) {
		return notModified(tag), nil
	}
	if t.Metadata, err = c.warehouse.Catalog.ReferencedSnapshots(t); err != nil {
		return reply{}, err
	}
	return tableReply(t, loadTail, snapshotsRefs), nil
}

func listTables(c *call) (reply, error) { return c.listObjects("tables", c.warehouse.Catalog.Tables) }

// createTable makes a table, or with stage-create says what it would make.
func createTable(c *call) (reply, error) {
	in, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	table, staged, err := c.newTableBody(in)
	if err != nil {
		return reply{}, err
	}
	if staged {
		table.By = c.caller.Actor
		would, err := c.warehouse.Catalog.StageTable(c.ctx, table)
		if err != nil {
			return reply{}, err
		}
		return c.staged(table.Identifier, would)
	}
	made, err := c.warehouse.Catalog.CreateTable(c.ctx, c.cause(), table)
	if err != nil {
		return reply{}, err
	}
	return c.made(table.Identifier, made), nil
}

// newTableBody reads a CreateTableRequest.
func (c *call) newTableBody(in journal.Namespace) (t catalog.NewTable, staged bool, err error) {
	o, err := readObject("The request", c.data,
		"name", "location", "schema", "partition-spec", "write-order", "stage-create", "properties")
	if err != nil {
		return t, false, err
	}
	t.Identifier.Namespace = in
	if t.Identifier.Name, err = o.name("name"); err != nil {
		return t, false, err
	}
	if t.Location, err = o.text("location"); err != nil {
		return t, false, err
	}
	if t.Properties, err = o.properties("properties"); err != nil {
		return t, false, err
	}
	if t.Schema = o.raw("schema"); t.Schema == nil {
		return t, false, badRequest(`The request needs "schema"`)
	}
	t.PartitionSpec, t.WriteOrder = o.raw("partition-spec"), o.raw("write-order")
	staged, err = o.boolean("stage-create")
	return t, staged, err
}

// loadTable answers all snapshots, or with snapshots=refs only those that a
// branch or tag points at, unless the client has them. A file that is missing is
// told also then (rck §1.1).
func loadTable(c *call) (reply, error) {
	snapshots, given, err := c.query.get("snapshots")
	switch {
	case err != nil:
		return reply{}, err
	case !given || snapshots == "":
		snapshots = snapshotsAll
	case snapshots != snapshotsAll && snapshots != snapshotsRefs:
		return reply{}, badRequest("Query parameter %q must be all or refs, not %q", "snapshots", snapshots)
	}
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	if c.delegates() {
		if answer, done, err := c.loadDelegated(id, snapshots); done || err != nil {
			return answer, err
		}
	}
	table, known, err := c.warehouse.Catalog.LoadTableWith(c.ctx, id, loadedOnce)
	if err != nil {
		return reply{}, err
	}
	if snapshots == snapshotsRefs {
		return c.loadedReferenced(table)
	}
	answer := *known.(*reply)
	if has(c.request.Header, answer.tag) {
		return notModified(answer.tag), nil
	}
	return answer, nil
}

func tableExists(c *call) (reply, error) {
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.TableExists(c.ctx, id)
}

// commitTable applies a CommitTableRequest to the table that the path names,
// whatever identifier the body has.
func commitTable(c *call) (reply, error) {
	requirements, updates, err := metadata.DecodeCommit(c.data)
	if err != nil {
		return reply{}, err
	}
	creates, err := metadata.AssertsCreate(requirements)
	if err != nil {
		return reply{}, err
	}
	named := c.table
	if creates {
		named = c.newTable
	}
	id, err := named()
	if err != nil {
		return reply{}, err
	}
	tables, err := c.warehouse.Catalog.CommitTables(c.ctx, c.cause(), catalog.Change{Identifier: id, Requirements: requirements, Updates: updates})
	if err != nil {
		return reply{}, err
	}
	return committed(tables[0]), nil
}

// dropTable asks for a purge only when the client does so clearly (case 107).
func dropTable(c *call) (reply, error) {
	purge, err := c.query.boolean("purgeRequested")
	if err != nil {
		return reply{}, err
	}
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.DropTable(c.ctx, c.cause(), id, purge)
}

func renameTable(c *call) (reply, error) {
	source, destination, err := c.renameBody(journal.Table)
	if err != nil {
		return reply{}, err
	}
	return noContent, c.warehouse.Catalog.RenameTable(c.ctx, c.cause(), source, destination)
}

// renameBody reads a RenameTableRequest: the name moves that its source names
// (case 98).
func (c *call) renameBody(kind journal.ObjectKind) (source, destination journal.Identifier, err error) {
	o, err := readObject("The request", c.data, "source", "destination")
	if err != nil {
		return source, destination, err
	}
	if source, err = o.identifier("source"); err != nil {
		return source, destination, err
	}
	if destination, err = o.identifier("destination"); err != nil {
		return source, destination, err
	}
	return source, destination, possible(kind, source)
}
