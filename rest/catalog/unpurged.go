package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/projections"
	"puddle/rest/catalog/purge/mark"
)

// unpurged refuses a table whose purge is due or has begun: its files may be going.
// Unsafe; Unavailable when that cannot be asked. It answers the purge that its drop
// asked for, if any. A caller that occupies the table's places can rely on it until
// it leaves.
func (c *Catalog) unpurged(ctx context.Context, table uuid.UUID) (purge projections.Purge, asked bool, err error) {
	purge, asked, err = c.Reader.Purge(ctx, table)
	if err != nil {
		return purge, asked, reading(err)
	}
	if !asked || purge.Done {
		return purge, asked, nil
	}
	if due := purge.At.Add(c.PurgeGrace); !c.Now().Before(due) {
		return purge, asked, refuse(Unsafe, "The purge of table %s (%s) is due since %s: some of its files may be gone",
			purge.Identifier.Quoted(), table, due.UTC().Format(time.RFC3339))
	}
	return purge, asked, c.unbegun(ctx, purge)
}

// unbegun refuses a table whose purge began when the grace was shorter or the clock
// showed more: some of its files are gone. Unsafe, Unavailable.
func (c *Catalog) unbegun(ctx context.Context, purge projections.Purge) error {
	m, begun, err := mark.Find(ctx, c.Roots[0].Store, purge.Drop)
	switch {
	case err != nil:
		return because(Unavailable, err, "The change was not made: whether the purge of table %s (%s) has begun cannot be read at the moment",
			purge.Identifier.Quoted(), purge.Table)
	case begun && m.BegunAt.IsZero():
		return refuse(Unsafe, "The purge of table %s (%s) has begun: files of it are gone", purge.Identifier.Quoted(), purge.Table)
	case begun:
		return refuse(Unsafe, "The purge of table %s (%s) has begun at %s: files of it are gone",
			purge.Identifier.Quoted(), purge.Table, m.BegunAt.Format(time.RFC3339))
	}
	return nil
}
