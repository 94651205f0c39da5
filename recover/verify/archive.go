package verify

import (
	"context"
	"errors"

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
	events, err := archive.Audit(ctx, r.Roots[0].Store, r.ID, r.Journal, func(wrong error) {
		finding := Finding{Severity: Warning, Kind: KindArchive, Place: archive.Folder, Message: wrong.Error()}
		var damage *archive.Damage
		switch {
		case errors.As(wrong, &damage):
			finding.Place = damage.Object
			if damage.Seq != 0 {
				finding = finding.at(journal.Position{Incarnation: damage.Incarnation, Seq: damage.Seq})
			}
		case archive.Final(wrong):
			finding.Severity, finding.Next = Error, r.recoverCommand()
		}
		r.found(finding)
	})
	r.summary.Archived = events
	if err != nil && ctx.Err() == nil {
		r.unseen(archive.Folder, err)
		return nil
	}
	return err
}
