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
	Build      string            `json:"build"`
	Writer     writerStatus      `json:"writer"`
	Room       roomStatus        `json:"room"`
	Warehouses []warehouseStatus `json:"warehouses"`
	Warnings   []warningBody     `json:"warnings"`
}

type warehouseStatus struct {
	Warehouse   string          `json:"warehouse"`
	Incarnation uuid.UUID       `json:"incarnation"`
	Head        headBody        `json:"head"`
	Storage     *storageStatus  `json:"storage,omitempty"`
	Tables      tablesStatus    `json:"tables"`
	Anchor      *anchorStatus   `json:"anchor,omitempty"`
	Sidecars    *sidecarsStatus `json:"sidecars,omitempty"`
	Archive     *archiveStatus  `json:"archive,omitempty"`
	Proofs      []proofStatus   `json:"proofs"`
	Purges      purgesStatus    `json:"purges"`
}

// tablesStatus is how far the pointer tables are. What is being recorded at this
// moment they may lack.
type tablesStatus struct {
	Seq    journal.Seq `json:"seq"`
	Behind uint64      `json:"behind"` // events
}

// warningBody is something to look at. What is critical keeps the catalog from
// serving, or will soon, until somebody does something.
type warningBody struct {
	Warehouse string `json:"warehouse,omitempty"`
	Critical  bool   `json:"critical"`
	Message   string `json:"message"`
}

// Warning is something to look at, and of which warehouse.
type Warning struct{ Warehouse, Message string }

// late is for how long events may wait for what follows a journal before that is told,
// although nothing has failed: a request may hang.
const late = time.Minute

// lateFor words a lag that is long.
func lateFor(events uint64, age time.Duration) string {
	return fmt.Sprintf("%s behind, the oldest for %d seconds, and no error is known: does the storage answer?", plural(int64(events), "event", "events"), age/time.Second)
}

func (b *statusBody) warn(warehouse, message string) {
	b.Warnings = append(b.Warnings, warningBody{Warehouse: warehouse, Message: message})
}

func (b *statusBody) critical(warehouse, message string) {
	b.Warnings = append(b.Warnings, warningBody{warehouse, true, message})
}

// status tells how each warehouse is, and what somebody should look at.
func status(c *call) (reply, error) {
	if err := c.query.only(); err != nil {
		return reply{}, err
	}
	body := statusBody{Build: c.server.Build, Warehouses: []warehouseStatus{}, Warnings: []warningBody{}}
	body.service(c)
	if c.server.Room != nil {
		body.room(c.server.Room(c.ctx))
	}
	if c.server.Warnings != nil {
		for _, w := range c.server.Warnings() {
			body.warn(w.Warehouse, w.Message)
		}
	}
	for i := range c.server.Warehouses {
		w := &c.server.Warehouses[i]
		is, err := w.status(c.ctx, c.server.Now(), body.Ready, body.Writer.State)
		switch {
		case err != nil && body.Writer.State == WriterNoDatabase:
			continue // the warning has it
		case err != nil:
			return reply{}, unreadable(err)
		}
		body.Warehouses = append(body.Warehouses, is)
		is.Anchor.tell(&body, w.Name)
		for _, message := range w.Storage.Warnings {
			body.warn(w.Name, message)
		}
		is.Archive.tell(&body, w.Name)
		is.Sidecars.tell(&body, w.Name)
		for _, message := range is.Purges.warnings() {
			body.warn(w.Name, message)
		}
	}
	return ok(body)
}

// service tells whether requests are served as they should be. What passes by
// itself is a warning.
func (b *statusBody) service(c *call) {
	err := c.server.ready(c.ctx)
	b.Ready = err == nil
	w := c.server.writing(b.Ready)
	b.Writer = writerStatus(w)
	if err == nil {
		return
	}
	tell, message := b.warn, "not ready: "+err.Error()
	if w.lasts() || w.State == WriterRunning {
		tell = b.critical
	}
	if w.Reason != "" {
		message += ": " + w.Reason
	}
	tell("", message)
}

// status looks at a warehouse. What its tables say is left out while they are behind,
// and where they cannot be read although they are not: then ready says so.
func (w *Warehouse) status(ctx context.Context, now time.Time, ready bool, writer WriterState) (s warehouseStatus, err error) {
	head, err := w.Journal.Head(ctx)
	if err != nil {
		return s, err
	}
	s = warehouseStatus{Warehouse: w.Name, Incarnation: head.Incarnation, Head: headBody{head.Seq, head.Hash}}
	s.Tables.Seq, s.Storage = head.Seq, w.Storage.status()
	if w.Cursor != nil {
		cursor, err := w.Cursor(ctx)
		if err != nil {
			return s, err
		}
		s.Tables.Seq = cursor.Seq
	}
	s.Tables.Behind = behind(s.Tables.Seq, head.Seq)
	s.Anchor = w.anchored(head.Seq, now)
	s.Sidecars = w.sidecars(now)
	s.Archive = w.archived(head.Seq, now)
	s.Proofs = w.proven(now)
	s.Purges.work(w)
	if !ready && (writer == WriterStarting || writer == WriterCatchingUp) {
		return s, nil
	}
	pending, err := w.pending(ctx, now)
	switch {
	case err == nil:
		s.Purges.wait(pending)
	case ready:
		return s, err
	}
	return s, nil
}

// plural words a number of things.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
