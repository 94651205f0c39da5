package rest

import (
	"github.com/go-json-experiment/json/jsontext"

	"puddle/journal"
	"puddle/rest/catalog"
	"puddle/rest/metadata"
)

// commitTransaction applies the changes of a CommitTransactionRequest, all or
// none.
func commitTransaction(c *call) (reply, error) {
	changes, err := c.transactionBody()
	if err != nil {
		return reply{}, err
	}
	_, err = c.warehouse.Catalog.CommitTables(c.ctx, c.cause(), changes...)
	return noContent, err
}

func (c *call) transactionBody() ([]catalog.Change, error) {
	o, err := readObject("The request", c.data, "table-changes")
	if err != nil {
		return nil, err
	}
	var list []jsontext.Value
	if err := o.member("table-changes", "an array", '[', &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, badRequest(`The request needs "table-changes", and at least one`)
	}
	changes := make([]catalog.Change, len(list))
	for i, value := range list {
		if changes[i], err = tableChange(value); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// tableChange reads a CommitTableRequest that names its table itself.
func tableChange(value jsontext.Value) (change catalog.Change, err error) {
	o, err := readObject("A table change", value, "identifier")
	if err != nil {
		return change, err
	}
	if change.Identifier, err = o.identifier("identifier"); err != nil {
		return change, err
	}
	if change.Requirements, change.Updates, err = metadata.DecodeCommit(value); err != nil {
		return change, err
	}
	creates, err := metadata.AssertsCreate(change.Requirements)
	if err != nil || creates {
		return change, err
	}
	return change, possible(journal.Table, change.Identifier)
}
