package recordertest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
)

// Action is something a Client wants. The names are few, so that clients meet.
type Action struct {
	What      string
	Warehouse uuid.UUID
	In, Name  string
	To        string // a second name
	Key       string // idempotency key; empty: none
}

// DrawAction draws what a client wants.
func DrawAction() *rapid.Generator[Action] {
	return rapid.Custom(func(t *rapid.T) Action {
		return Action{
			What: rapid.SampledFrom([]string{
				"create-namespace", "create", "create", "commit", "drop-and-purge", "purge", "undrop", "commit", "create", "commit",
				"commit-both", "rename", "drop", "repoint", "update-namespace", "drop-namespace", "again", "remember",
			}).Draw(t, "what"),
			Warehouse: rapid.SampledFrom([]uuid.UUID{Lake, Lake, Lake, Pond}).Draw(t, "warehouse"),
			In:        rapid.SampledFrom([]string{"n0", "n0", "n0", "n1"}).Draw(t, "in"),
			Name:      rapid.SampledFrom([]string{"t0", "t0", "t1", "t2"}).Draw(t, "name"),
			To:        rapid.SampledFrom([]string{"t0", "t1", "t2"}).Draw(t, "to"),
			Key:       rapid.SampledFrom([]string{"", "", "", "", "", "", Key(0), Key(1), Key(2), Key(3)}).Draw(t, "key"),
		}
	})
}

// Client acts on what it reads, as the catalog does, without any lock: what it
// read may be old when its draft is judged.
type Client struct {
	*recorder.Recorder
	Told Watcher
	last journal.Draft
}

// Watcher is told what clients do and see. Safe for concurrent use.
type Watcher interface {
	Tries(id uuid.UUID)
	Hears(id uuid.UUID, e journal.Event, err error)
	Complains(promise string)
	TriesKey(k BoundKey)
	HearsKey(k BoundKey, a journal.Answer, err error)
}

// Do does what the action wants, if there is something to act on, and tells what was heard.
func (c *Client) Do(a Action) {
	if a.What == "remember" {
		c.remember(a)
		return
	}
	d, ok := c.draft(a)
	if !ok {
		return
	}
	if a.Key != "" && a.What != "again" {
		d = Keyed(d, a.Key)
	}
	c.last = d
	c.Told.Tries(d.ID)
	if d.Request != nil {
		c.Told.TriesKey(BoundKey{d.Warehouse, d.Request.Key})
	}
	e, err := c.Record(ctx, d)
	c.Told.Hears(d.ID, e, err)
	if d.Request != nil {
		c.Told.HearsKey(BoundKey{d.Warehouse, d.Request.Key}, journal.Answer{Request: *d.Request, Seq: e.Seq}, err)
	}
	if err == nil {
		c.checkRead(d.Warehouse, e)
	}
}

// draft forms what the Action wants from what is true now. It is false when
// there is nothing to act on.
func (c *Client) draft(a Action) (journal.Draft, bool) {
	in := journal.Namespace{a.In}
	switch a.What {
	case "create-namespace":
		return Namespace(a.Warehouse, a.In), true
	case "update-namespace":
		n, err := c.Reader(a.Warehouse).Namespace(ctx, in)
		body := journal.NamespaceUpdated{ID: n.ID, Namespace: in, Removed: []string{a.Name}, Updated: map[string]string{a.To: a.Name}}
		return Draft(a.Warehouse, body), err == nil
	case "drop-namespace":
		n, err := c.Reader(a.Warehouse).Namespace(ctx, in)
		return Draft(a.Warehouse, journal.NamespaceDropped{ID: n.ID, Namespace: in}), err == nil
	case "create":
		return Create(a.Warehouse, a.In, a.Name), true
	case "again":
		return c.last, c.last.Body != nil
	case "undrop", "purge":
		return c.draftOfPurge(a)
	}
	return c.draftOfTable(a)
}

// draftOfTable is draft for what is done to a live table.
func (c *Client) draftOfTable(a Action) (journal.Draft, bool) {
	one, err := c.object(a, a.Name)
	if err != nil {
		return journal.Draft{}, false
	}
	switch a.What {
	case "commit-both":
		if two, err := c.object(a, a.To); err == nil && two.UUID != one.UUID {
			return Commit(a.Warehouse, one, two), true
		}
	case "rename":
		return Rename(a.Warehouse, one, journal.Identifier{Namespace: journal.Namespace{a.In}, Name: a.To}), true
	case "repoint":
		return Repoint(a.Warehouse, one), true
	case "drop", "drop-and-purge":
		return Drop(a.Warehouse, one, a.What != "drop"), true
	}
	return Commit(a.Warehouse, one), true
}

// draftOfPurge is draft for the oldest pending purge: its table comes back, or its
// purge is closed.
func (c *Client) draftOfPurge(a Action) (journal.Draft, bool) {
	pending, err := c.Reader(a.Warehouse).Purges(ctx, 0, 1)
	if err != nil || len(pending) == 0 {
		return journal.Draft{}, false
	}
	if a.What == "purge" {
		return Draft(a.Warehouse, journal.TablePurged{Drop: pending[0].Drop, Table: pending[0].Table}), true
	}
	return Undrop(a.Warehouse, pending[0], journal.Identifier{Namespace: journal.Namespace{a.In}, Name: a.Name}), true
}

func (c *Client) object(a Action, name string) (projections.Object, error) {
	return c.Reader(a.Warehouse).Object(ctx, journal.Identifier{Namespace: journal.Namespace{a.In}, Name: name})
}

// checkRead looks whether an acknowledged event is seen: its moves are among the
// steps of its objects.
func (c *Client) checkRead(warehouse uuid.UUID, e journal.Event) {
	if b, ok := e.Body.(journal.TablePurged); ok {
		p, asked, err := c.Reader(warehouse).Purge(ctx, b.Table)
		if err == nil && asked && p.Drop == b.Drop && !p.Done {
			c.Told.Complains(fmt.Sprintf("%s was acknowledged, and the purge is pending", e.Position))
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
			c.Told.Complains(fmt.Sprintf("%s was acknowledged and is not seen: %v", e.Position, err))
		}
	}
}

// Plans are what several clients do.
func Plans() *rapid.Generator[[][]Action] {
	return rapid.SliceOfN(rapid.SliceOfN(DrawAction(), 1, 12), 2, 6)
}

// RunClients carries out plans side by side, each at one of the recorders, and waits
// for all of them.
func RunClients(plans [][]Action, seen *Outcomes, at ...*recorder.Recorder) {
	var clients sync.WaitGroup
	for i, plan := range plans {
		clients.Go(func() {
			c := Client{Recorder: at[i%len(at)], Told: seen}
			for _, a := range plan {
				c.Do(a)
			}
		})
	}
	clients.Wait()
}
