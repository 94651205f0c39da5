package rest

import "time"

// Probe is what a warehouse is in, and what that was found to do when the server started.
type Probe struct {
	Kind        string         // file, s3
	At          time.Time      // zero: it was not tried
	Conditional bool           // it creates only what is absent; said only where it was tried
	Ahead       *time.Duration // its clock is by so much, less where it is behind; nil: not known
	Warnings    []string       // what somebody should look at
}

// storageStatus is that for people and scripts.
type storageStatus struct {
	Kind        string   `json:"kind"`
	Conditional string   `json:"conditional-writes,omitempty"` // hold, ignored; absent: not tried
	Probed      *stamp   `json:"probed-at,omitempty"`
	Ahead       *float64 `json:"clock-ahead-seconds,omitempty"`
}

func (w *Warehouse) stored() *storageStatus {
	is := w.Probe
	if is.Kind == "" {
		return nil
	}
	s := storageStatus{Kind: is.Kind}
	if is.At.IsZero() {
		return &s
	}
	at := stamp(is.At)
	s.Probed, s.Conditional = &at, "ignored"
	if is.Conditional {
		s.Conditional = "hold"
	}
	if is.Ahead != nil {
		seconds := is.Ahead.Seconds()
		s.Ahead = &seconds
	}
	return &s
}
