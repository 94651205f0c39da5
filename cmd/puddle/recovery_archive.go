package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections/anchor"
	"puddle/projections/archive"
	"puddle/recover"
)

// openArchive opens the archive, or what of it is whole. One that cannot be read for
// another reason is no archive that is lost.
func (x *recovery) openArchive(ctx context.Context, e *evidence) (err error) {
	store := e.roots[0].Store
	if e.claims, err = archive.ReadClaims(ctx, store); err != nil {
		return noLook(err)
	}
	if !x.torn[e.Name] {
		var damage *archive.Damage
		switch e.archived, err = archive.Open(ctx, store); {
		case err == nil:
			e.archived.Spare()
			return nil
		case errors.Is(err, archive.ErrNone):
			return nil
		case errors.Is(err, archive.ErrNewer):
			return &recover.Refusal{Warehouse: e.Name, Reason: err.Error(), Err: err}
		case !errors.As(err, &damage):
			return noLook(err)
		}
		x.torn[e.Name] = true
	}
	id, _, _ := anchor.ReadIdentity(ctx, store) // what is wrong with it is told later
	var lost []error
	if e.archived, lost, err = archive.Whole(ctx, store, id.ID); err != nil {
		return noLook(err)
	}
	for _, l := range lost {
		e.lost = append(e.lost, l.Error())
	}
	if e.archived == nil {
		e.lost = append(e.lost, "the archive is not used: nothing of its last incarnation is whole")
		e.seen.Unusable = strings.Join(e.lost, "; ")
	}
	return nil
}

// left tells whether an archive lacks all of the incarnation that the catalog was in. It
// is then not what the catalog is made from, unless somebody asks for that.
func (x *recovery) left(ctx context.Context, e *evidence) bool {
	if e.seen.Archived == nil || x.From == string(recover.FromArchive) || x.At != "" {
		return false
	}
	held, err := e.archived.Incarnations(ctx, e.archived.ID())
	if err != nil {
		return false // it is told by who asks next
	}
	for _, by := range []recover.Witness{recover.TheHint, recover.TheDocument, recover.TheAnchor} { // into a sidecar anything may be written
		p := e.seen.Said[by]
		if p.Seq <= e.seen.Archived.Seq || slices.ContainsFunc(held, func(i journal.Incarnation) bool { return i.ID == p.Incarnation }) {
			continue
		}
		e.lost = append(e.lost, fmt.Sprintf("the archive is not used: it ends at %s, and %s says that the catalog was at %s:%s, of a later incarnation",
			e.seen.Archived, by, p.Incarnation, p.Seq))
		return true
	}
	return false
}

// parted refuses to choose between a journal and an archive that have different histories.
func (x *recovery) parted(ctx context.Context, e *evidence) error {
	if e.archived == nil || !e.seen.Journaled || e.choice.Adds || x.At != "" || x.From == string(recover.FromJournal) || x.From == string(recover.FromSidecars) {
		return nil
	}
	why := archive.Compare(ctx, e.roots[0].Store, e.seen.ID, x.node.journal)
	if errors.Is(why, archive.ErrSecondWriter) {
		return branched(e.warehouse, e.seen.Head, x.node.config.Journal.Path, why)
	}
	return nil
}

// beyond tells what says that there was more than what the catalog is made from holds.
func (x *recovery) beyond(e *evidence) []string {
	switch {
	case e.choice.From == recover.FromMetastore:
		return x.behindTables(e)
	case e.seen.Archived != nil && e.choice.From == recover.FromArchive && x.At == "" && e.seen.Run == nil:
		if later := e.seen.Later(*e.seen.Archived); len(later) > 0 {
			return []string{fmt.Sprintf("the archive ends at %s, but %s: what came later is known from sidecars and files alone", e.seen.Archived, strings.Join(later, ", "))}
		}
	case e.archived != nil || len(e.lost) > 0 || e.choice.From == recover.FromJournal: // it was told, or does not matter
	default:
		if later := e.seen.Later(journal.Position{}, recover.TheHint, recover.TheDocument); len(later) > 0 {
			return []string{"the archive is gone, but " + strings.Join(later, ", ")}
		}
	}
	return nil
}

// behindTables tells how far pointer tables that the catalog is made from are behind.
func (x *recovery) behindTables(e *evidence) []string {
	end := *e.parent
	later := e.seen.Later(end)
	if len(later) == 0 {
		return nil
	}
	missing, last := "what was committed later", end.Seq
	for _, p := range e.seen.Said {
		if p.Incarnation == end.Incarnation {
			last = max(last, p.Seq)
		}
	}
	if n := last - end.Seq; n > 0 {
		missing = fmt.Sprintf("what %s did", counted(int(n), "later event", "later events"))
	}
	advice := "puddle repoint and register take up what is wanted of it"
	switch {
	case x.DryRun && e.seen.Said[recover.TheArchive].Seq > end.Seq:
		advice = "puddle recover without --from takes it from the archive"
	case x.DryRun && e.seen.Said[recover.TheSidecars].Seq > end.Seq:
		advice = "puddle recover --from sidecars takes what is known of it"
	}
	return []string{fmt.Sprintf("the pointer tables are behind, at %s: %s; %s is not in this catalog: %s",
		end, strings.Join(later, ", "), missing, advice)}
}

// maxLost is how many lost documents are told one by one.
const maxLost = 20

// missed tells which documents the archive did not have whole that the journal took over,
// or, in a dry run, would take over. It tells whether there are any.
func (x *recovery) missed(ctx context.Context, e *evidence) (bool, error) {
	if e.archived == nil || e.choice.From != recover.FromArchive {
		return false, nil
	}
	if x.DryRun || e.resumed { // else they were read
		if err := readEntries(ctx, e.archived, e.seen.ID); err != nil {
			return false, damaged(err)
		}
	}
	lost := e.archived.Lost()
	for _, l := range lost[:min(len(lost), maxLost)] {
		e.plan.Warnings = append(e.plan.Warnings, l.String())
	}
	if more := len(lost) - maxLost; more > 0 {
		e.plan.Warnings = append(e.plan.Warnings, fmt.Sprintf("the archive has no copies that are whole of %d more files", more))
	}
	return len(lost) > 0, nil
}

// readEntries reads all that an archive has.
func readEntries(ctx context.Context, a *archive.Archive, warehouse uuid.UUID) error {
	all, err := a.Incarnations(ctx, warehouse)
	for _, i := range all {
		entries, ok := a.Incarnation(warehouse, i.ID).(journal.Entries)
		if !ok {
			return errors.New("its entries cannot be read")
		}
		for _, err := range entries.Entries(ctx, 0) {
			if err != nil {
				return err
			}
		}
	}
	return err
}
