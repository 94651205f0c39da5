package rest

import "time"

// Storage is what a warehouse is in, and what that was found to do when the server started.
type Storage struct {
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

func (s Storage) status() *storageStatus {
	if s.Kind == "" {
		return nil
	}
	shown := storageStatus{Kind: s.Kind}
	if s.At.IsZero() {
		return &shown
	}
	at := stamp(s.At)
	shown.Probed, shown.Conditional = &at, "ignored"
	if s.Conditional {
		shown.Conditional = "hold"
	}
	if s.Ahead != nil {
		seconds := s.Ahead.Seconds()
		shown.Ahead = &seconds
	}
	return &shown
}
