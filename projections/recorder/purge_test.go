package recorder_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"puddle/journal"
	"puddle/projections"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// An undrop and the end of the purge come at the same time: the first decides.
// What came back is not purged; what was purged can still come back, and is known
// to have been.
func TestPurgeMeetsUndrop(t *testing.T) {
	for name, undropFirst := range map[string]bool{"undrop first": true, "purge first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, letGo := gathering()
				s := newStage(t, h, recorder.Options{})
				defer s.Close()
				birth := recordertest.Create(lake, "n", "t")
				table := recordertest.Object(birth.Body.(journal.TableCreated).Moves[0])
				dropped := recordertest.Drop(lake, table, true)
				asked := projections.Purge{
					Table: table.UUID, Drop: dropped.ID, Identifier: table.Identifier, Pointer: table.Pointer, Location: table.Location,
				}
				back, end := recordertest.Undrop(lake, asked, table.Identifier), recordertest.Draft(lake, journal.TablePurged{Drop: dropped.ID, Table: table.UUID})
				race := []journal.Draft{end, back}
				if undropFirst {
					race = []journal.Draft{back, end}
				}
				answers := s.together(letGo, append([]journal.Draft{recordertest.Namespace(lake, "n"), birth, dropped}, race...)...)
				for _, a := range answers[:4] {
					if a.err != nil {
						t.Fatal(a.err)
					}
				}
				var c *projections.Conflict
				if missing := errors.As(answers[4].err, &c) && c.Kind == projections.PurgeMissing; missing != undropFirst {
					t.Errorf("the last: %v", answers[4].err)
				}
				if _, known, err := s.Reader(lake).Purge(ctx, table.UUID); known || err != nil {
					t.Errorf("the purge of what came back: %v, %v", known, err)
				}
				recordertest.CheckLaws(t, s.journal.Journal, s.store.Store)
			})
		})
	}
}
