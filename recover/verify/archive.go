package verify

import (
	"context"
	"errors"
	"fmt"

	"puddle/journal"
	"puddle/projections/archive"
)

// archive looks through the archive in the warehouse, and compares it with the journal.
// What is wrong there costs nothing while the journal is whole; but a second writer
// does.
func (r *run) archive(ctx context.Context) error {
	if len(r.Roots) == 0 || r.Ephemeral || r.broken {
		return nil
	}
	done, err := archive.Audit(ctx, r.Roots[0].Store, r.ID, r.Journal, func(wrong error) {
		finding := Finding{Severity: Warning, Kind: KindArchive, Place: archive.Folder, Message: wrong.Error()}
		var damage *archive.Damage
		switch {
		case errors.As(wrong, &damage):
			finding.Place, finding.Next = damage.Object, r.sealCommand()
			if errors.Is(wrong, archive.ErrPast) { // a recovery went on without it, and told
				finding.Severity, finding.Next = Note, ""
			}
			if damage.Seq != 0 {
				finding = finding.at(journal.Position{Incarnation: damage.Incarnation, Seq: damage.Seq})
			}
		case archive.Final(wrong):
			finding.Severity, finding.Next = Error, r.recoverCommand()
		}
		r.found(finding)
	})
	r.summary.Archived, r.summary.ArchivedTo, r.holes = done.Events, done.End.Seq, done.Holes
	if err != nil && ctx.Err() == nil {
		r.unseen(archive.Folder, err)
		return nil
	}
	if err == nil && r.Now == nil && done.Events > 0 && done.End.Seq < r.summary.Seq {
		behind := fmt.Sprintf("it ends at %d, %d events before the journal", done.End.Seq, r.summary.Seq-done.End.Seq)
		if done.End.IsZero() {
			behind = "it has nothing yet of the journal's current incarnation"
		}
		r.found(Finding{Severity: Note, Kind: KindArchive, Place: archive.Folder, Message: behind + ": the next start archives what it lacks"})
	}
	return err
}

func (r *run) sealCommand() string { return "puddle verify " + r.Name + " --level 1 --repair" }

// seal seals again what is gone from the archive, of a journal that is whole.
func (m Repair) seal(ctx context.Context, r *run, of Result) error {
	for _, hole := range of.holes {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := Finding{Level: 1, Severity: Note, Kind: KindRepaired, Place: archive.Folder, Message: hole.String() + " are sealed again from the journal"}
		if m.DryRun {
			f.Message = hole.String() + " would be sealed again from the journal"
		}
		var err error
		switch {
		case !of.Whole:
			err = &refused{"the journal is damaged, or not the newest: nothing is sealed from it", r.recoverCommand()}
		case !m.DryRun:
			err = archive.Seal(ctx, archive.Options{ID: r.ID, Store: r.Roots[0].Store, From: r.Journal}, hole, func(ctx context.Context, key string) error {
				there, err := r.Roots[0].Store.Get(ctx, key, maxSegment)
				if err == nil {
					_, err = m.aside(ctx, r.Roots[0].Store, key, there)
				}
				return err
			})
		}
		var cannot *refused
		switch {
		case err == nil:
			r.found(f)
		case errors.As(err, &cannot):
			f.Severity, f.Kind, f.Message, f.Next = Error, KindRefused, hole.String()+": "+cannot.reason, cannot.next
			r.found(f)
		case errors.Is(err, archive.ErrOtherDocuments), archive.Final(err), errors.Is(err, archive.ErrNewer):
			f.Severity, f.Kind, f.Message = Warning, KindRefused, hole.String()+": "+err.Error()
			r.found(f)
		default:
			r.unseen(archive.Folder, err)
		}
	}
	return nil
}

// maxSegment is more than any object of an archive has.
const maxSegment = 2 << 30
