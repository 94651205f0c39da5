package recover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections/sidecars"
	"puddle/recover/descent"
)

// claim is what a sidecar says, and what became of it.
type claim struct {
	*sidecars.Object
	planned      PlannedObject
	current      descent.Name  // S
	home         place         // of S
	external     string        // the external warehouse that S is in; empty: none
	externalFile surveyed      // S alone, where it is in one
	settled      PlannedObject // before any file was looked at
	decided      bool          // its folder was looked at
	notUsed      []NotUsed     // files of its folders
}

// claims are the sidecars of a warehouse that can be read.
type claims struct {
	objects    map[uuid.UUID]*claim
	namespaces []sidecars.Namespace
	failed     []PlannedObject  // sidecars that cannot be used
	foreign    []NotUsed        // what lies below sidecars
	unseen     error            // one that could not be read
	cursor     journal.Position // up to which all are written; zero: nobody knows
}

// readClaims reads all sidecars.
func readClaims(ctx context.Context, store warehouse.Reader, read func()) (*claims, error) {
	c := &claims{objects: map[uuid.UUID]*claim{}}
	var unusable *sidecars.Unusable
	var err error
	if c.cursor, _, err = sidecars.ReadCursor(ctx, store); err != nil && !errors.As(err, &unusable) {
		return nil, fmt.Errorf("sidecars: %w", err)
	}
	var closed error // a sidecar that may not be read
	for found, err := range sidecars.List(ctx, store) {
		read()
		if errors.Is(found.Err, fs.ErrPermission) {
			closed = found.Err
		}
		switch {
		case err != nil && found.Key == "" || ctx.Err() != nil:
			return nil, fmt.Errorf("sidecars: %w", cmp.Or(ctx.Err(), err))
		case err != nil:
			c.unseen = fmt.Errorf("sidecar %q: %w", found.Key, err)
			c.unusable(found.Key, c.unseen)
		case strings.HasSuffix(found.Key, "/"):
			c.foreign = append(c.foreign, NotUsed{found.Key, "a folder that has the name of a sidecar, which it does not concern: nothing of puddle's is in it"})
		case found.Err != nil:
			c.unusable(found.Key, found.Err)
		case found.Namespace != nil:
			c.namespaces = append(c.namespaces, *found.Namespace)
		default:
			c.add(found.Object)
		}
	}
	if closed != nil && len(c.objects)+len(c.namespaces) == 0 { // whoever recovers has no right to
		c.unseen = closed
	}
	return c, nil
}

// unusable tells of a sidecar that is none: nobody knows what it stood for (case 52).
func (c *claims) unusable(key string, err error) {
	id, _ := uuid.Parse(strings.TrimSuffix(path.Base(key), path.Ext(key)))
	c.failed = append(c.failed, PlannedObject{UUID: id, Outcome: Failed, Err: inOneLine(err)})
}

// add takes a sidecar. Of two with one uuid, whose file names differ in letter case,
// the newer one counts.
func (c *claims) add(o *sidecars.Object) {
	n := &claim{Object: o, planned: PlannedObject{
		Kind: o.Kind, UUID: o.UUID, Identifier: o.Identifier, MetadataLocation: o.MetadataLocation, Outcome: Recovered,
		Evidence: BySidecar, Confidence: Inferred,
	}}
	if o.State == sidecars.Dropped {
		n.planned.Outcome = Dropped
	}
	was := c.objects[o.UUID]
	if was == nil {
		c.objects[o.UUID] = n
		return
	}
	order := older(was.age(), n.age())
	if order < 0 {
		was, n = n, was
	}
	c.objects[o.UUID] = was
	if order == 0 && (was.Identifier.Key() != n.Identifier.Key() || was.State != n.State || was.MetadataLocation != n.MetadataLocation) {
		was.fail(errTwice)
	}
	n.fail(errTwice)
	c.failed = append(c.failed, n.planned)
}

var errTwice = errors.New("two sidecars, in files whose names differ in letter case, are of this uuid: the newer one counts, if one is newer")

// active tells whether an object may still be recovered.
func (n *claim) active() bool { return n.planned.Outcome == Recovered }

func (n *claim) fail(err error) {
	n.planned.Outcome, n.planned.Err = Failed, inOneLine(err)
}

// age is when a sidecar was true.
type age struct {
	sidecars.Extras
	ms int64
}

func (n *claim) age() age { return age{n.Extras, n.UpdatedAt.UnixMilli()} }

// older compares two sidecars: negative when a is the state after an earlier event, 0
// when nobody can tell. No seq of a warehouse's lineage means two things; where a
// sidecar has none, or is of another warehouse, the time of its event decides.
func older(a, b age) int {
	if a.Seq != 0 && b.Seq != 0 && a.WarehouseID == b.WarehouseID {
		return cmp.Compare(a.Seq, b.Seq)
	}
	return cmp.Compare(a.ms, b.ms)
}

// locate finds where the files of the active objects lie. One whose file would be
// outside of the warehouse, or where no object may be, is failed: it is not read.
func (c *claims) locate(roots warehouse.Roots) map[place][]*claim {
	at := map[place][]*claim{}
	for _, n := range c.objects {
		if !n.active() {
			continue
		}
		l, err := warehouse.ParseLocation(n.MetadataLocation)
		if err == nil {
			err = roots.Check(l)
		}
		if errors.Is(err, warehouse.ErrOutside) {
			err = fmt.Errorf("%w: is one of warehouses.*.allowed-locations or external-warehouses missing?", err)
		}
		if err != nil {
			n.fail(fmt.Errorf("metadata-location: %w", err))
			continue
		}
		root, key, err := roots.Find(l)
		if err != nil {
			n.fail(fmt.Errorf("metadata-location: %w", err))
			continue
		}
		n.external = root.External
		n.current = descent.Name{Spelled: n.MetadataLocation, Location: l}
		n.home = place{indexOf(roots, root), folderOf(key)}
		at[n.home] = append(at[n.home], n)
	}
	return at
}

func indexOf(roots warehouse.Roots, root warehouse.Root) int {
	for i := range roots {
		if roots[i].Location == root.Location {
			return i
		}
	}
	return 0
}

// settleNames lets one object have each name: that of the newest sidecar, if it is the
// only newest. The others are failed (case 51).
func (c *claims) settleNames() {
	named := map[string][]*claim{}
	for _, n := range c.objects {
		if n.active() {
			named[n.Identifier.Key()] = append(named[n.Identifier.Key()], n)
		}
	}
	for _, rivals := range named {
		if len(rivals) > 1 {
			settleName(rivals)
		}
	}
}

func settleName(rivals []*claim) {
	newest := rivals[0]
	for _, n := range rivals[1:] {
		if older(newest.age(), n.age()) < 0 {
			newest = n
		}
	}
	for _, n := range rivals {
		if n == newest {
			continue
		}
		others := fmt.Sprintf("the sidecar of %s (updated %s) has the same name as that of %s (updated %s)", n.UUID, n.UpdatedAt.Format(moments),
			newest.UUID, newest.UpdatedAt.Format(moments))
		if older(n.age(), newest.age()) >= 0 {
			newest.fail(fmt.Errorf("%w: %s, and neither is newer", ErrNameTaken, others))
		} else {
			newest.planned.Warnings = append(newest.planned.Warnings, others+", which is not recovered")
		}
		n.fail(fmt.Errorf("%w: %s: it was renamed or dropped and its sidecar does not say so", ErrNameTaken, others))
	}
}

const moments = "2006-01-02T15:04:05.000Z07:00"

// outlived warns of objects whose sidecar is of an earlier incarnation than the one
// that the cursor of all sidecars is of: that wrote the sidecars of what it had anew.
func (c *claims) outlived() {
	for _, n := range c.objects {
		if n.active() && n.Incarnation != uuid.Nil && n.Incarnation != c.cursor.Incarnation && n.Seq < c.cursor.Seq {
			n.planned.Warnings = append(n.planned.Warnings, fmt.Sprintf(
				"its sidecar is of incarnation %s of the catalog: the later one, %s, did not have it", n.Incarnation, c.cursor.Incarnation))
		}
	}
}

// settle ends what is decided by the sidecars alone.
func (c *claims) settle() {
	c.settleNames()
	c.outlived()
	c.doubtNamespaces()
	for _, n := range c.objects {
		n.settled = n.planned
	}
}

// ErrNameTaken: the sidecars of two objects claim one name (case 51).
var ErrNameTaken = errors.New("the name is claimed twice")
