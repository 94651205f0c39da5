package recover

import (
	"fmt"
	"strings"

	"puddle/journal"
)

// Wanted is what an operator asks of a recovery.
type Wanted struct {
	From          Source // empty: the best that there is
	At            bool   // a moment of the past
	AllowNonempty bool
}

// Seen is what there is to choose from.
type Seen struct {
	Remains
	Run      *Run              // a recovery that is under way
	Head     journal.Position  // where the journal ends, if it has a history
	Archived *journal.Position // where the archive ends; nil: there is none
	Unusable string            // why an archive that is there is not used
	Tables   journal.Position  // where the pointer tables of the warehouse stand; zero: they hold nothing of it
	Empty    bool              // the catalog has no namespaces, tables and views
}

// Overtaken tells whether more of the recovery that seems to be under way was seen than the
// journal has: it went on, and its journal was damaged or rolled back since. To go on with
// it would record other events in the place of those that were lost.
func (s Seen) Overtaken() bool {
	return s.Run != nil && s.Last != nil && s.Last.Incarnation == s.Run.Start.Incarnation && s.Last.Seq > s.Head.Seq
}

// Choice is what a recovery is made from.
type Choice struct {
	From  Source
	Whole bool // the journal has it all: there is nothing to recover
	Adds  bool // it adds to the catalog that is there
	Later bool // with what sidecars say that is later than the events of From
}

// Choose decides what a recovery is made from. Refused are what would replace a
// catalog that is there, and sources that are not.
func Choose(name string, w Wanted, s Seen) (Choice, error) {
	refuse := func(command, reason string, args ...any) (Choice, error) {
		return Choice{}, &Refusal{name, fmt.Sprintf(reason, args...), command, nil}
	}
	if s.Run != nil {
		if w.From != "" && w.From != s.Run.From || w.At && !s.Run.atMoment() {
			return refuse(recoverCommand(name), "its recovery from %s is under way: it has to be completed first", s.Run.From)
		}
		return Choice{From: s.Run.From, Later: s.Run.Later}, nil
	}
	whole := s.Journaled && s.Behind == nil
	switch {
	case w.AllowNonempty && s.Journaled && s.Behind != nil:
		return refuse(recoverCommand(name)+" --from "+string(best(s)), "nothing is added to a journal that is not whole (%v): first decide where it goes on", s.Behind)
	case w.AllowNonempty && s.Journaled && !w.At:
		return added(w, s), nil
	case w.At:
		return past(w, s, refuse)
	}
	from := w.From
	if from == "" {
		from = best(s)
	}
	switch {
	case from == FromJournal && !s.Journaled:
		return refuse(recoverCommand(name), "the journal has no history of it")
	case from == FromArchive && s.Archived == nil && s.Unusable != "":
		return refuse(recoverCommand(name), "nothing can be made from the archive of its journal: %s", s.Unusable)
	case from == FromArchive && s.Archived == nil:
		return refuse(recoverCommand(name), "there is no archive of its journal in the warehouse")
	case from == FromMetastore && s.Tables.IsZero():
		return refuse(recoverCommand(name), "the pointer tables hold nothing of it")
	case from == FromMetastore && s.Journaled:
		return refuse("", "nothing is lost that pointer tables could bring back: its journal is there, and they follow it")
	case from == FromSidecars && w.From == "" && !s.Tables.IsZero() && !s.Journaled:
		return Choice{}, tablesOrSidecars(name, s)
	case from == FromJournal && whole:
		return Choice{From: from, Whole: true}, nil
	case !s.Empty && (from == FromSidecars || from == FromArchive && whole):
		return refuse(recoverCommand(name)+" --allow-nonempty", "its catalog is not empty: what is there would be replaced; --allow-nonempty adds what is missing")
	}
	later := from == FromArchive || from == FromJournal && w.From == ""
	return Choice{From: from, Later: later}, nil
}

// tablesOrSidecars leaves it to people whether a catalog is as its pointer tables say, or
// as its sidecars do, of which each may know more.
func tablesOrSidecars(name string, s Seen) *Refusal {
	later := s.Later(s.Tables)
	r := &Refusal{Warehouse: name, Command: metastoreCommand(name)}
	if len(later) == 0 {
		r.Reason = "the pointer tables hold a catalog that its sidecars may be behind: choose --from metastore, or --from sidecars"
		return r
	}
	r.Reason = fmt.Sprintf("the pointer tables stand at %s, but %s: choose --from sidecars, for what is known of later, or --from metastore, for the catalog as of then",
		s.Tables, strings.Join(later, ", "))
	if s.Said[TheSidecars].Seq > s.Tables.Seq {
		r.Command = recoverCommand(name) + " --from sidecars"
	}
	return r
}

// added is the source of what is added to a catalog.
func added(w Wanted, s Seen) Choice {
	from := w.From
	if from == "" || from == FromJournal {
		from = FromSidecars
	}
	return Choice{From: from, Adds: true}
}

// past is the source of a moment of the past.
func past(w Wanted, s Seen, refuse func(string, string, ...any) (Choice, error)) (Choice, error) {
	switch {
	case w.From == FromSidecars || w.From == FromMetastore:
		return refuse("", "the %s know nothing of the past: --at needs the journal or the archive", w.From)
	case w.From == FromArchive && s.Archived == nil, w.From == FromJournal && !s.Journaled, s.Archived == nil && !s.Journaled:
		return refuse("", "there is no history to go back in")
	case w.From == FromArchive || !s.Journaled:
		return Choice{From: FromArchive}, nil
	}
	return Choice{From: FromJournal}, nil
}

// best is the source that knows most.
func best(s Seen) Source {
	switch {
	case s.Archived != nil && (!s.Journaled || s.Behind != nil && s.Archived.Seq > s.Head.Seq):
		return FromArchive
	case s.Journaled:
		return FromJournal
	}
	return FromSidecars
}
