package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"puddle/journal"
	"puddle/projections/anchor"
)

// chain is level 1.
func (r *run) chain(ctx context.Context) error {
	if err := r.anchor(ctx); err != nil {
		return err
	}
	head, err := r.from.Head(ctx)
	if err := r.damaged(err); err != nil {
		return err
	}
	r.summary.Incarnation, r.summary.Seq = head.Incarnation, head.Seq
	held, err := r.Journal.Incarnations(ctx, r.ID)
	if err == nil {
		r.extent = extentOf(held)
	}
	if r.Auditor == nil {
		return errors.Join(r.hurt(err), r.read(ctx, held))
	}
	seen, err := r.audit(ctx)
	if errors.Is(err, journal.ErrNotAudited) {
		r.anew(err)
		seen, err = r.audit(ctx)
	}
	r.summary.NotKept, r.summary.Erased = r.reached.Absent.Count, r.reached.Erased.Count
	r.reached.Absent.tell(r, KindNotKept, "keeps no copy", "over journal.max-document, or lost; such a file itself is all there is")
	r.reached.Erased.tell(r, KindErased, "had its copy erased", "a compaction was told to; such a file itself is all there is")
	r.summary.Incarnations, r.summary.Events, r.summary.Documents = seen.Incarnations, seen.Events, seen.Documents
	r.sink.Progress(r.Name, 1, seen.Events, seen.Events)
	if err != nil {
		return err
	}
	return r.archive(ctx)
}

// audit looks through the journal, behind what an earlier run has looked at.
func (r *run) audit(ctx context.Context) (journal.Audited, error) {
	if n := r.reached.Audited.Events; n > 0 {
		r.resumed("%d events", n)
	}
	before := r.reached.Journal
	again := sync.OnceFunc(func() {
		r.broken = r.broken || r.reached.Damaged
		for _, f := range before {
			r.found(f)
		}
	})
	seen, err := r.Auditor.AuditAfter(ctx, r.ID, r.reached.Audited, func(f journal.Flaw) {
		if f.Absent != nil {
			r.reached.absent(f)
			return
		}
		again()
		finding := r.flawed(f)
		if slices.Contains(before, finding) {
			return // it is told
		}
		r.reached.Journal, r.reached.Damaged = append(r.reached.Journal, finding), r.broken
		r.found(finding)
	}, func(at journal.Audited) {
		again()
		r.reached.Audited = at
		r.sink.Progress(r.Name, 1, at.Events, r.extent.all)
		r.tell()
	})
	if err == nil {
		again()
	}
	return seen, err
}

// flaw tells what was found wrong with the journal.
func (r *run) flaw(f journal.Flaw) { r.found(r.flawed(f)) }

// flawed words it.
func (r *run) flawed(f journal.Flaw) Finding {
	finding := Finding{Severity: Error, Kind: KindJournal, Place: "journal", Message: f.Reason, Next: r.recoverCommand()}
	if f.Seq != 0 {
		finding = finding.at(journal.Position{Incarnation: f.Incarnation, Seq: f.Seq})
	}
	switch {
	case f.Torn:
		finding.Severity, finding.Kind, finding.Next = Warning, KindTorn, ""
	case f.Beside:
		finding.Kind = KindBeside
	default:
		r.broken = true
	}
	return finding
}

// anchor compares the journal with what the warehouse last saw of it. The anchor is
// read before the journal, which is never behind it.
func (r *run) anchor(ctx context.Context) error {
	if len(r.Roots) == 0 || r.Ephemeral {
		return nil
	}
	store := r.Roots[0].Store
	finding := Finding{Severity: Error, Kind: KindAnchor, Place: anchor.HeadKey, Next: r.recoverCommand()}
	head, present, err := anchor.ReadHead(ctx, store)
	switch {
	case errors.Is(err, anchor.ErrDamaged):
		finding.Message = err.Error()
		r.found(finding)
		return nil
	case err != nil:
		return err
	case !present:
		finding.Severity, finding.Next = Note, ""
		finding.Message = "it is not there: an older copy of the journal would not be noticed; a server writes it again"
		r.found(finding)
		return nil
	}
	err = head.CheckLineage(ctx, r.Journal, r.ID)
	if errors.Is(err, anchor.ErrRolledBack) || errors.Is(err, anchor.ErrOtherHistory) {
		r.doubt = true
		finding.Message = err.Error()
		r.found(finding.at(head.Position))
		return nil
	}
	if err := r.damaged(err); err != nil || r.broken {
		return err
	}
	return r.dated(ctx, head, finding)
}

// dated compares the rest of what the anchor and the identity say with the events
// that they were written of.
func (r *run) dated(ctx context.Context, head anchor.Head, finding Finding) error {
	for e, err := range r.lineage().Scan(ctx, head.Seq-1) {
		if err != nil {
			return r.damaged(err)
		}
		if e.Position == head.Position && !e.At.Equal(head.At) {
			finding.Message = fmt.Sprintf("it dates its event %s, the journal %s", head.At, e.At)
			r.found(finding.at(e.Position))
		}
		break
	}
	identity, present, err := anchor.ReadIdentity(ctx, r.Roots[0].Store)
	if err != nil || !present {
		return nil // told by whoever found the warehouse
	}
	for first, err := range r.from.Scan(ctx, 0) {
		if err != nil {
			return r.damaged(err)
		}
		start, ok := first.Body.(journal.IncarnationStarted)
		if ok && start.Parent == nil && (identity.Incarnation != first.Incarnation || !identity.CreatedAt.Equal(first.At)) {
			r.found(Finding{Severity: Error, Kind: KindIdentity, Place: anchor.IdentityKey, Next: "put the one of this warehouse back from a backup",
				Message: fmt.Sprintf("it says that the warehouse was born with incarnation %s at %s, the journal says %s at %s",
					identity.Incarnation, identity.CreatedAt, first.Incarnation, first.At)})
		}
		break
	}
	return nil
}
