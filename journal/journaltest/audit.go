package journaltest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"puddle/journal"
)

// Spoil is a damage that is done to what a journal has stored.
type Spoil int

// The damages, at a seq of the first incarnation of a warehouse.
const (
	FlipRecord    Spoil = iota // changes the record of an event
	RemoveEvent                // and its document stays
	FlipDocument               // changes the document of its first move
	EmptyDocument              // it is there, and has no bytes
	StrayDocument              // there is one of an event that is not there
	ListElsewhere              // the event is not found by its id, and another may be
	FlipAnswers                // changes the answers to all requests
	BehindHead                 // the head is at this event, which is not the last
)

// Audited makes an empty journal for one test, which closes it. spoil damages what it has
// stored of a warehouse, without its knowing, and answers the same journal, opened to be read.
type Audited func(t *testing.T) (j journal.Journal, spoil func(warehouse uuid.UUID, what Spoil, seqs ...journal.Seq) journal.Journal)

// RunAudit is what every journal.Auditor must find, and not find.
func RunAudit(t *testing.T, open Audited) {
	for name, test := range map[string]func(*testing.T, Audited){
		"Whole":         testAuditWhole,
		"Damages":       testAuditDamages,
		"Patches":       testAuditPatches,
		"GoesOn":        testAuditGoesOn,
		"OfAnother":     testAuditOfAnother,
		"IsStopped":     testAuditIsStopped,
		"Unborn":        testAuditUnborn,
		"BesideAppends": testAuditBesideAppends,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// audited is what an audit of the lake finds, without documents that are not kept.
func audited(t *testing.T, j journal.Journal) (seen journal.Audited, found []journal.Flaw) {
	t.Helper()
	seen, err := j.(journal.Auditor).Audit(context.Background(), lake, func(f journal.Flaw) {
		if f.Absent == nil {
			found = append(found, f)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, found
}

// testAuditWhole: of what is whole nothing is found but the documents that are not kept,
// and all is counted.
func testAuditWhole(t *testing.T, open Audited) {
	j, _ := open(t)
	entries := Entries(t, sales(lake).Drafts, Start)
	Append(t, j, entries)
	Append(t, j, Entries(t, sales(pond).Drafts, Start))
	head := entries[len(entries)-1].Event.Position
	second := continued(t, j, head, pond, 1_000_000)
	absent := 0
	seen, err := j.(journal.Auditor).Audit(context.Background(), lake, func(f journal.Flaw) {
		if f.Absent == nil {
			t.Error(f)
		}
		absent++
	})
	want := journal.Audited{Incarnations: 2, Through: map[uuid.UUID]journal.Position{
		head.Incarnation: head, pond: second[len(second)-1].Event.Position,
	}}
	made := 0
	for _, e := range append(slices.Clone(entries), second...) {
		want.Events++
		want.Documents += int64(len(e.Documents))
		if e.Request != nil {
			want.Requests++
		}
		for _, m := range e.Event.Moves() {
			if m.To != nil && (m.From == nil || m.From.Pointer != m.To.Pointer) {
				made++
			}
		}
	}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if want.Documents == 0 || want.Requests == 0 || absent != made-int(want.Documents) {
		t.Errorf("of %d documents %d are kept and %d absent, %d requests", made, want.Documents, absent, want.Requests)
	}
}

// damaged says what is found of a damage.
type damaged struct {
	what  string
	chain bool // the chain of events is not whole
	at    bool // and it is where the damage was done, nowhere else
}

var damages = map[Spoil]damaged{
	FlipRecord:    {"a record", true, true},
	RemoveEvent:   {"a missing event", true, true},
	BehindHead:    {"a head behind", true, false},
	FlipDocument:  {"a document", false, true},
	EmptyDocument: {"an empty document", false, true},
	StrayDocument: {"a document of no event", false, false},
	ListElsewhere: {"an id", false, false},
	FlipAnswers:   {"answers", false, false},
}

// testAuditDamages: each damage is found where it is, and whether the chain is whole.
func testAuditDamages(t *testing.T, open Audited) {
	for spoilt, want := range damages {
		t.Run(want.what, func(t *testing.T) {
			j, spoil := open(t)
			entries := Entries(t, sales(lake).Drafts, Start)
			Append(t, j, entries)
			at := slices.IndexFunc(entries[3:], func(e journal.Entry) bool { return len(e.Documents) > 0 && e.Documents[0].Move == 0 }) + 3
			seq := entries[at].Event.Seq
			_, found := audited(t, spoil(lake, spoilt, seq))
			if slices.ContainsFunc(found, func(f journal.Flaw) bool { return !f.Beside }) != want.chain || len(found) == 0 {
				t.Errorf("the chain is whole, or not: %v", found)
			}
			for _, f := range found {
				if want.at && f.Seq != seq {
					t.Errorf("found elsewhere than at %d: %v", seq, f)
				}
			}
		})
	}
}

// testAuditPatches: each document that a damaged one takes along is named, with what is
// to blame.
func testAuditPatches(t *testing.T, open Audited) {
	j, spoil := open(t)
	c := Chain(t, lake, 5)
	c.Append(t, j)
	seen, found := audited(t, j)
	if seen.Documents < 5 || len(found) > 0 {
		t.Errorf("of what is whole: %v, %v", seen, found)
	}
	last := c.last().Event.Seq
	_, found = audited(t, spoil(lake, FlipDocument, last-1))
	if len(found) != 2 || found[0].Seq != last-1 || found[1].Seq != last || found[1].Base != last-1 || !found[1].Beside {
		t.Errorf("found %v", found)
	}
}

// testAuditUnborn: of what is not there an audit says so.
func testAuditUnborn(t *testing.T, open Audited) {
	j, _ := open(t)
	_, err := j.(journal.Auditor).Audit(context.Background(), lake, func(f journal.Flaw) { t.Error(f) })
	wantError(t, "unborn", err, journal.ErrNoWarehouse)
}
