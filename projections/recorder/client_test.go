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
				"create-namespace", "update-namespace", "drop-namespace", "create", "create", "commit", "commit", "commit",
				"commit-both", "rename", "drop", "again", "remember",
			}).Draw(t, "what"),
			Warehouse: rapid.SampledFrom([]uuid.UUID{lake, pond}).Draw(t, "warehouse"),
			In:        rapid.SampledFrom([]string{"n0", "n1"}).Draw(t, "in"),
			Name:      rapid.SampledFrom([]string{"t0", "t1", "t2"}).Draw(t, "name"),
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
	}
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
		return rename(a.Warehouse, one, journal.Identifier{Namespace: in, Name: a.To}), true
	case "drop":
		return drop(a.Warehouse, one), true
	}
	return commit(a.Warehouse, one), true
}

func (c *client) object(a action, name string) (projections.Object, error) {
	return c.Reader(a.Warehouse).Object(ctx, journal.Identifier{Namespace: journal.Namespace{a.In}, Name: name})
}

// checkRead looks whether an acknowledged event is seen: its moves are among the
// steps of its objects.
func (c *client) checkRead(warehouse uuid.UUID, e journal.Event) {
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
