package recover

import (
	"fmt"
	"time"

	"puddle/projections/anchor"
)

// evidence is what is seen of one configured warehouse.
type evidence struct {
	identity   anchor.Identity
	identified bool      // warehouse.json is there
	written    time.Time // when head.json was, by the clock of who wrote it; zero: not known
	traces     bool      // not identified, and yet something is there below _puddle
	tables     bool      // the pointer tables know the identity's id
	later      string    // what the warehouse knows that is after them; empty: nothing

	// What the journal has: the history with the configured name, the one with
	// the identity's id, one with the configured location.
	named, sameID, sameLocation *history
}

// What works where a warehouse is not as its catalog knows it.
const (
	giveBack = ": give it that %s again in the configuration, see docs/operations.md, When it refuses to start"
	putBack  = "if it is, put " + anchor.IdentityKey + " back from a backup, see docs/operations.md, When it refuses to start"
)

// decide finds the history that is the warehouse's; nil means that it is to be
// born. It is the table of formats §1, and changes nothing.
func decide(w Warehouse, e evidence) (*history, error) {
	refuse := func(command, reason string, args ...any) (*history, error) {
		return nil, &Refusal{w.Name, fmt.Sprintf(reason, args...), command, nil}
	}
	lost := func(command, reason string, args ...any) (*history, error) {
		return refuse(command, reason+"%s", append(args, "; "+takesOver(e.written))...)
	}
	switch h := e.named; {
	case e.identified && e.sameID == nil && h != nil:
		return refuse(recoverCommand(w.Name), "%s belongs to warehouse %s (%s), the journal's %s is %s: a wrong mount, or another journal",
			w.Location, e.identity.ID, e.identity.Name, w.Name, h.id)
	case e.identified && e.sameID == nil && e.later != "":
		return lost(recoverCommand(w.Name), "its journal is lost: the warehouse and the pointer tables have a history, the journal has none; the tables are behind: %s", e.later)
	case e.identified && e.sameID == nil && e.tables:
		return lost(metastoreCommand(w.Name), "its journal is lost: the warehouse and the pointer tables have a history, the journal has none")
	case e.identified && e.sameID == nil:
		return lost(recoverCommand(w.Name), "its journal is lost: %s holds a catalog (%s), the journal has no history of it", w.Location, e.identity.ID)
	case e.identified && h != nil && h.id != e.sameID.id:
		return refuse("puddle config check", "%s belongs to warehouse %s: are two locations swapped?", w.Location, e.sameID.name)
	case e.identified && e.sameID.name != w.Name:
		return refuse("", "the journal knows it by the name %s"+giveBack, e.sameID.name, "name")
	case e.identified && e.identity.Name != w.Name:
		return refuse("", "its identity file names it %s"+giveBack, e.identity.Name, "name")
	case h == nil && e.sameLocation != nil:
		return refuse("", "the journal knows %s by the name %s"+giveBack, w.Location, e.sameLocation.name, "name")
	case h == nil && e.traces:
		return lost(recoverCommand(w.Name), "its journal is lost: %s holds a catalog, the journal has no history of it", w.Location)
	case h == nil:
		return nil, nil
	case !sameLocation(h.location, w.Location):
		return refuse("", "the journal has it at %s, not at %s"+giveBack, h.location, w.Location, "location")
	case e.identified && !sameLocation(e.identity.Location, w.Location):
		return refuse("", "its identity file has it at %s, not at %s"+giveBack, e.identity.Location, w.Location, "location")
	case e.identified:
		return h, nil
	case e.traces && h.newborn:
		return refuse(recoverCommand(w.Name), "its journal knows of no more than its birth, but %s holds a catalog", w.Location)
	case h.newborn:
		return h, nil
	}
	return refuse("", "the journal has a history of it, but %s has no identity file: a wrong mount? Mount or name the right one; "+putBack, w.Location)
}

// takesOver is said before a warehouse is recovered whose journal is elsewhere, or lost.
func takesOver(written time.Time) string {
	seen := ""
	if !written.IsZero() {
		seen = fmt.Sprintf(" (head.json was last written at %s)", written.UTC().Format(time.RFC3339))
	}
	return "another server may still run on this warehouse" + seen + ": stop it first, a recovery takes the warehouse over from it"
}
