package rest

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Limits of one answer of events. The last two end a page early, perhaps without
// an event on it: a large one, and the search for a rare one, end in time.
const (
	defaultEvents  = 100
	maxEvents      = 1000
	maxEventBytes  = 16 << 20 // of JSON; the event that passes it is the last
	maxEventsAsked = 100_000  // read to find those that fit
)

// eventList answers events. Next is given when there may be more: the same query
// with next=NEXT goes on.
type eventList struct {
	Events []jsontext.Value `json:"events"`
	Next   string           `json:"next,omitempty"`
}

// eventQuery is what of a history is asked for: the events after one seq and up
// to another, in either direction, of those that fit.
type eventQuery struct {
	on           line
	after, until journal.Seq // until 0: no bound
	newestFirst  bool
	limit        int // of events in the answer
	bytes, asked int // maxEventBytes and maxEventsAsked, but in tests

	kind       journal.Kind
	actor      journal.Actor
	identifier *journal.Identifier
	object     uuid.UUID
}

// listEvents answers the events of a warehouse.
func listEvents(c *call) (reply, error) {
	q, err := c.eventQuery()
	if err != nil {
		return reply{}, err
	}
	list, err := q.page(c.warehouse.Name, q.scan(c))
	if err != nil {
		return reply{}, err
	}
	return ok(list)
}

// page takes the events that fit until a limit is reached.
func (q eventQuery) page(warehouse string, events iter.Seq2[journal.Event, error]) (list eventList, err error) {
	var last journal.Position
	size, asked := 0, 0
	for e, err := range events {
		if err != nil {
			return list, unreadable(err)
		}
		fits := q.fits(e)
		if asked == q.asked || fits && (len(list.Events) == q.limit || size >= q.bytes) {
			list.Next = last.String()
			break
		}
		last = e.Position
		asked++
		if !fits {
			continue
		}
		body, err := json.Marshal(q.bodyOf(warehouse, e), json.Deterministic(true))
		if err != nil {
			return list, err
		}
		list.Events = append(list.Events, body)
		size += len(body)
	}
	return list, nil
}

func (c *call) eventQuery() (q eventQuery, err error) {
	q.bytes, q.asked = maxEventBytes, maxEventsAsked
	if err := c.query.only("after", "until", "order", "limit", "kind", "identifier", "uuid", "actor", "next"); err != nil {
		return q, err
	}
	if q.limit, err = c.query.count("limit", defaultEvents, maxEvents); err != nil {
		return q, err
	}
	if q.newestFirst, err = c.newestFirst(); err != nil {
		return q, err
	}
	if err := q.filter(c.query); err != nil {
		return q, err
	}
	return q, q.bound(c)
}

func (c *call) newestFirst() (bool, error) {
	order, given, err := c.query.get("order")
	if err != nil || !given || order == "asc" {
		return false, err
	}
	if order != "desc" {
		return false, badRequest("Query parameter %q must be asc or desc, not %q", "order", order)
	}
	return true, nil
}

// filter reads which events fit.
func (q *eventQuery) filter(from query) error {
	kind, given, err := from.get("kind")
	if err != nil {
		return err
	}
	if given && !slices.Contains(journal.Kinds(), journal.Kind(kind)) {
		return badRequest("Query parameter %q must be one of %s, not %q", "kind", kindNames(), kind)
	}
	actor, _, err := from.get("actor")
	if err != nil {
		return err
	}
	q.kind, q.actor = journal.Kind(kind), journal.Actor(actor)
	q.identifier, q.object, err = from.object()
	return err
}

func kindNames() string {
	var names []string
	for _, kind := range journal.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// bound reads where the answer begins and ends.
func (q *eventQuery) bound(c *call) (err error) {
	if q.on, err = c.lineOf("after", "until"); err != nil {
		return err
	}
	after, _, err := c.point("after", q.on)
	if err != nil {
		return err
	}
	until, bounded, err := c.point("until", q.on)
	if err != nil {
		return err
	}
	next, more, err := c.point("next", q.on)
	if err != nil {
		return err
	}
	switch {
	case more && q.newestFirst:
		if next = max(next, 1) - 1; !bounded || next < until {
			until, bounded = next, true
		}
	case more:
		after = max(after, next)
	}
	q.after, q.until = after, until
	if bounded && until == 0 {
		q.after, q.until = 1, 1 // nothing
	}
	return nil
}

// object reads which table or view is meant; nothing when the query names none.
func (q query) object() (*journal.Identifier, uuid.UUID, error) {
	name, named, err := q.get("identifier")
	if err != nil {
		return nil, uuid.Nil, err
	}
	text, numbered, err := q.get("uuid")
	switch {
	case err != nil:
		return nil, uuid.Nil, err
	case named && numbered:
		return nil, uuid.Nil, badRequest("Query parameters %q and %q exclude each other", "identifier", "uuid")
	case named:
		id, err := journal.ParseIdentifier(name)
		if err != nil {
			return nil, uuid.Nil, badRequest("Query parameter %q: %v", "identifier", err)
		}
		return &id, uuid.Nil, nil
	case numbered:
		id, err := uuid.Parse(text)
		if err != nil || id == uuid.Nil {
			return nil, uuid.Nil, badRequest("Query parameter %q must be a UUID, not %q", "uuid", text)
		}
		return nil, id, nil
	}
	return nil, uuid.Nil, nil
}

// scan yields the events between the bounds, in the order that was asked for.
func (q eventQuery) scan(c *call) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		all := q.on.journal.Scan(c.ctx, q.after)
		if q.newestFirst {
			before := q.until
			if before != 0 {
				before++
			}
			all = q.on.journal.ScanBack(c.ctx, before)
		}
		for e, err := range all {
			if err == nil && (q.until != 0 && e.Seq > q.until || e.Seq <= q.after) {
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (q eventQuery) fits(e journal.Event) bool {
	if q.kind != "" && e.Kind() != q.kind || q.actor != "" && e.Cause.Actor != q.actor {
		return false
	}
	if q.identifier == nil && q.object == uuid.Nil {
		return true
	}
	switch b := e.Body.(type) {
	case journal.TablePurged: // it moves nothing and knows no name
		return b.Table == q.object
	case journal.HistoryImported:
		return slices.ContainsFunc(b.Steps, func(s journal.ImportedStep) bool { return q.concerns(s.Move) })
	}
	return slices.ContainsFunc(e.Moves(), q.concerns)
}

// bodyOf is the body of an event that fits. Of what it imported it has the moves that were
// asked for.
func (q eventQuery) bodyOf(warehouse string, e journal.Event) eventBody {
	body := eventOf(warehouse, e)
	imported, _ := e.Body.(journal.HistoryImported)
	for _, s := range imported.Steps {
		if q.identifier == nil && q.object == uuid.Nil || q.concerns(s.Move) {
			body.Imported = append(body.Imported, stepOf(projections.StepOfImport(s)))
		}
	}
	return body
}

// concerns tells whether a move is of the object, or from or to the name.
func (q eventQuery) concerns(m journal.Move) bool {
	if q.identifier == nil {
		return m.UUID == q.object
	}
	return m.From != nil && m.From.Identifier.Equal(*q.identifier) ||
		m.To != nil && m.To.Identifier.Equal(*q.identifier)
}
