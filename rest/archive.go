package rest

import (
	"time"

	"puddle/journal"
)

// Archive is the copy of a warehouse's journal in the warehouse, and who seals it.
type Archive struct {
	Mode    string      // async, sync, off
	Seq     journal.Seq // the newest event in it; 0 until it was looked at since the start
	Since   time.Time   // when the oldest event came that it lacks; zero when it lacks none, or nobody knows
	Err     error       // why sealing failed the last time; nil: it did not
	Stopped bool        // sealing has ended for good, because of Err
	Failed  int64       // failures since the start

	Elsewhere bool // another replica seals it; Seq is how far it has
}

// archiveStatus is the archive as scripts read it.
type archiveStatus struct {
	Mode    string      `json:"mode"`
	Seq     journal.Seq `json:"seq"`
	Behind  uint64      `json:"behind"`      // events
	Lag     float64     `json:"lag-seconds"` // how long the oldest of these has waited
	Failed  int64       `json:"failed"`
	Stopped bool        `json:"stopped"`
	Error   string      `json:"error,omitempty"`

	Elsewhere bool `json:"elsewhere,omitzero"` // another replica seals it
}

// archived is nil for a warehouse of which nobody tells. Without a follower nothing is
// behind.
func (w *Warehouse) archived(head journal.Seq, now time.Time) *archiveStatus {
	if w.Archive == nil {
		return nil
	}
	a := w.Archive()
	s := &archiveStatus{Mode: a.Mode, Seq: a.Seq, Failed: a.Failed, Stopped: a.Stopped, Elsewhere: a.Elsewhere}
	if a.Mode == "off" {
		return s
	}
	s.Behind = behind(a.Seq, head)
	if s.Behind > 0 && !a.Since.IsZero() {
		s.Lag = max(0, now.Sub(a.Since).Seconds())
	}
	if a.Err != nil {
		s.Error = a.Err.Error()
	}
	return s
}

// tell warns of an archive that is late. One that has stopped is critical: from then on
// the warehouse holds no newer event, however long nobody looks.
func (s *archiveStatus) tell(b *statusBody, warehouse string) {
	switch {
	case s == nil:
	case s.Error == "" && s.Lag >= late.Seconds() && s.Behind > 0:
		b.warn(warehouse, "the archive is late: "+lateFor(s.Behind, time.Duration(s.Lag)*time.Second))
	case s.Error == "":
	case s.Stopped:
		b.critical(warehouse, "the journal is not archived any more: "+s.Error)
	default:
		b.warn(warehouse, "the archive is late: "+s.Error)
	}
}
