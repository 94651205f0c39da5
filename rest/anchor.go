package rest

import (
	"time"

	"puddle/journal"
)

// Anchor is the copy of a warehouse's head that lies in the warehouse
// (head.json), and who writes it.
type Anchor struct {
	Seq    journal.Seq // that it has; 0 until it was written since the start
	Err    error       // why writing it failed the last time; nil: it did not
	Since  time.Time   // when the oldest event came that it lacks; zero when it lacks none, or nobody knows
	Failed int64       // failures since the start

	Elsewhere bool // another replica writes it; Seq is what it has written
}

// anchorStatus is the anchor as scripts read it. One that is late by more than
// moments has an error.
type anchorStatus struct {
	Seq    journal.Seq `json:"seq"`
	Behind uint64      `json:"behind"` // events
	Failed int64       `json:"failed"`
	Lag    float64     `json:"lag-seconds"` // how long the oldest of these has waited
	Error  string      `json:"error,omitempty"`

	Elsewhere bool `json:"elsewhere,omitzero"` // another replica writes it
}

// anchored is nil for a warehouse that has no anchor.
func (w *Warehouse) anchored(head journal.Seq, now time.Time) *anchorStatus {
	if w.Anchor == nil {
		return nil
	}
	a := w.Anchor()
	s := &anchorStatus{Seq: a.Seq, Behind: behind(a.Seq, head), Failed: a.Failed, Elsewhere: a.Elsewhere}
	if s.Behind > 0 && !a.Since.IsZero() {
		s.Lag = max(0, now.Sub(a.Since).Seconds())
	}
	if a.Err != nil {
		s.Error = a.Err.Error()
	}
	return s
}

// tell warns of an anchor that is late.
func (s *anchorStatus) tell(b *statusBody, warehouse string) {
	const what = "the anchor (_puddle/head.json) is late: "
	switch {
	case s == nil:
	case s.Error != "":
		b.warn(warehouse, what+s.Error)
	case s.Lag >= late.Seconds():
		b.warn(warehouse, what+lateFor(s.Behind, time.Duration(s.Lag)*time.Second))
	}
}

// behind is how many events are between two places.
func behind(at, head journal.Seq) uint64 {
	if at >= head {
		return 0
	}
	return uint64(head - at)
}
