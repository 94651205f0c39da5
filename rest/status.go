package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// statusBody is how the catalog is (interface §2, status). Warnings are for
// people; whoever has none is clean.
type statusBody struct {
	Ready      bool              `json:"ready"`
	Warehouses []warehouseStatus `json:"warehouses"`
	Warnings   []warningBody     `json:"warnings"`
}

type warehouseStatus struct {
	Warehouse   string       `json:"warehouse"`
	Incarnation uuid.UUID    `json:"incarnation"`
	Head        headBody     `json:"head"`
	Tables      tablesStatus `json:"tables"`
	Purges      purgesStatus `json:"purges"`
}

// tablesStatus is how far the pointer tables are. What is being recorded at this
// moment they may lack.
type tablesStatus struct {
	Seq    journal.Seq `json:"seq"`
	Behind uint64      `json:"behind"` // events
}

type warningBody struct {
	Warehouse string `json:"warehouse,omitempty"`
	Message   string `json:"message"`
}

// status tells how each warehouse is, and what somebody should look at.
func status(c *call) (reply, error) {
	if err := c.query.only(); err != nil {
		return reply{}, err
	}
	body := statusBody{Ready: true, Warnings: []warningBody{}}
	if c.server.Ready != nil {
		if err := c.server.Ready(c.ctx); err != nil {
			body.Ready = false
			body.Warnings = append(body.Warnings, warningBody{Message: "not ready: " + err.Error()})
		}
	}
	for i := range c.server.Warehouses {
		w := &c.server.Warehouses[i]
		is, err := w.status(c.ctx, c.server.Now(), body.Ready)
		if err != nil {
			return reply{}, unreadable(err)
		}
		body.Warehouses = append(body.Warehouses, is)
		for _, message := range is.Purges.warnings() {
			body.Warnings = append(body.Warnings, warningBody{w.Name, message})
		}
	}
	return ok(body)
}

// status looks at a warehouse. What its tables say is left out while they are not
// to be read.
func (w *Warehouse) status(ctx context.Context, now time.Time, readable bool) (s warehouseStatus, err error) {
	head, err := w.Journal.Head(ctx)
	if err != nil {
		return s, err
	}
	s = warehouseStatus{Warehouse: w.Name, Incarnation: head.Incarnation, Head: headBody{head.Seq, head.Hash}}
	s.Tables.Seq = head.Seq
	if w.Cursor != nil {
		cursor, err := w.Cursor(ctx)
		if err != nil {
			return s, err
		}
		s.Tables.Seq = cursor.Seq
	}
	if s.Tables.Seq < head.Seq {
		s.Tables.Behind = uint64(head.Seq - s.Tables.Seq)
	}
	s.Purges.work(w)
	if !readable {
		return s, nil
	}
	pending, err := w.pending(ctx, now)
	s.Purges.wait(pending)
	return s, err
}

// plural words a number of things.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
