package rest

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/catalog"
)

// historyBody is every pointer that an object has had, oldest first.
type historyBody struct {
	Warehouse  string             `json:"warehouse"`
	Kind       journal.ObjectKind `json:"kind"`
	UUID       uuid.UUID          `json:"uuid"`
	Identifier journal.Identifier `json:"identifier"`
	Moves      []stepBody         `json:"moves"`
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
	slices.SortStableFunc(steps, func(a, b projections.Step) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, s := range steps {
		body, err := c.step(s, check)
		if err != nil {
			return reply{}, err
		}
		answer.Moves = append(answer.Moves, body)
	}
	return ok(answer)
}

// historyQuery reads whose moves are asked for, at least one, and whether their
// files are to be looked at.
func (c *call) historyQuery() (objects []uuid.UUID, check bool, err error) {
	if err := c.query.only("identifier", "uuid", "all", "check"); err != nil {
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

func (c *call) step(s projections.Step, check bool) (stepBody, error) {
	body := stepBody{
		Seq: s.Seq, ID: s.Event, At: stamp(s.At), Event: s.Kind, Actor: s.Actor, RequestID: s.RequestID,
		UUID: s.Move.UUID, Identifier: s.Move.Identifier(),
		From: fromOf(s.Move), To: toOf(s.Move), SnapshotID: s.Move.SnapshotID,
	}
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
