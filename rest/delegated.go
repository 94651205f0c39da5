package rest

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/rest/catalog"
)

// Answers with credentials are made for one caller and one moment: they have no ETag,
// are never 304, and are kept nowhere (case 99).

// loadDelegated is loadTable for a client that asks for credentials. Without any, as for
// a table in folders, it is not done.
func (c *call) loadDelegated(id journal.Identifier, snapshots string) (answer reply, done bool, err error) {
	table, reach, err := c.warehouse.Catalog.LoadTableReach(c.ctx, id)
	if err != nil {
		return reply{}, false, err
	}
	granted, err := c.vend(id, reach)
	if granted == nil || err != nil {
		return reply{}, false, err
	}
	if snapshots == snapshotsRefs {
		if table.Metadata, err = c.warehouse.Catalog.ReferencedSnapshots(table); err != nil {
			return reply{}, false, err
		}
	}
	answer, err = c.delegated(id, table, granted, snapshots)
	return answer, true, err
}

// delegated is Iceberg's LoadTableResult with access to the table.
func (c *call) delegated(id journal.Identifier, t catalog.Table, a *grant, snapshots string) (reply, error) {
	tail, err := c.tail(id, a)
	if err != nil {
		return reply{}, err
	}
	answer := metadataReply(t.MetadataLocation, t.Metadata, tail)
	answer.document = shown{t.Digest, snapshots}
	answer.headers = map[string]string{"Cache-Control": "no-store"}
	answer.plain = [][]byte{answer.body[0], answer.body[documentPart], []byte(loadTail)}
	return answer, nil
}

// made answers a table that was created or registered, with access to it where that is
// asked for. The table is there whatever comes of that: when nobody can make
// credentials the answer has none, and the log says why.
func (c *call) made(id journal.Identifier, t catalog.Table) reply {
	plain := loaded(t)
	if !c.delegates() {
		return plain
	}
	reach, err := c.warehouse.Catalog.ReachOf(c.ctx, t)
	var granted *grant
	if err == nil {
		granted, err = c.vend(id, reach)
	}
	if err == nil && granted != nil {
		var answer reply
		if answer, err = c.delegated(id, t, granted, snapshotsAll); err == nil {
			return answer
		}
	}
	if err != nil {
		plain.err = fmt.Errorf("the answer has no credentials: %w", errors.Join(err, errors.Unwrap(err)))
	}
	return plain
}

// staged answers a table that was only staged. Its places are booked for it before any
// credentials reach them.
func (c *call) staged(id journal.Identifier, t catalog.Table) (reply, error) {
	if !c.delegates() || c.warehouse.Objects.Vendor == nil {
		return loaded(t), nil
	}
	if why := c.warehouse.readOnly(); why != nil {
		return reply{}, &catalog.Error{Code: catalog.Unavailable, Message: "Nothing is staged with credentials: " + why.Error(), Err: why}
	}
	booking, err := c.warehouse.Catalog.Book(c.ctx, c.caller.Actor, id, t)
	if err != nil {
		return reply{}, err
	}
	granted, err := c.vendBooked(id, booking)
	if err != nil {
		return reply{}, err
	}
	if granted == nil {
		return loaded(t), nil
	}
	return c.delegated(id, t, granted, snapshotsAll)
}

// stagedAgain answers the same request for a staged table again: what was kept of the
// answer has no credentials.
func stagedAgain(c *call, before reply) (reply, error) {
	if !c.delegates() {
		return before, nil
	}
	in, err := c.namespace()
	if err != nil {
		return reply{}, err
	}
	table, staged, err := c.newTableBody(in)
	if err != nil || !staged {
		return before, err
	}
	var body struct {
		Metadata jsontext.Value `json:"metadata"`
	}
	if err := json.Unmarshal(before.bytes(), &body); err != nil {
		return reply{}, internal(err, false)
	}
	return c.staged(table.Identifier, catalog.Table{Metadata: body.Metadata})
}

// loadCredentials is Iceberg's LoadCredentialsResponse: all of a table, so that the plan
// that a client names makes no difference.
func loadCredentials(c *call) (reply, error) {
	id, err := c.table()
	if err != nil {
		return reply{}, err
	}
	if !c.warehouse.vends() {
		return reply{}, &catalog.Error{Code: catalog.Unsupported, Message: "Warehouse " + c.warehouse.Name + " gives no credentials"}
	}
	answer := struct {
		Credentials []credential `json:"storage-credentials"`
	}{[]credential{}}
	granted, err := c.vendNow(id)
	if err != nil {
		return reply{}, err
	}
	if granted != nil {
		answer.Credentials = append(answer.Credentials, granted.whole())
	}
	made, err := ok(answer)
	made.headers = map[string]string{"Cache-Control": "no-store"}
	return made, err
}

// vendNow is vend for a table, or for one that the caller has staged and is still writing.
func (c *call) vendNow(id journal.Identifier) (*grant, error) {
	_, reach, err := c.warehouse.Catalog.LoadTableReach(c.ctx, id)
	if err == nil {
		return c.vend(id, reach)
	}
	var refused *catalog.Error
	if errors.As(err, &refused) && refused.Code == catalog.NoSuchTable && c.asOf.Seq == 0 && c.warehouse.Objects.Vendor != nil {
		booking, ok, failed := c.warehouse.Catalog.BookAgain(c.ctx, c.caller.Actor, id)
		if failed != nil {
			return nil, failed
		}
		if ok {
			return c.vendBooked(id, booking)
		}
	}
	return nil, err
}

// vendBooked is vend for a table whose places are booked, which they stay for as long as
// credentials reach them.
func (c *call) vendBooked(id journal.Identifier, booking catalog.Booking) (granted *grant, err error) {
	var end time.Time
	defer func() { booking.Settle(end) }()
	if granted, err = c.vend(id, booking.Reach); granted != nil {
		end = granted.end
	}
	return granted, err
}
