package recorder_test

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
)

// action is something a client wants. The names are few, so that clients meet.
type action struct {
	What      string
	Warehouse uuid.UUID
	In, Name  string
	To        string // a second name
	Key       string // idempotency key; empty: none
}

func drawAction() *rapid.Generator[action] {
	return rapid.Custom(func(t *rapid.T) action {
		return action{
			What: rapid.SampledFrom([]string{
				"create-namespace", "create", "create", "commit", "drop-and-purge", "purge", "undrop", "commit", "create", "commit",
				"commit-both", "rename", "drop", "repoint", "update-namespace", "drop-namespace", "again", "remember",
			}).Draw(t, "what"),
			Warehouse: rapid.SampledFrom([]uuid.UUID{lake, lake, lake, pond}).Draw(t, "warehouse"),
			In:        rapid.SampledFrom([]string{"n0", "n0", "n0", "n1"}).Draw(t, "in"),
			Name:      rapid.SampledFrom([]string{"t0", "t0", "t1", "t2"}).Draw(t, "name"),
			To:        rapid.SampledFrom([]string{"t0", "t1", "t2"}).Draw(t, "to"),
			Key:       rapid.SampledFrom([]string{"", "", "", "", "", "", key(0), key(1), key(2), key(3)}).Draw(t, "key"),
		}
	})
}

// client acts on what it reads, as the catalog does, without any lock: what it
// read may be old when its draft is judged.
type client struct {
	*recorder.Recorder
	told watcher
	last journal.Draft
}

// watcher is told what clients do and see. Safe for concurrent use.
type watcher interface {
	tries(id uuid.UUID)
	hears(id uuid.UUID, e journal.Event, err error)
	complains(promise string)
	triesKey(k boundKey)
	hearsKey(k boundKey, a journal.Answer, err error)
}

func (c *client) do(a action) {
	if a.What == "remember" {
		c.remember(a)
		return
	}
	d, ok := c.draft(a)
	if !ok {
		return
	}
	if a.Key != "" && a.What != "again" {
		d = keyed(d, a.Key)
	}
	c.last = d
	c.told.tries(d.ID)
	if d.Request != nil {
		c.told.triesKey(boundKey{d.Warehouse, d.Request.Key})
	}
	e, err := c.Record(ctx, d)
	c.told.hears(d.ID, e, err)
	if d.Request != nil {
		c.told.hearsKey(boundKey{d.Warehouse, d.Request.Key}, journal.Answer{Request: *d.Request, Seq: e.Seq}, err)
	}
	if err == nil {
		c.checkRead(d.Warehouse, e)
	}
}

// draft forms what the action wants from what is true now. It is false when
// there is nothing to act on.
func (c *client) draft(a action) (journal.Draft, bool) {
	in := journal.Namespace{a.In}
	switch a.What {
	case "create-namespace":
		return namespace(a.Warehouse, a.In), true
	case "update-namespace":
		n, err := c.Reader(a.Warehouse).Namespace(ctx, in)
		body := journal.NamespaceUpdated{ID: n.ID, Namespace: in, Removed: []string{a.Name}, Updated: map[string]string{a.To: a.Name}}
		return draft(a.Warehouse, body), err == nil
	case "drop-namespace":
		n, err := c.Reader(a.Warehouse).Namespace(ctx, in)
		return draft(a.Warehouse, journal.NamespaceDropped{ID: n.ID, Namespace: in}), err == nil
	case "create":
		return create(a.Warehouse, a.In, a.Name), true
	case "again":
		return c.last, c.last.Body != nil
	case "undrop", "purge":
		return c.draftOfPurge(a)
	}
	return c.draftOfTable(a)
}

// draftOfTable is draft for what is done to a live table.
func (c *client) draftOfTable(a action) (journal.Draft, bool) {
	one, err := c.object(a, a.Name)
	if err != nil {
		return journal.Draft{}, false
	}
	switch a.What {
	case "commit-both":
		if two, err := c.object(a, a.To); err == nil && two.UUID != one.UUID {
			return commit(a.Warehouse, one, two), true
		}
	case "rename":
		return rename(a.Warehouse, one, journal.Identifier{Namespace: journal.Namespace{a.In}, Name: a.To}), true
	case "repoint":
		return repoint(a.Warehouse, one), true
	case "drop", "drop-and-purge":
		return drop(a.Warehouse, one, a.What != "drop"), true
	}
	return commit(a.Warehouse, one), true
}

// draftOfPurge is draft for the oldest pending purge: its table comes back, or its
// purge is closed.
func (c *client) draftOfPurge(a action) (journal.Draft, bool) {
	pending, err := c.Reader(a.Warehouse).Purges(ctx, 0, 1)
	if err != nil || len(pending) == 0 {
		return journal.Draft{}, false
	}
	if a.What == "purge" {
		return draft(a.Warehouse, journal.TablePurged{Drop: pending[0].Drop, Table: pending[0].Table}), true
	}
	return undrop(a.Warehouse, pending[0], journal.Identifier{Namespace: journal.Namespace{a.In}, Name: a.Name}), true
}

func (c *client) object(a action, name string) (projections.Object, error) {
	return c.Reader(a.Warehouse).Object(ctx, journal.Identifier{Namespace: journal.Namespace{a.In}, Name: name})
}

// checkRead looks whether an acknowledged event is seen: its moves are among the
// steps of its objects.
func (c *client) checkRead(warehouse uuid.UUID, e journal.Event) {
	if b, ok := e.Body.(journal.TablePurged); ok {
		p, asked, err := c.Reader(warehouse).Purge(ctx, b.Table)
		if err == nil && asked && p.Drop == b.Drop && !p.Done {
			c.told.complains(fmt.Sprintf("%s was acknowledged, and the purge is pending", e.Position))
		}
	}
	for _, m := range e.Moves() {
		steps, err := c.Reader(warehouse).Steps(ctx, m.UUID)
		if errors.Is(err, recorder.ErrStopped) {
			return // reads nothing rather than too little
		}
		found := false
		for _, s := range steps {
			found = found || s.Event == e.ID
		}
		if err != nil || !found {
			c.told.complains(fmt.Sprintf("%s was acknowledged and is not seen: %v", e.Position, err))
		}
	}
}
