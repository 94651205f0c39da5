package purge

import (
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

// Progress is where a job stands, counted since it was made.
type Progress struct {
	Current *Current  // the table whose files are being removed; nil: it waits
	Closed  int64     // purges
	Files   Counts    // of purges that were closed or cancelled
	Err     error     // the last failure of the reader or of a table that still waits; nil: none
	ErrAt   time.Time // of Err
	Next    time.Time // when it looks again; zero when it waits for a drop
}

// Current is a table whose files are being removed.
type Current struct {
	Table      uuid.UUID
	Drop       uuid.UUID          // the event
	Identifier journal.Identifier // the name it had
	Began      time.Time          // the first pass of this process
	Kind       Kind               // of the files that are being removed
	Files      Counts             // so far
}

// Progress tells where the job stands.
func (j *Job) Progress() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.state
	if s.Current != nil {
		current := *s.Current
		s.Current = &current
	}
	return s
}

// show changes what Progress tells.
func (j *Job) show(change func(*Progress)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.state)
}

// begin shows the table that a pass begins over, and end that there is none.
func (j *Job) begin(p projections.Purge, a *attempt) {
	j.show(func(s *Progress) {
		s.Current = &Current{Table: p.Table, Drop: p.Drop, Identifier: p.Identifier, Began: a.began, Files: a.report.Counts}
	})
}

// end shows how a pass ended, and tells it.
func (j *Job) end(o Outcome) {
	j.show(func(s *Progress) {
		s.Current = nil
		switch o.Result {
		case Closed:
			s.Closed++
			s.Files.add(o.Report.Counts)
		case Cancelled:
			s.Files.add(o.Report.Counts)
		case Waiting:
			s.Err, s.ErrAt = o.Err, j.Now()
		}
	})
	if j.Observe != nil {
		j.Observe(o)
	}
}

// rest shows how a round ended.
func (j *Job) rest(next time.Time, err error) {
	j.show(func(s *Progress) {
		s.Next = next
		if err != nil {
			s.Err, s.ErrAt = err, j.Now()
		} else if len(j.attempts) == 0 {
			s.Err, s.ErrAt = nil, time.Time{}
		}
	})
}
