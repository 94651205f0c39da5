package rest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
)

// PurgeCounts is what purges did with files.
type PurgeCounts struct {
	Removed int64 `json:"removed"`
	Kept    int64 `json:"kept"`   // left to whom they belong
	Failed  int64 `json:"failed"` // could not be removed
	Bytes   int64 `json:"bytes"`  // removed
}

// Purging is what the job that removes the files of dropped tables does, and has
// done since it was started.
type Purging struct {
	Current *PurgingTable // nil: it waits
	Tables  int64         // purges that it has closed
	Files   PurgeCounts   // of those
	Err     error         // why it could not go on when it last tried; nil: it could
	ErrAt   time.Time

	Elsewhere bool // it runs on another replica, and the rest is not known here
}

// PurgingTable is a table whose files are being removed.
type PurgingTable struct {
	UUID       uuid.UUID
	Drop       uuid.UUID // the event
	Identifier journal.Identifier
	Began      time.Time
	Kind       string      // of the files that are being removed
	Files      PurgeCounts // so far
}

// purgesStatus is what waits to be purged, unless that cannot be read, and the job,
// if it runs where status was asked.
type purgesStatus struct {
	Pending   *int64            `json:"pending,omitempty"` // drops whose purge is not closed
	Due       *int64            `json:"due,omitempty"`     // of these, those past their grace
	Oldest    *stamp            `json:"oldest,omitempty"`
	Active    bool              `json:"active"`             // the job runs here
	Elsewhere bool              `json:"elsewhere,omitzero"` // it runs on another replica
	Current   *purgingBody      `json:"current,omitempty"`
	Closed    int64             `json:"closed"` // since the start, as are files
	Files     PurgeCounts       `json:"files"`
	LastError *purgingErrorBody `json:"last-error,omitempty"`
}

type purgingBody struct {
	UUID       uuid.UUID          `json:"uuid"`
	Drop       uuid.UUID          `json:"drop"`
	Identifier journal.Identifier `json:"identifier"`
	Began      stamp              `json:"began"`
	Kind       string             `json:"kind"`
	PurgeCounts
}

type purgingErrorBody struct {
	At      stamp  `json:"at"`
	Message string `json:"message"`
}

// work tells what the job does.
func (s *purgesStatus) work(w *Warehouse) {
	if w.Purging == nil {
		return
	}
	p := w.Purging()
	if p.Elsewhere {
		s.Elsewhere = true
		return
	}
	s.Active, s.Closed, s.Files = true, p.Tables, p.Files
	if t := p.Current; t != nil {
		s.Current = &purgingBody{t.UUID, t.Drop, t.Identifier, stamp(t.Began), t.Kind, t.Files}
	}
	if p.Err != nil {
		s.LastError = &purgingErrorBody{stamp(p.ErrAt), p.Err.Error()}
	}
}

func (s *purgesStatus) wait(p pendingPurges) {
	s.Pending, s.Due = &p.all, &p.due
	if p.all > 0 {
		oldest := stamp(p.oldest)
		s.Oldest = &oldest
	}
}

// warnings are what somebody should look at.
func (s *purgesStatus) warnings() []string {
	var all []string
	if s.LastError != nil {
		all = append(all, "purging cannot go on: "+s.LastError.Message)
	}
	failed := s.Files.Failed
	if s.Current != nil {
		failed += s.Current.Failed
	}
	if failed > 0 {
		all = append(all, plural(failed, "file", "files")+" of dropped tables could not be removed: puddle log --kind table-purged --json")
	}
	return all
}

// pendingPurges counts them.
type pendingPurges struct {
	all, due int64
	oldest   time.Time // of the drops
}

// purgesPage is how many pending purges are read at once.
const purgesPage = 1000

// pending counts the purges that are not closed. It costs as much as there are.
func (w *Warehouse) pending(ctx context.Context, now time.Time) (p pendingPurges, err error) {
	var after journal.Seq
	for {
		purges, err := w.State.Purges(ctx, after, purgesPage)
		if err != nil {
			return p, err
		}
		for _, one := range purges {
			if p.all++; p.all == 1 {
				p.oldest = one.At
			}
			if !now.Before(one.At.Add(w.Catalog.PurgeGrace)) {
				p.due++
			}
			after = one.Seq
		}
		if len(purges) < purgesPage {
			return p, nil
		}
	}
}
