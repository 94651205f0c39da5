package rest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// maxMoves is how many moves one answer holds at most, and without a limit.
const maxMoves = 10_000

// historyBody is every pointer that an object has had, oldest first. Next is given
// when there are more: the same query with next=NEXT goes on.
type historyBody struct {
	Warehouse  string             `json:"warehouse"`
	Kind       journal.ObjectKind `json:"kind"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	Moves      []stepBody         `json:"moves"`
	Next       string             `json:"next,omitempty"`
}

type stepBody struct {
	Seq        journal.Seq        `json:"seq"`
	ID         uuid.UUID          `json:"id"`
	At         stamp              `json:"at"`
	Event      journal.Kind       `json:"event"`
	Actor      journal.Actor      `json:"actor"`
	RequestID  string             `json:"request-id,omitempty"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	From       *fromBody          `json:"from,omitempty"`
	To         *toBody            `json:"to,omitempty"`
	SnapshotID *int64             `json:"snapshot-id,omitempty"`
}

// history answers the moves of one table or view: of the one that has the name,
// else the last that had it; with all=true of every one that ever had it. The
// body's head speaks of the first of these.
func history(c *call) (reply, error) {
	objects, check, err := c.historyQuery()
	if err != nil {
		return reply{}, err
	}
	var steps []projections.Step
	answer := historyBody{Warehouse: c.warehouse.Name}
	for i, object := range objects {
		its, err := c.warehouse.State.Steps(c.ctx, object)
		if err != nil {
			return reply{}, unreadable(err)
		}
		if i == 0 && len(its) > 0 {
			last := its[len(its)-1].Move
			answer.Kind, answer.UUID, answer.Identifier = last.Kind, last.UUID, last.Identifier()
		}
		steps = append(steps, its...)
	}
	if len(steps) == 0 {
		return reply{}, &catalog.Error{Code: catalog.NoSuchTable, Message: "The journal has never seen the uuid " + objects[0].String()}
	}
	steps, answer.Next, err = c.pageOf(steps)
	if err != nil {
		return reply{}, err
	}
	for _, s := range steps {
		body, err := c.step(s, check)
		if err != nil {
			return reply{}, err
		}
		answer.Moves = append(answer.Moves, body)
	}
	return ok(answer)
}

// pageOf is the part of the steps, sorted, that is answered, and the token of the next
// part: empty at the end.
func (c *call) pageOf(steps []projections.Step) (part []projections.Step, next string, err error) {
	limit, err := c.query.count("limit", maxMoves, maxMoves)
	if err != nil {
		return nil, "", err
	}
	token, given, err := c.query.get("next")
	if err != nil {
		return nil, "", err
	}
	slices.SortFunc(steps, func(a, b projections.Step) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), bytes.Compare(a.Move.UUID[:], b.Move.UUID[:]))
	})
	of := listing(c.warehouse.ID.String() + "/history/" + c.query.values.Get("identifier") + "/" + c.query.values.Get("uuid"))
	if given {
		after, ok := of.open(token)
		if !ok {
			return nil, "", badRequest("Query parameter %q is not of this answer", "next")
		}
		steps = slices.DeleteFunc(steps, func(s projections.Step) bool { return orderOf(s) <= after })
	}
	if len(steps) <= limit {
		return steps, "", nil
	}
	return steps[:limit], of.token(orderOf(steps[limit-1])), nil
}

// orderOf sorts steps as they happened, those of one event by uuid.
func orderOf(s projections.Step) string { return fmt.Sprintf("%020d/%s", s.Seq, s.Move.UUID) }

// historyQuery reads whose moves are asked for, at least one, and whether their
// files are to be looked at.
func (c *call) historyQuery() (objects []uuid.UUID, check bool, err error) {
	if err := c.query.only("identifier", "uuid", "all", "check", "limit", "next"); err != nil {
		return nil, false, err
	}
	all, err := c.query.boolean("all")
	if err != nil {
		return nil, false, err
	}
	if check, err = c.checks(); err != nil {
		return nil, false, err
	}
	name, object, err := c.query.object()
	switch {
	case err != nil:
		return nil, false, err
	case name == nil && object == uuid.Nil:
		return nil, false, badRequest("Query parameter %q or %q is needed", "identifier", "uuid")
	case name == nil:
		return []uuid.UUID{object}, check, nil
	}
	objects, err = c.holders(*name, all)
	return objects, check, err
}

// holders are the objects that had a name, the present or last one first.
func (c *call) holders(name journal.Identifier, all bool) ([]uuid.UUID, error) {
	holders, err := c.warehouse.State.Holders(c.ctx, name)
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(holders) == 0:
		return nil, &catalog.Error{Code: catalog.NoSuchTable, Message: "No table or view ever had the name " + name.Quoted()}
	case !all:
		return holders[:1], nil
	}
	return holders, nil
}

func stepOf(s projections.Step) stepBody {
	return stepBody{
		Seq: s.Seq, ID: s.Event, At: stamp(s.At), Event: s.Kind, Actor: s.Actor, RequestID: s.RequestID,
		UUID: s.Move.UUID, Identifier: s.Move.Identifier(),
		From: fromOf(s.Move), To: toOf(s.Move), SnapshotID: s.Move.SnapshotID,
	}
}

func (c *call) step(s projections.Step, check bool) (stepBody, error) {
	body := stepOf(s)
	if !check || body.To == nil {
		return body, nil
	}
	var err error
	body.To.Present, err = c.present(body.To.MetadataLocation)
	return body, err
}

// checks reads whether files are to be looked at.
func (c *call) checks() (bool, error) {
	check, err := c.query.boolean("check")
	if err == nil && check && c.warehouse.Present == nil {
		err = &catalog.Error{Code: catalog.Unsupported, Message: "The warehouse's files cannot be looked at here"}
	}
	return check, err
}

// present tells whether a file is in the warehouse.
func (c *call) present(location string) (*bool, error) {
	present, err := c.warehouse.Present(c.ctx, location)
	if err != nil {
		return nil, slowDown(surely(false), "The warehouse cannot be looked at: "+location, err)
	}
	return &present, nil
}
