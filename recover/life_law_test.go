package recover_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/journal"
	"puddle/projections"
	"puddle/projections/archive"
	"puddle/recover"
	"puddle/rest/catalog"
)

// TestLawLives: whatever clients do, and whatever is lost in between, through several
// incarnations: what is recovered from the archive is what was live (law 3), from the
// sidecars of a quiet warehouse too; what is true as of an event is the fold of the events
// up to it, and stays so (law 4); seqs and times go on (law 6), nothing is ahead of the
// journal (law 7), and journal, archive and files have the same documents (law 12).
func TestLawLives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := beginLife(t)
		for range rapid.IntRange(1, 5).Draw(t, "lives") {
			l.lives()
			l.quiet()
			switch rapid.SampledFrom([]string{"archive", "archive", "archive with sidecars", "sidecars", "moment", "moment of the archive", "tables"}).Draw(t, "lost") {
			case "archive":
				l.fromArchive(0, false)
			case "archive with sidecars":
				l.fromArchive(0, true)
			case "sidecars":
				l.fromSidecars()
			case "moment":
				l.backTo(l.moment(), l.journal)
			case "moment of the archive":
				l.fromArchive(l.moment(), false)
			case "tables":
				l.tables = projections.NewMemory()
				l.must(projections.CatchUp(context.Background(), l.lineage(), 0, l.tables.Warehouse(l.id)))
			}
			l.check()
		}
	})
}

// moment is the seq of an event.
func (l *life) moment() journal.Seq {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(l.then))).Draw(l.T, "moment")
}

// fromArchive loses journal and tables. A moment may be given, else it is all.
func (l *life) fromArchive(until journal.Seq, later bool) {
	l.Helper()
	ctx := context.Background()
	was := l.now()
	l.journal = journal.NewMemory()
	archived, err := archive.Open(ctx, l.files)
	l.must(err)
	if until != 0 {
		l.backTo(until, archived)
		return
	}
	plan, err := recover.PlanHistory(ctx, lifeName, journal.Lineage(archived, l.id), 0, recover.FromArchive)
	l.must(err)
	end, err := archived.Warehouse(l.id).Head(ctx)
	l.must(err)
	if later {
		beside, err := recover.PlanSidecars(ctx, recover.Evidences{Roots: l.roots, Name: lifeName})
		l.must(err)
		plan, err = recover.WithLater(ctx, plan, beside, l.files, end)
		l.must(err)
	}
	l.fill(plan, &end, archived)
	if diff := cmp.Diff(was, l.now()); diff != "" {
		l.Fatalf("from the archive: %s", diff)
	}
}

// backTo is a recovery as of an event.
func (l *life) backTo(until journal.Seq, past journal.Histories) {
	l.Helper()
	ctx, lineage := context.Background(), journal.Lineage(past, l.id)
	var at journal.Position
	for e, err := range lineage.Scan(ctx, until-1) {
		l.must(err)
		at = e.Position
		break
	}
	plan, err := recover.PlanHistory(ctx, lifeName, lineage, until, recover.FromArchive)
	l.must(err)
	l.fill(plan, &at, past)
	l.left = true
	maps.DeleteFunc(l.then, func(seq journal.Seq, _ []string) bool { return seq > until })
	if diff := cmp.Diff(l.then[until], l.now()); diff != "" {
		l.Fatalf("as of %s: %s", at, diff)
	}
}

// fromSidecars loses journal, tables and archive: also what is known of the past.
func (l *life) fromSidecars() {
	l.Helper()
	ctx := context.Background()
	was := l.now()
	l.journal, l.then = journal.NewMemory(), map[journal.Seq][]string{}
	for info, err := range l.files.List(ctx, archive.Folder) {
		l.must(err)
		l.must(l.files.Delete(ctx, info.Key))
	}
	plan, err := recover.PlanSidecars(ctx, recover.Evidences{Roots: l.roots, Name: lifeName})
	l.must(err)
	remains, err := recover.Look(ctx, l.warehouse(), l.journal, nil, uuid.Nil)
	l.must(err)
	l.fill(plan, remains.Last, nil)
	now := l.now()
	if l.left { // what was left behind may be back, and is told
		now = slices.DeleteFunc(now, func(s string) bool { return !slices.Contains(was, s) && l.told(plan, s) })
	}
	if diff := cmp.Diff(was, now, cmpopts.EquateEmpty()); diff != "" {
		l.Fatalf("from sidecars: %s", diff)
	}
}

// told tells whether the plan warns of what came back, or it is a namespace.
func (l *life) told(plan recover.Plan, back string) bool {
	return strings.HasPrefix(back, "namespace") || slices.ContainsFunc(plan.Objects, func(o recover.PlannedObject) bool {
		return strings.Contains(back, o.UUID.String()) && slices.ContainsFunc(o.Warnings, func(w string) bool { return strings.Contains(w, "incarnation") })
	})
}

// fill makes a plan true in a new incarnation.
func (l *life) fill(plan recover.Plan, parent *journal.Position, past journal.Histories) {
	l.Helper()
	ctx := context.Background()
	remains, err := recover.Look(ctx, l.warehouse(), l.journal, past, l.id)
	l.must(err)
	b := recover.Binder{Journal: l.journal, Clock: l.clock, Build: "test"}
	beginning := recover.Beginning{ID: remains.ID, From: plan.From, Parent: parent, Known: remains.Known, Cause: ruinCause}
	start, err := func() (journal.Event, error) {
		if past == nil || past == journal.Histories(l.journal) {
			return b.Begin(ctx, l.warehouse(), beginning)
		}
		return b.BeginAfter(ctx, l.warehouse(), beginning, past)
	}()
	l.must(err)
	l.must(b.Identify(ctx, l.warehouse(), start))
	l.tables = projections.NewMemory()
	l.over(func(c *catalog.Catalog) {
		report, err := recover.Execute(ctx, plan, recover.Target{Catalog: c, Start: &start, Events: l.journal.Warehouse(l.id), Cause: ruinCause})
		l.must(err)
		for _, o := range report.Objects {
			if o.Outcome == recover.Failed && !l.left {
				l.Fatalf("%s failed: %v", o.Identifier, o.Err)
			}
		}
	})
	l.remember()
	l.quiet()
}

// check looks at all that is known of the past, at the tables and at the documents.
func (l *life) check() {
	l.Helper()
	ctx := context.Background()
	if diff := cmp.Diff(l.now(), l.saysOf(l.tables.Warehouse(l.id).(projections.Dumper))); diff != "" {
		l.Fatalf("the tables: %s", diff)
	}
	archived, err := archive.Open(ctx, l.files)
	l.must(err)
	last := journal.Event{}
	for e, err := range l.lineage().Scan(ctx, 0) {
		l.must(err)
		if e.Seq <= last.Seq || e.At.Before(last.At) {
			l.Fatalf("%s comes after %s", e.Position, last.Position)
		}
		last = e
		for i, m := range e.Moves() {
			if projections.Leads(m) {
				l.checkDocument(archived, e, i, m.To.Pointer)
			}
		}
	}
	for range 3 {
		l.checkMoment(l.moment())
	}
}

// checkMoment folds the past anew, from the archive too.
func (l *life) checkMoment(at journal.Seq) {
	l.Helper()
	archived, err := archive.Open(context.Background(), l.files)
	l.must(err)
	for _, from := range []journal.Reader{l.lineage(), journal.Lineage(archived, l.id)} {
		state := projections.NewState(l.id)
		l.must(projections.CatchUp(context.Background(), from, at, state))
		if diff := cmp.Diff(l.then[at], l.saysOf(state)); diff != "" {
			l.Fatalf("as of %s: %s", at, diff)
		}
	}
}

// checkDocument compares what journal, archive and warehouse have of a pointer.
func (l *life) checkDocument(archived *archive.Archive, e journal.Event, move int, p journal.Pointer) {
	l.Helper()
	ctx := context.Background()
	key := strings.TrimPrefix(p.MetadataLocation, lifeURL+"/")
	file, err := l.files.Get(ctx, key, 1<<20)
	if errors.Is(err, warehouse.ErrNotFound) || journal.Digest(sha256.Sum256(file)) != p.SHA256 {
		l.Fatalf("%s is not what was committed: %v", key, err)
	}
	for _, from := range []journal.Reader{l.lineage(), journal.Lineage(archived, l.id)} {
		if kept, err := from.Document(ctx, e.Seq, move); err != nil || !bytes.Equal(kept, file) {
			l.Fatalf("%s: the document of %s, %v", key, e.Position, err)
		}
	}
}
