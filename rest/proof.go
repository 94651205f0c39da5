package rest

import "time"

// Proof is when a warehouse was last found to be what its journal says, as far as
// a level of verify looks.
type Proof struct {
	Level int
	At    time.Time
}

// proofStatus is a proof as scripts read it.
type proofStatus struct {
	Level int   `json:"level"`
	At    stamp `json:"at"`
	Age   int64 `json:"age"` // in seconds
}

// proven is never nil.
func (w *Warehouse) proven(now time.Time) []proofStatus {
	all := []proofStatus{}
	if w.Proofs == nil {
		return all
	}
	for _, p := range w.Proofs() {
		all = append(all, proofStatus{p.Level, stamp(p.At), int64(now.Sub(p.At) / time.Second)})
	}
	return all
}
