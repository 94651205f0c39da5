package catalog

import (
	"context"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/metadata"
)

// step is what a command makes of one table.
type step struct {
	identifier journal.Identifier
	object     projections.Object // where the table is now; zero when it is born
	base, doc  *metadata.Document // its version now, nil when that need not be known, and the next
	places     []journal.Place    // of the next
	updates    []string
}

// idle tells that nothing is changed.
func (s step) idle() bool { return s.doc == s.base }

// lives tells that the table is there already.
func (s step) lives() bool { return s.object.UUID != uuid.Nil }

func (s step) move(to journal.Pointer) journal.Move {
	m := journal.Move{
		Kind: journal.Table, UUID: s.doc.UUID(), SnapshotID: snapshotOf(s.doc), Updates: s.updates,
		To: &journal.To{Identifier: s.identifier, Pointer: to, Location: s.doc.Location(), Places: s.places},
	}
	if s.lives() {
		m.From = from(s.object)
	}
	return m
}

// land makes steps true: it stages their files and records one event. It answers
// the tables of all steps, those of idle ones as they are. After a refusal no file
// is left; after a success outdated ones go, where a table wants that.
func (c *Catalog) land(ctx context.Context, cause journal.Cause, steps []step) ([]Table, error) {
	tables := make([]Table, len(steps))
	var moving []int
	for i, s := range steps {
		if s.idle() {
			tables[i] = shownAt(s.object.Pointer.MetadataLocation, s.doc)
		} else {
			moving = append(moving, i)
		}
	}
	if len(moving) == 0 {
		return tables, nil
	}
	leave, err := c.settleAll(ctx, steps)
	if err != nil {
		return nil, err
	}
	defer leave()
	staged, err := c.stageAll(ctx, pick(steps, moving))
	if err != nil {
		return nil, err
	}
	moves := make([]journal.Move, len(moving))
	for i, at := range moving {
		moves[i] = steps[at].move(staged[i].pointer)
		tables[at] = tableAt(staged[i].pointer, staged[i].text)
	}
	if err := c.record(ctx, cause, bodyOf(moves), c.keep(staged...)...); err != nil {
		c.unstage(ctx, err, staged...)
		return nil, recorded(journal.Table, outdone(err, versions(steps)...))
	}
	for i, at := range moving {
		c.remember(staged[i], steps[at].doc, steps[at].object.Pointer)
	}
	leave() // the places are to be cleared
	c.removeOutdated(ctx, steps)
	return tables, nil
}

// pick are the steps at places of the list.
func pick(steps []step, at []int) []step {
	if len(at) == len(steps) {
		return steps
	}
	picked := make([]step, len(at))
	for i, from := range at {
		picked[i] = steps[from]
	}
	return picked
}

// settleAll is settle for what steps newly own, all of them together: a table may
// take what another of them leaves. Steps whose places stay wait for nobody.
func (c *Catalog) settleAll(ctx context.Context, steps []step) (leave func(), err error) {
	var taking []step
	var places []journal.Place
	ids := make([]uuid.UUID, len(steps))
	for i, s := range steps {
		ids[i] = s.doc.UUID()
		if s.base == nil || !samePlaces(s.base, s.doc) {
			taking, places = append(taking, s), append(places, s.places...)
		}
	}
	if len(taking) == 0 {
		return func() {}, nil
	}
	leave, err = c.occupy(ctx, places)
	if err != nil {
		return nil, err
	}
	for _, s := range taking {
		if err := c.unheld(ctx, s.identifier, s.doc, s.places, ids...); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// versions are what steps lead to.
func versions(steps []step) []version {
	docs := make([]version, len(steps))
	for i, s := range steps {
		docs[i] = s.doc
	}
	return docs
}

// bodyOf is the event of moves: one table that is born is created.
func bodyOf(moves []journal.Move) journal.Body {
	if len(moves) == 1 && moves[0].From == nil {
		return journal.TableCreated{Moves: [1]journal.Move{moves[0]}}
	}
	return journal.TablesCommitted{Moves: moves}
}
