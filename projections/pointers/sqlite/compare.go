package sqlite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/pointers"
)

// recentEvents is how many events are compared after a stop that was not clean.
const recentEvents = 10_000

// Compare looks whether the tables of a warehouse hold what the last 10,000 events
// before their cursor did: the newest state of everything that these touched, and
// their history. A difference is pointers.ErrCorrupt. A cursor that is no place in the
// journal is not judged: projections.CatchUp refuses it.
func (db *DB) Compare(ctx context.Context, warehouse uuid.UUID, from journal.Reader) error {
	return db.read(ctx, func(s *session) error {
		c := comparison{
			tables: &tables{session: s, id: warehouse}, objects: map[uuid.UUID]bool{},
			before: map[uuid.UUID]int64{}, purges: map[uuid.UUID]bool{}, namespaces: map[uuid.UUID]*seenNamespace{},
		}
		return c.run(ctx, from)
	})
}

// comparison goes back through events: what is met first of a thing is its newest
// state.
type comparison struct {
	*tables
	before          map[uuid.UUID]int64 // number of the next older step of objects that were met
	objects, purges map[uuid.UUID]bool  // that were met
	namespaces      map[uuid.UUID]*seenNamespace
}

func (c *comparison) run(ctx context.Context, from journal.Reader) error {
	cursor, err := c.cursor()
	if err != nil || cursor.IsZero() {
		return err
	}
	head, err := from.Head(ctx)
	if errors.Is(err, journal.ErrNoWarehouse) || err == nil && (head.Incarnation != cursor.Incarnation || head.Seq < cursor.Seq) {
		return nil
	}
	if err != nil {
		return err
	}
	compared := 0
	for e, err := range from.ScanBack(ctx, cursor.Seq+1) {
		if err != nil {
			return err
		}
		if compared == recentEvents || compared == 0 && e.Position != cursor {
			return nil
		}
		compared++
		if err := c.event(e); err != nil {
			return fmt.Errorf("event %s: %w", e.Position, err)
		}
	}
	return nil
}

func differs(what string, args ...any) error {
	return fmt.Errorf("%w: they differ from the journal in %s", pointers.ErrCorrupt, fmt.Sprintf(what, args...))
}

func (c *comparison) event(e journal.Event) error {
	switch b := e.Body.(type) {
	case journal.IncarnationStarted:
		name, location, err := c.about()
		if err == nil && (name != b.Name || location != b.Location) {
			err = differs("the name or location of the warehouse")
		}
		return err
	case journal.NamespaceCreated:
		return c.namespaceCreated(b)
	case journal.NamespaceUpdated:
		return c.namespaceUpdated(b)
	case journal.NamespaceDropped:
		return c.namespaceDropped(b)
	case journal.TablePurged:
		return c.purged(b)
	case journal.HistoryImported:
		return c.imported(b)
	}
	moves := e.Moves()
	for _, m := range slices.Backward(moves) {
		for _, compare := range []func(journal.Event, journal.Move) error{c.move, c.object, c.purge} {
			if err := compare(e, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *comparison) move(e journal.Event, m journal.Move) error {
	return c.isStep(projections.StepOf(e, m))
}

func (c *comparison) imported(b journal.HistoryImported) error {
	for _, s := range slices.Backward(b.Steps) {
		if err := c.isStep(projections.StepOfImport(s)); err != nil {
			return err
		}
	}
	return nil
}

// isStep compares a step, and what finds it. Steps have followed each other without
// a gap.
func (c *comparison) isStep(step projections.Step) error {
	m := step.Move
	number := c.step
	c.step--
	row, err := c.find(m.UUID)
	if err != nil {
		return err
	}
	last, met := c.before[m.UUID]
	if row != nil && !met {
		last = row.step
	}
	if row == nil || last != number {
		return differs("the last step of %s", m.UUID)
	}
	held, err := c.stepsTo(m.UUID, number, 1)
	if err != nil {
		return err
	}
	if len(held) != 1 || !reflect.DeepEqual(held[0], step) {
		return differs("the history of %s", m.UUID)
	}
	var object, before int64
	if err := c.row(`SELECT object, before FROM history WHERE step = ?`, number).scan(&object, &before); err != nil {
		return err
	}
	c.before[m.UUID] = before
	if object != row.id {
		return differs("the history of %s", m.UUID)
	}
	return c.findable(row.id, number, step)
}

// findable compares what finds a step by the file that it made and by the name that
// it gave.
func (c *comparison) findable(object, number int64, step projections.Step) error {
	var made, named bool
	m, file := step.Move, pointers.MadeBy(step)
	err := c.row(`SELECT EXISTS (SELECT 1 FROM made WHERE object = ? AND file = ? AND step = ?)`, object, file, number).scan(&made)
	if err != nil {
		return err
	}
	id := m.Identifier()
	err = c.row(`SELECT EXISTS (SELECT 1 FROM names WHERE warehouse = ? AND namespace = ? AND name = ? AND step = ? AND uuid = ?)`,
		c.id[:], id.Namespace.Key(), id.Name, number, m.UUID[:]).scan(&named)
	if err == nil && (made != (file != 0) || named != projections.Names(m)) {
		err = differs("what finds the history of %s", m.UUID)
	}
	return err
}

// object compares the object, its name and its places.
func (c *comparison) object(_ journal.Event, m journal.Move) error {
	held, ok, err := c.FindObject(m.UUID)
	if err != nil {
		return err
	}
	if c.objects[m.UUID] {
		return c.left(held, m)
	}
	c.objects[m.UUID] = true
	if m.To == nil {
		if !ok || !held.Dropped || held.Pointer != m.From.Pointer || !held.Identifier.Equal(m.From.Identifier) || len(held.Places) > 0 {
			return differs("%s, which was dropped", m.UUID)
		}
		return nil
	}
	want := projections.Object{Kind: m.Kind, UUID: m.UUID, Identifier: m.To.Identifier, Pointer: m.To.Pointer, Location: m.To.Location}
	named, _, err := c.NameHolder(m.To.Identifier)
	if err != nil {
		return err
	}
	wanted, err := projections.OrderPlaces(m.To.Places)
	if err != nil {
		return err
	}
	if !ok || held.Dropped || !reflect.DeepEqual(held.Object, want) || !reflect.DeepEqual(named, want) || !slices.Equal(held.Places, wanted) {
		return differs("%s (%s)", m.To.Identifier.Quoted(), m.UUID)
	}
	for _, p := range held.Places {
		owner, _, err := c.owner(p.Path)
		if err != nil {
			return err
		}
		if owner != m.UUID {
			return differs("the places of %s", m.UUID)
		}
	}
	return nil
}

// left looks whether the object still has a place that it had after an older move
// and does not hold.
func (c *comparison) left(held projections.HeldObject, m journal.Move) error {
	if m.To == nil {
		return nil
	}
	for _, p := range m.To.Places {
		if hasPath(held.Places, p.Path) {
			continue
		}
		if owner, ok, err := c.owner(p.Path); err != nil {
			return err
		} else if ok && owner == m.UUID {
			return differs("the places of %s", m.UUID)
		}
	}
	return nil
}

// purge compares what a drop asked for, and that a return has cancelled it.
func (c *comparison) purge(e journal.Event, m journal.Move) error {
	dropped, drops := e.Body.(journal.TableDropped)
	asks := drops && dropped.Purge
	if c.purges[m.UUID] || !asks && m.From != nil {
		return nil
	}
	c.purges[m.UUID] = true
	held, ok, err := c.FindPurge(m.UUID)
	switch {
	case err != nil:
		return err
	case ok != asks, ok && (held.Done || held.Drop != e.ID || held.Pointer != m.From.Pointer):
		return differs("the purge of %s", m.UUID)
	}
	return nil
}

func (c *comparison) purged(b journal.TablePurged) error {
	if c.purges[b.Table] {
		return nil
	}
	c.purges[b.Table] = true
	held, ok, err := c.FindPurge(b.Table)
	if err == nil && (!ok || !held.Done || held.Drop != b.Drop) {
		err = differs("the purge of %s", b.Table)
	}
	return err
}
