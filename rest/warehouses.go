package rest

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"puddle/journal"
)

type warehouseBody struct {
	Name        string    `json:"name"`
	Location    string    `json:"location"`
	ID          uuid.UUID `json:"id"`
	Incarnation uuid.UUID `json:"incarnation"`
	Head        headBody  `json:"head"`
}

type headBody struct {
	Seq  journal.Seq    `json:"seq"`
	Hash journal.Digest `json:"hash"`
}

type warehouseList struct {
	Warehouses []warehouseBody `json:"warehouses"`
}

// listWarehouses tells each one's place and head.
func listWarehouses(c *call) (reply, error) {
	if err := c.query.only(); err != nil {
		return reply{}, err
	}
	var list warehouseList
	for _, w := range c.server.Warehouses {
		head, err := w.Journal.Head(c.ctx)
		if err != nil {
			return reply{}, unreadable(err)
		}
		list.Warehouses = append(list.Warehouses, warehouseBody{
			Name: w.Name, Location: w.Location, ID: w.ID, Incarnation: head.Incarnation,
			Head: headBody{head.Seq, head.Hash},
		})
	}
	return ok(list)
}

// unreadable is the failure of a report whose journal or pointer tables cannot
// be read. Damage is told from what passes, and where it is.
func unreadable(err error) *failure {
	if damage, ok := errors.AsType[*journal.Damage](err); ok {
		return &failure{status: http.StatusInternalServerError, kind: "InternalServerError", message: "The " + damage.Error(), err: err}
	}
	return slowDown(surely(false), "The history cannot be read at the moment", err)
}
