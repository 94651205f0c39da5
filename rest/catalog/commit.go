package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/metadata"
)

// Change is what a client wants done to one table: requirements on the current
// version, then updates in order.
type Change struct {
	Identifier   journal.Identifier
	Requirements []metadata.Requirement
	Updates      []metadata.Update
}

// CommitTables applies changes, each to its own table, and moves the pointers in
// one event, all or none (case 119). It answers the tables in the order of the
// changes. Changes that assert a create make their tables. A change without effect
// answers the table as it is, without file or move (case 128); when none has one,
// there is no event.
//
// CommitFailed when a requirement does not hold: at once, also when it held for a
// base that lost a race. NoSuchTable, NoSuchNamespace, FileMissing;
// Invalid, also for one table twice; AlreadyExists for places; Unavailable,
// OutcomeUnknown.
func (c *Catalog) CommitTables(ctx context.Context, cause journal.Cause, changes ...Change) ([]Table, error) {
	claims, err := claimsOf(changes)
	if err != nil {
		return nil, err
	}
	release, err := c.lockUnless(ctx, func() error { return c.outrun(ctx, changes) }, claims...)
	if err != nil {
		return nil, err
	}
	defer release()
	var tables []Table
	err = onCurrent(func() (err error) {
		tables, err = c.attempt(ctx, cause, changes)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		c.names.tell(named(change.Identifier))
	}
	return tables, nil
}

// claimsOf are the names of a commit's tables: not too many, and each once.
func claimsOf(changes []Change) ([]claim, error) {
	if len(changes) > journal.MaxMoves {
		return nil, refuse(Invalid, "Cannot commit to %d tables at once, the limit is %d", len(changes), journal.MaxMoves)
	}
	claims := make([]claim, 0, len(changes))
	seen := make(map[string]bool, len(changes))
	for _, change := range changes {
		id := change.Identifier
		if seen[id.Key()] {
			return nil, refuse(Invalid, "Cannot commit to the table %s twice at once", id)
		}
		seen[id.Key()] = true
		creates, err := metadata.AssertsCreate(change.Requirements)
		switch {
		case err != nil:
			return nil, worded(err)
		case creates:
			claims = append(claims, naming(id)...)
		default:
			claims = append(claims, named(id))
		}
	}
	return claims, nil
}

// attempt applies changes to the versions that are current now. When another's
// landed first at any of them, all files are gone again.
func (c *Catalog) attempt(ctx context.Context, cause journal.Cause, changes []Change) ([]Table, error) {
	steps, err := inTables(changes, func(change Change) (step, error) { return c.plan(ctx, change) })
	if err != nil {
		return nil, err
	}
	tables, err := c.land(ctx, cause, steps)
	return tables, lostCreate(err)
}

// inTables does something with each change, and says which of several tables a
// refusal is about.
func inTables[T any](changes []Change, do func(Change) (T, error)) ([]T, error) {
	all := make([]T, len(changes))
	err := forEach(len(changes), func(i int) (err error) {
		if all[i], err = do(changes[i]); err != nil && len(changes) > 1 {
			err = aboutTable(changes[i].Identifier, err)
		}
		return err
	})
	return all, err
}

// plan computes what a change makes of its table. It writes nothing.
func (c *Catalog) plan(ctx context.Context, change Change) (s step, err error) {
	if s, err = c.stand(ctx, change); err != nil {
		return s, err
	}
	if s.doc, err = c.apply(s.base, change); err != nil || s.idle() {
		return s, err
	}
	s.updates = actions(change.Updates)
	if s.base == nil {
		s.places, err = c.admit(ctx, s.doc)
	} else {
		s.places, err = c.admitNext(ctx, s.base, s.doc)
	}
	return s, err
}

// stand finds where the table of a change is now, or that it can be made.
func (c *Catalog) stand(ctx context.Context, change Change) (step, error) {
	s := step{identifier: change.Identifier}
	creates, err := metadata.AssertsCreate(change.Requirements)
	if err != nil {
		return s, worded(err)
	}
	if creates {
		_, err = c.roomFor(ctx, journal.Table, change.Identifier)
		return s, lostCreate(err)
	}
	if s.object, err = c.table(ctx, change.Identifier); err != nil {
		return s, err
	}
	d, err := c.standing(ctx, s.object)
	if err != nil {
		return s, err
	}
	s.base, err = d.parse(s.object)
	return s, err
}

// apply computes the next version under a fresh file name.
func (c *Catalog) apply(base *metadata.Document, change Change) (*metadata.Document, error) {
	fresh, err := uuid.NewRandom()
	if err != nil {
		return nil, because(Unavailable, err, "The change was not made: no randomness")
	}
	return decoded(metadata.Commit(base, change.Requirements, change.Updates, c.Now(), fresh))
}

// lostCreate words the refusal of a create by commit over a table as clients
// expect it of a requirement (rck §1.4); over a view it stays what it is.
func lostCreate(err error) error {
	var refused *Error
	if errors.As(err, &refused) && refused.Code == AlreadyExists && refused.taken == journal.Table {
		return because(CommitFailed, err, "Requirement failed: table already exists")
	}
	return err
}

// aboutTable says which of several tables a refusal is about.
func aboutTable(id journal.Identifier, err error) error {
	var refused *Error
	if !errors.As(err, &refused) || strings.Contains(refused.Message, id.String()) {
		return err
	}
	named := *refused
	named.Message += " (table " + id.String() + ")"
	return &named
}

func actions[U interface{ Action() string }](updates []U) []string {
	if len(updates) == 0 {
		return nil
	}
	names := make([]string, len(updates))
	for i, u := range updates {
		names[i] = u.Action()
	}
	return names
}
