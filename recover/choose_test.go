package recover_test

import (
	"errors"
	"testing"
	"time"

	"puddle/journal"
	"puddle/recover"
)

// What a recovery is made from, for everything that may be left.
func TestChoose(t *testing.T) {
	behind := errors.New("the warehouse has seen more")
	end := journal.Position{Seq: 100}
	type seen = recover.Seen
	whole := seen{Remains: recover.Remains{Journaled: true}, Head: journal.Position{Seq: 100}}
	rolledBack := seen{Remains: recover.Remains{Journaled: true, Behind: behind}, Head: journal.Position{Seq: 50}}
	archived := func(s seen) seen { s.Archived = &end; return s }
	empty := func(s seen) seen { s.Empty = true; return s }
	tables := func(s seen) seen { s.Tables = journal.Position{Seq: 50}; return s }
	says := func(by recover.Witness, s seen) seen { s.Says(by, end); return s }
	run := seen{Remains: whole.Remains, Run: &recover.Run{From: recover.FromSidecars}}
	moment := seen{Remains: whole.Remains, Run: &recover.Run{From: recover.FromJournal, Parent: &end}}
	lost := seen{Empty: true}
	type choice = recover.Choice
	for _, c := range []struct {
		what    string
		want    recover.Wanted
		seen    seen
		choice  choice
		refused string // the command that is named; "-": none
	}{
		{"a whole journal", recover.Wanted{}, archived(whole), choice{From: recover.FromJournal, Whole: true}, ""},
		{"a torn journal and an archive", recover.Wanted{}, archived(rolledBack), choice{From: recover.FromArchive, Later: true}, ""},
		{"a torn journal alone", recover.Wanted{}, rolledBack, choice{From: recover.FromJournal, Later: true}, ""},
		{"stay where the journal ends", recover.Wanted{From: recover.FromJournal}, archived(rolledBack), choice{From: recover.FromJournal}, ""},
		{"an archive alone", recover.Wanted{}, archived(lost), choice{From: recover.FromArchive, Later: true}, ""},
		{"nothing but the warehouse", recover.Wanted{}, lost, choice{From: recover.FromSidecars}, ""},
		{"restored tables", recover.Wanted{From: recover.FromMetastore}, tables(lost), choice{From: recover.FromMetastore}, ""},
		{"restored tables, not chosen", recover.Wanted{}, tables(lost), choice{}, "puddle recover --warehouse w --from metastore"},
		{"restored tables behind their sidecars", recover.Wanted{}, says(recover.TheSidecars, tables(lost)), choice{}, "puddle recover --warehouse w --from sidecars"},
		{"restored tables behind the anchor", recover.Wanted{}, says(recover.TheAnchor, tables(lost)), choice{}, "puddle recover --warehouse w --from metastore"},
		{"restored tables behind the archive", recover.Wanted{}, archived(tables(lost)), choice{From: recover.FromArchive, Later: true}, ""},
		{"sidecars rather than restored tables", recover.Wanted{From: recover.FromSidecars}, tables(lost), choice{From: recover.FromSidecars}, ""},
		{"tables beside their journal", recover.Wanted{From: recover.FromMetastore}, tables(whole), choice{}, "-"},
		{"no tables", recover.Wanted{From: recover.FromMetastore}, lost, choice{}, "puddle recover --warehouse w"},
		{"no archive", recover.Wanted{From: recover.FromArchive}, whole, choice{}, "puddle recover --warehouse w"},
		{"no journal", recover.Wanted{From: recover.FromJournal}, lost, choice{}, "puddle recover --warehouse w"},
		{"over a catalog", recover.Wanted{From: recover.FromSidecars}, whole, choice{}, "puddle recover --warehouse w --allow-nonempty"},
		{"over an empty catalog", recover.Wanted{From: recover.FromSidecars}, empty(whole), choice{From: recover.FromSidecars}, ""},
		{"the archive over a whole journal", recover.Wanted{From: recover.FromArchive}, archived(whole), choice{}, "puddle recover --warehouse w --allow-nonempty"},
		{"add", recover.Wanted{AllowNonempty: true}, whole, choice{From: recover.FromSidecars, Adds: true}, ""},
		{"add to a torn journal", recover.Wanted{AllowNonempty: true}, rolledBack, choice{}, "puddle recover --warehouse w --from journal"},
		{"add to a journal that is behind its archive", recover.Wanted{AllowNonempty: true}, archived(rolledBack), choice{}, "puddle recover --warehouse w --from archive"},
		{"the past", recover.Wanted{At: true}, archived(whole), choice{From: recover.FromJournal}, ""},
		{"the past of an archive", recover.Wanted{At: true}, archived(lost), choice{From: recover.FromArchive}, ""},
		{"no past", recover.Wanted{At: true}, lost, choice{}, "-"},
		{"sidecars of the past", recover.Wanted{At: true, From: recover.FromSidecars}, whole, choice{}, "-"},
		{"under way", recover.Wanted{}, run, choice{From: recover.FromSidecars}, ""},
		{"a moment, under way", recover.Wanted{At: true}, moment, choice{From: recover.FromJournal}, ""},
		{"a moment, and something else is under way", recover.Wanted{At: true}, run, choice{}, "puddle recover --warehouse w"},
		{"under way, from elsewhere", recover.Wanted{From: recover.FromArchive}, run, choice{}, "puddle recover --warehouse w"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := recover.Choose("w", c.want, c.seen)
			var refused *recover.Refusal
			switch {
			case c.refused == "" && err != nil, c.refused != "" && !errors.As(err, &refused), got != c.choice:
				t.Errorf("got %+v, %v; want %+v", got, err, c.choice)
			case c.refused == "-" && refused.Command != "", c.refused != "" && c.refused != "-" && refused.Command != c.refused:
				t.Errorf("names %q, want %q", refused.Command, c.refused)
			}
		})
	}
}

// A recovery that is not complete is refused, by name, until it is.
func TestCheckComplete(t *testing.T) {
	r := newRuin(t)
	remains, err := recover.Look(t.Context(), recover.Warehouse{Name: ruinName, Location: ruinURL, Store: r.files}, r.journal, nil, r.id("none"))
	r.must(err)
	b := recover.Binder{Journal: r.journal, Clock: clock, Build: "test"}
	_, err = b.Begin(t.Context(), recover.Warehouse{Name: ruinName, Location: ruinURL, Store: r.files}, recover.Beginning{
		ID: remains.ID, From: recover.FromArchive, Later: true, Parent: remains.Last, Known: remains.Known, Cause: ruinCause,
	})
	r.must(err)
	refusedWith(t, recover.CheckComplete(t.Context(), ruinName, r.journal.Warehouse(remains.ID)), "puddle recover --warehouse "+ruinName)
	run, err := recover.UnderWay(t.Context(), r.journal.Warehouse(remains.ID))
	r.must(err)
	if run == nil || run.From != recover.FromArchive || !run.Later || *run.Parent != *remains.Last {
		t.Errorf("under way: %+v", run)
	}
}

// Law 6: dates never go back in a lineage, also where the clock is behind.
func TestLaw6RecoveryIsNotDatedBack(t *testing.T) {
	r := newRuin(t)
	w := recover.Warehouse{Name: ruinName, Location: ruinURL, Store: r.files}
	remains, err := recover.Look(t.Context(), w, r.journal, nil, r.id("none"))
	r.must(err)
	b := recover.Binder{Journal: r.journal, Clock: fixed{journal.At(time.Unix(1, 0))}, Build: "test"}
	start, err := b.Begin(t.Context(), w, recover.Beginning{
		ID: remains.ID, From: recover.FromJournal, Parent: remains.Last, Known: remains.Known, Cause: ruinCause,
	})
	r.must(err)
	for e, err := range journal.Lineage(r.journal, remains.ID).ScanBack(t.Context(), start.Seq) {
		r.must(err)
		if start.At.Before(e.At) {
			t.Errorf("%s is dated %s, before %s at %s", start.Position, start.At, e.Position, e.At)
		}
		break
	}
}
